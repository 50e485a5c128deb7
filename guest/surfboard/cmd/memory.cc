// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/surfboard/cmd/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "guest/surfboard/cmd/bitstream.h"
#include "guest/surfboard/cmd/board.h"
#include "guest/surfboard/host/trace_file.h"
#include "guest/surfboard/regs.h"

namespace perfboard::prompt {
namespace {

constexpr size_t kStep = 1 << 18;  // words between two looks at the clock
constexpr size_t kEntryWords = SURF_TRACE_BYTES / 4;

void require_fifo(Board& board) {
  if (board.get(SURF_HTCR) & SURF_HTCR_FRS)
    throw BoardError("the FIFO is held in reset: HTCR.FRS is 1 (CLEAR FIFO makes it ready)");
}

void fill(std::span<uint32_t> memory, std::span<const uint32_t> pattern, const Progress& progress) {
  for (size_t i = 0; i < memory.size(); i += pattern.size()) {
    for (size_t j = 0; j < pattern.size(); j++) memory[i + j] = pattern[j];
    if (i % kStep == 0) progress(i, memory.size());
  }
  progress(memory.size(), memory.size());
}

// Where valid entries can be, as ACDR.TSIZE, TTCR.MODE and the registers have it.
struct TraceRange {
  size_t slots;  // that the board uses
  size_t first;  // slot of the oldest entry
  size_t count;  // entries from there on
  bool counted;  // TECR counted them all
};

TraceRange trace_range(Board& board, size_t memory_slots, const Note& note) {
  constexpr size_t kSlots[] = {1u << 4, 1u << 18, 1u << 20, 1u << 22};
  size_t slots = kSlots[SURF_GET(ACDR_TSIZE, read_acdr(board))];
  if (slots > memory_slots) {
    note(fmt::format("ACDR.TSIZE is for {} entries, the memory has {}", slots, memory_slots));
    slots = memory_slots;
  }
  const size_t next = board.get(SURF_TICR) % slots;
  const size_t events = board.get(SURF_TECR);
  const bool middle = SURF_GET(TTCR_MODE, board.get(SURF_TTCR)) == SURF_MODE_MIDDLE;
  // In MODE 01 TECR stops at half the buffer until the trigger, while more is recorded.
  const size_t sure = middle ? slots / 2 : slots;
  if (events == 0 || events >= sure) return {slots, next, slots, false};
  return {slots, (next + slots - events) % slots, events, true};
}

void save_trace(Board& board, const std::string& file, const Note& note, const Progress& progress) {
  const std::span<uint32_t> memory = present(board.trace(), "trace");
  const TraceRange range = trace_range(board, memory.size() / kEntryWords, note);
  const uint32_t tecr = board.get(SURF_TECR);
  const uint32_t acdr = read_acdr(board);
  size_t valid = 0;
  Output out(file);
  out.print("# SurfBoard trace, oldest entry first: TPIR {:06X} TICR {:06X} TECR {:06X}\n",
            board.get(SURF_TPIR), board.get(SURF_TICR), tecr);
  out.print("# latency: LAT_S {:02X} LAT_N {:X}, one unit is {} ns\n", SURF_GET(ACDR_LAT_S, acdr),
            SURF_GET(ACDR_LAT_N, acdr), uint64_t{100} << 2 * SURF_GET(ACDR_LAT_S, acdr));
  for (size_t i = 0; i < range.count; i++) {
    if (i % (kStep / kEntryWords) == 0) progress(i, range.count);
    const size_t slot = (range.first + i) % range.slots;
    TraceEntry entry{static_cast<uint32_t>(slot), {}};
    for (size_t w = 0; w < kEntryWords; w++) entry.word[w] = memory[slot * kEntryWords + w];
    if (entry.presence() != 0) continue;
    write(out, entry);
    valid++;
  }
  out.close();
  progress(range.count, range.count);
  if (tecr == 0 && valid > 0)
    note(fmt::format("TECR is 0: {} entries saved by their presence bits alone", valid));
  else if (range.counted && valid < range.count)
    note(fmt::format("TECR counts {} entries, the presence bits of {} say that they are there", range.count,
                     valid));
}

void save_histogram(Board& board, const std::string& file, const Progress& progress) {
  const std::span<uint32_t> memory = present(board.histogram(), "histogram");
  Output out(file);
  out.print("# SurfBoard histogram: bins of 0 are left out\n");
  for (size_t i = 0; i < memory.size(); i++) {
    if (i % kStep == 0) progress(i, memory.size());
    if (const uint32_t count = memory[i]) write(out, HistogramBin{static_cast<uint32_t>(i), count});
  }
  out.close();
  progress(memory.size(), memory.size());
}

void save_fifo(Board& board, const std::string& file, const Note& note) {
  require_fifo(board);
  const std::vector<uint32_t> words = read_slots(board);
  Output out(file);
  out.print("# SurfBoard FIFO: addresses of bins that overflowed, oldest first\n");
  size_t i = 0, stray = 0;
  while (i < words.size()) {
    const bool whole = words[i] & SURF_HFDR_LSB && i + 2 < words.size() && !(words[i + 1] & SURF_HFDR_LSB) &&
                       !(words[i + 2] & SURF_HFDR_LSB);
    if (!whole) {
      stray++;
      i++;
      continue;
    }
    write_fifo(out, (words[i] & 0xFF) | (words[i + 1] & 0xFF) << 8 | (words[i + 2] & 0xFF) << 16);
    i += 3;
  }
  out.close();
  if (stray > 0) note(fmt::format("{} bytes of the FIFO belong to no whole entry and are not saved", stray));
}

void load_trace(Board& board, const std::string& file, const Progress& progress) {
  const std::span<uint32_t> memory = present(board.trace(), "trace");
  const size_t slots = memory.size() / kEntryWords;
  Input in(file);
  TraceEntry entry;
  for (size_t n = 0; read(in, entry); n++) {
    if (entry.index >= slots)
      in.fail(fmt::format("index {:06X}: the trace memory has {:X} entries", entry.index, slots));
    for (size_t w = 0; w < kEntryWords; w++) memory[entry.index * kEntryWords + w] = entry.word[w];
    if (n % (kStep / kEntryWords) == 0) progress(n, 0);
  }
}

void load_histogram(Board& board, const std::string& file, const Progress& progress) {
  const std::span<uint32_t> memory = present(board.histogram(), "histogram");
  Input in(file);
  HistogramBin bin;
  for (size_t n = 0; read(in, bin); n++) {
    if (bin.address >= memory.size())
      in.fail(fmt::format("bin {:06X}: the histogram memory has {:X} bins", bin.address, memory.size()));
    memory[bin.address] = bin.count;
    if (n % kStep == 0) progress(n, 0);
  }
}

void load_fifo(Board& board, const std::string& file) {
  require_fifo(board);
  const size_t before = read_slots(board).size();
  std::vector<uint32_t> addresses;
  Input in(file);
  for (uint32_t address; read_fifo(in, address);) {
    addresses.push_back(address);
    if (before + 3 * addresses.size() > 3 * SURF_FIFO_ENTRIES)
      in.fail(fmt::format("no room: the FIFO takes {} bin addresses and {} of its bytes were in use",
                          SURF_FIFO_ENTRIES, before));
  }
  const Undisturbed turn;
  for (uint32_t address : addresses)
    for (unsigned byte = 0; byte < 3; byte++)
      board.put(SURF_HFDR, (address >> 8 * byte & 0xFF) | (byte == 0 ? SURF_HFDR_LSB : 0));
}

}  // namespace

std::span<uint32_t> present(std::span<uint32_t> memory, const char* what) {
  if (memory.empty())
    throw BoardError(fmt::format("this board has no {} memory: its SIMM socket is empty", what));
  return memory;
}

void clear_memory(Board& board, MemoryType type, const Progress& progress) {
  switch (type) {
    case MemoryType::trace: {
      const uint32_t absent[kEntryWords] = {0, 0, 0, SURF_TRACE3_P_MASK};
      fill(present(board.trace(), "trace"), absent, progress);
      break;
    }
    case MemoryType::histogram: {
      const uint32_t zero[1] = {0};
      fill(present(board.histogram(), "histogram"), zero, progress);
      break;
    }
    case MemoryType::fifo: {
      const Undisturbed turn;
      const uint32_t htcr = board.get(SURF_HTCR);
      board.put(SURF_HTCR, htcr | SURF_HTCR_FRS);
      board.put(SURF_HTCR, htcr & ~SURF_HTCR_FRS);
      break;
    }
  }
}

void load_memory(Board& board, MemoryType type, const std::string& file, const Progress& progress) {
  if (type == MemoryType::trace) load_trace(board, file, progress);
  if (type == MemoryType::histogram) load_histogram(board, file, progress);
  if (type == MemoryType::fifo) load_fifo(board, file);
}

void save_memory(Board& board, MemoryType type, const std::string& file, const Note& note,
                 const Progress& progress) {
  if (type == MemoryType::trace) save_trace(board, file, note, progress);
  if (type == MemoryType::histogram) save_histogram(board, file, progress);
  if (type == MemoryType::fifo) save_fifo(board, file, note);
}

namespace {

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
