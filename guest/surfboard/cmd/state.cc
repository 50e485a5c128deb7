// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/surfboard/cmd/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <new>

#include "guest/common/input.h"
#include "guest/surfboard/cmd/port.h"
#include "guest/surfboard/cmd/registers.h"
#include "guest/surfboard/cmd/show.h"
#include "guest/surfboard/cmd/state_file.h"

namespace perfboard::prompt {
namespace {

constexpr uint32_t kCollect = SURF_HTCR_TEN | SURF_HTCR_HEN | SURF_HTCR_WEN;
constexpr uint32_t kHeld = SURF_HTCR_PRS | SURF_HTCR_FRS;

// The collection stands still while one of these lives.
class Paused {
 public:
  explicit Paused(Board& board) : board_(board) {
    const uint32_t conditions = board.get(SURF_ISCR);
    htcr_ = board.get(SURF_HTCR);
    if (!(htcr_ & kCollect)) return;
    board.put(SURF_HTCR, htcr_ & ~kCollect);
    // The trigger packet may have come between the two accesses, and TRG was written back as 0.
    if (board.get(SURF_ISCR) & ~conditions & SURF_ISCR_TP) htcr_ |= SURF_HTCR_TRG;
  }
  ~Paused() {
    try {
      if (htcr_ & kCollect) board_.put(SURF_HTCR, htcr_);
    } catch (const BoardError&) {
      // A board that is gone collects no more.
    }
  }
  Paused(const Paused&) = delete;
  Paused& operator=(const Paused&) = delete;
  uint32_t htcr() const { return htcr_; }

 private:
  Board& board_;
  uint32_t htcr_;
};

RegisterValues read_registers(Board& board, uint32_t htcr) {
  RegisterValues values;
  for (const RegisterInfo& reg : all_registers()) {
    if (!reg.shown()) continue;
    if (reg.offset == SURF_HTCR)
      values[reg.offset] = htcr;
    else if (reg.kind == RegisterKind::fifo_offset && htcr & SURF_HTCR_FRS)
      values[reg.offset] = kResetOffsets;
    else
      values[reg.offset] = read_register(board, reg);
  }
  return values;
}

// Written to once, so that no page of it comes while the board is paused.
std::vector<uint32_t> room(size_t words) {
  try {
    return std::vector<uint32_t>(words);
  } catch (const std::bad_alloc&) {
    throw BoardError(fmt::format("no room for a copy of {} bytes of the board's memory", 4 * words));
  }
}

// Setting TRG sets TP if TEN was 1 before; a full trace sets TC if TEN is 1 (p. 58, p. 59). The trace's mode
// is 0 here.
void latch_conditions(Board& board, uint32_t iscr) {
  board.put(SURF_TTCR, 0);
  board.put(SURF_TECR, 0);
  board.put(SURF_ISCR, SURF_ISCR_W1C & ~iscr);
  if (!(iscr & (SURF_ISCR_TP | SURF_ISCR_TC))) return;
  board.put(SURF_HTCR, kHeld | SURF_HTCR_TEN);
  if (iscr & SURF_ISCR_TP) board.put(SURF_HTCR, kHeld | SURF_HTCR_TEN | SURF_HTCR_TRG);
  if (iscr & SURF_ISCR_TC) board.put(SURF_TECR, SURF_TECR_DATA_MASK);
  board.put(SURF_HTCR, kHeld);
}

void put_registers(Board& board, const State& state) {
  const RegisterValues& saved = state.registers;
  write_acdr(board, saved[SURF_ACDR]);  // TSIZE says how much of TICR there is
  latch_conditions(board, saved[SURF_ISCR]);
  for (const uint32_t offset : {SURF_ECDR, SURF_TTCR, SURF_PCLR, SURF_TPIR, SURF_TICR, SURF_TECR, SURF_WCDR})
    board.put(offset, saved[offset]);
  board.put(SURF_ISCR, SURF_ISCR_EXT & ~saved[SURF_ISCR]);  // TTCR's polarity may have made the input TRUE
  const uint32_t stopped = (saved[SURF_HTCR] & ~kCollect) | SURF_HTCR_PRS;
  board.put(SURF_HTCR, stopped);
  if (stopped & SURF_HTCR_FRS) return;
  write_offsets(board, saved[SURF_HFCR]);
  write_slots(board, state.fifo);
}

}  // namespace

void save_state(Board& board, const std::string& file, const Progress& progress) {
  StateWriter out(file);
  const auto trace = board.trace(), histogram = board.histogram();
  std::vector<uint32_t> trace_copy = room(trace.size()), histogram_copy = room(histogram.size());
  State state;
  {
    const Undisturbed whole;
    const Paused paused(board);
    std::ranges::copy(trace, trace_copy.begin());
    std::ranges::copy(histogram, histogram_copy.begin());
    state.registers = read_registers(board, paused.htcr());
    if (!(paused.htcr() & SURF_HTCR_FRS)) state.fifo = read_slots(board);
  }
  out.registers(state.registers);
  out.fifo(state.fifo);
  out.memory(kTraceMemory, trace_copy, progress);
  out.memory(kHistogramMemory, histogram_copy, progress);
  out.close();
}

void load_state(Board& board, const std::string& file, const Note& note, const Progress& progress) {
  if (std::error_code none; !std::filesystem::is_regular_file(file, none))
    if (std::filesystem::exists(file, none) || file == "-")
      throw FileError(fmt::format("{}: expected a file, as it is read twice", file));
  const auto trace = board.trace(), histogram = board.histogram();
  const State state = read_state(file, trace, histogram, Fill::no, progress);
  const RegisterValues& saved = state.registers;
  if (saved[SURF_FCCR] & ~board.get(SURF_FCCR) & SURF_FCCR_DONE)
    throw BoardError("the state is of a board with a configured selector (FCCR.DONE): FPGA <filename> first");
  board.put(SURF_IEMR, 0);
  board.put(SURF_HTCR, kHeld);
  read_state(file, trace, histogram, Fill::yes, progress);
  put_registers(board, state);
  const uint32_t lost = saved[SURF_ISCR] & ~board.get(SURF_ISCR);
  board.put(SURF_IEMR, saved[SURF_IEMR]);
  board.put(SURF_HTCR, saved[SURF_HTCR]);
  if (lost)
    note(fmt::format("ISCR had{}, which no register sets: not restored",
                     show_fields(*find_register("ISCR"), lost)));
}

}  // namespace perfboard::prompt
