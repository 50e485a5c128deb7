// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/surfboard/cmd/hot.h"

#include <fmt/format.h>

#include <chrono>

#include "guest/surfboard/cmd/bitstream.h"
#include "guest/surfboard/cmd/port.h"
#include "guest/surfboard/host/trace_file.h"
#include "guest/surfboard/regs.h"

namespace perfboard::prompt {
namespace {

constexpr uint32_t kCollect = SURF_HTCR_TEN | SURF_HTCR_HEN | SURF_HTCR_WEN;

class Watch {
 public:
  Watch(Board& board, const Hot& hot, std::ostream& out, const Note& note)
      : board_(board), hot_(hot), out_(out), note_(note), bins_(present(board.histogram(), "histogram")) {
    if (traced()) present(board.trace(), "trace");
  }

  void start(const Progress& progress);
  void run();
  void stop() {
    board_.put(SURF_IEMR, 0);
    board_.put(SURF_HTCR, board_.get(SURF_HTCR) & ~kCollect);
  }
  uint64_t told() const { return told_; }
  bool complete() const { return complete_; }

 private:
  bool traced() const { return !hot_.trace_file.empty(); }
  void handle();
  void listen();
  void tell_bin(uint32_t bin);
  void tell_trigger();
  void tell(const std::string& line);

  Board& board_;
  const Hot& hot_;
  std::ostream& out_;
  const Note& note_;
  const std::span<uint32_t> bins_;
  uint64_t passed_[kHotMost] = {};  // thresholds, of each bin
  uint64_t told_ = 0;
  bool triggered_ = false, complete_ = false;
};

void Watch::tell(const std::string& line) {
  const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
  out_ << fmt::format("{:.6f} s  {}", now.count(), line) << std::endl;
  if (!out_) throw BoardError("what is hot cannot be written");
}

// The order is that of A.9.2. ACDR is the user's.
void Watch::start(const Progress& progress) {
  board_.put(SURF_IEMR, 0);
  board_.put(SURF_HTCR, 0);
  board_.configure(read_bitstream(hot_.selector));
  const uint32_t ttcr = board_.get(SURF_TTCR) & ~(SURF_TTCR_MODE_MASK | SURF_TTCR_QUAL_MASK);
  board_.put(SURF_TTCR, ttcr | SURF_PUT(TTCR_MODE, hot_.mode) | SURF_PUT(TTCR_QUAL, SURF_QUAL_BIN));
  for (uint32_t bin = 0; bin < hot_.variable.values; bin++)
    bins_[bin] = hot_.only.value_or(bin) == bin ? -hot_.threshold : 0;
  if (traced()) clear_memory(board_, MemoryType::trace, progress);
  board_.put(SURF_TICR, 0);
  board_.put(SURF_TECR, 0);
  clear_memory(board_, MemoryType::fifo, progress);
  board_.put(SURF_ISCR, SURF_ISCR_W1C);
  listen();
  board_.put(SURF_HTCR, SURF_HTCR_HEN | (traced() ? SURF_HTCR_TEN : 0));
  tell(fmt::format("watching {}: {} packets", hot_.variable.name, hot_.threshold));
}

// TC lasts while the trace is full, so it is heard once.
void Watch::listen() {
  board_.put(SURF_IEMR, SURF_IEMR_BV | (traced() && !complete_ ? SURF_IEMR_TC : 0));
  board_.clear_exception();
}

void Watch::run() {
  while (told_ < hot_.times || (traced() && !complete_)) {
    if (board_.wait(hot_.timeout_ms) != Woken::exception) return;
    handle();
  }
}

void Watch::handle() {
  const uint32_t iscr = board_.get(SURF_ISCR);
  // Before the FIFO is read: a bin that wraps from here on interrupts again.
  board_.put(SURF_ISCR, iscr & (SURF_ISCR_BV | SURF_ISCR_FV));
  for (uint32_t bin; take_address(board_, bin);) tell_bin(bin);
  if (iscr & SURF_ISCR_FV) {
    note_("the FIFO has lost addresses (ISCR.FV): all bins are looked at");
    for (uint32_t bin = 0; bin < hot_.variable.values; bin++)
      if (hot_.only.value_or(bin) == bin && bins_[bin] < Hot::kMostPackets) tell_bin(bin);
  }
  if (iscr & SURF_ISCR_TP && traced() && !triggered_) tell_trigger();
  if (traced() && iscr & SURF_ISCR_TC) complete_ = true;
  listen();
}

void Watch::tell_bin(uint32_t bin) {
  if (bin >= hot_.variable.values) return note_(fmt::format("bin {:06X}: not one of {}", bin, hot_.selector));
  const uint32_t since = bins_[bin];
  bins_[bin] = since % hot_.threshold - hot_.threshold;
  passed_[bin] += 1 + since / hot_.threshold;
  told_++;
  tell(fmt::format("{} {}: {} packets", hot_.variable.name, bin, passed_[bin] * hot_.threshold));
}

void Watch::tell_trigger() {
  triggered_ = true;
  const std::span<uint32_t> memory = board_.trace();
  TraceEntry entry{board_.get(SURF_TPIR), {}};
  const size_t words = entry.word.size();
  for (size_t w = 0; w < words; w++) entry.word[w] = memory[(entry.index * words + w) % memory.size()];
  tell(fmt::format("trigger at {:06X}: page {:X} sender {} color {} category {} words {}", entry.index,
                   entry.page(), entry.sender(), entry.color(), entry.category(), entry.size()));
}

}  // namespace

void watch_hot(Board& board, const Hot& hot, std::ostream& out, const Note& note, const Progress& progress) {
  const bool traced = !hot.trace_file.empty();
  if (traced) Output may_be_written(hot.trace_file);
  const Undisturbed watching;
  Watch watch(board, hot, out, note);
  watch.start(progress);
  watch.run();
  watch.stop();
  if (traced) save_memory(board, MemoryType::trace, hot.trace_file, note, progress);
  if (watch.told() < hot.times)
    throw BoardError(fmt::format("the end came after {} of {} thresholds", watch.told(), hot.times));
  if (traced && !watch.complete()) note("the end came before the trace was complete");
}

}  // namespace perfboard::prompt
