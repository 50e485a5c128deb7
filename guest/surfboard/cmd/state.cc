// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/surfboard/cmd/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <new>

#include "guest/common/input.h"
#include "guest/surfboard/cmd/board.h"
#include "hw/model/number.h"

namespace perfboard::prompt {
namespace {

constexpr std::string_view kState = "STATE", kFifo = "FIFO", kEnd = "END", kTimes = "*";
constexpr uint32_t kVersion = 1;
constexpr unsigned kSlotDigits = 3, kIndexDigits = 6, kWordDigits = 8, kSlotsInLine = 16;
constexpr size_t kStep = 1 << 16;  // lines between two looks at the clock

// The bits that the file has: of ISCR, those that do not follow from something else.
uint32_t state_mask(const RegisterInfo& reg) { return reg.offset == SURF_ISCR ? SURF_ISCR_W1C : reg.mask(); }

class StateReader {
 public:
  explicit StateReader(const std::string& file) : in_(file) {}

  // The next line, which begins with this name, and has so many fields behind it.
  void line(std::string_view name, size_t values) {
    next(fmt::format("the line of {}", name));
    if (fields_[0] != name) in_.fail(fmt::format("{}: expected the line of {}", show_word(fields_[0]), name));
    if (fields_.size() - 1 != values)
      in_.fail(fmt::format("{} field{} behind {}, expected {}", fields_.size() - 1,
                           fields_.size() == 2 ? "" : "s", name, values));
  }
  void next(std::string_view wanted) {
    before_ = sum_;
    if (!in_.fields(fields_)) in_.fail(fmt::format("the file ends here: expected {}", wanted));
    for (const std::string_view field : fields_) sum_.field(field);
  }
  uint32_t hex(size_t field, unsigned digits, std::string_view what) const {
    uint32_t value = 0;
    const std::string_view word = fields_[field];
    if (word.size() != digits || !parse_integer(word, 16, value))
      fail(fmt::format("{} is {}: expected {} hexadecimal digits", what, show_word(word), digits));
    return value;
  }
  size_t fields() const { return fields_.size(); }
  std::string_view field(size_t i) const { return fields_[i]; }
  [[noreturn]] void fail(std::string_view what) const { in_.fail(what); }

  void version();
  RegisterValues registers();
  std::vector<uint32_t> fifo(uint32_t htcr);
  void memory(const MemoryFormat& format, std::span<uint32_t> words, Fill fill, const Progress& progress);
  void end();

 private:
  Input in_;
  std::vector<std::string_view> fields_;
  StateSum sum_, before_;  // with the last line and without it
};

void StateReader::version() {
  line(kState, 1);
  if (const uint32_t version = hex(1, 1, "the format's number"); version != kVersion)
    fail(fmt::format("format {}: this surf reads {}", version, kVersion));
}

RegisterValues StateReader::registers() {
  RegisterValues values;
  for (const RegisterInfo& reg : all_registers()) {
    if (!reg.shown()) continue;
    line(reg.name, 1);
    const uint32_t value = hex(1, kWordDigits, reg.name);
    if (value & ~state_mask(reg))
      fail(fmt::format("{} is {:08X}: expected no more than {:08X}, its bits", reg.name, value,
                       state_mask(reg)));
    if (reg.kind == RegisterKind::fifo_offset && values[SURF_HTCR] & SURF_HTCR_FRS && value != kResetOffsets)
      fail(fmt::format("{} is {:08X}: expected {:08X}, as HTCR.FRS is 1", reg.name, value, kResetOffsets));
    values[reg.offset] = value;
  }
  return values;
}

std::vector<uint32_t> StateReader::fifo(uint32_t htcr) {
  line(kFifo, 1);
  const uint32_t count = hex(1, kSlotDigits + 1, "the number of slots");
  const uint32_t most = htcr & SURF_HTCR_FRS ? 0 : kFifoSlots;
  if (count > most)
    fail(fmt::format("{:04X} slots: expected no more than {:04X}, with HTCR.FRS {}", count, most,
                     most ? 0 : 1));
  std::vector<uint32_t> slots;
  while (slots.size() < count) {
    next("slots of the FIFO");
    if (fields() > kSlotsInLine || fields() > count - slots.size())
      fail(fmt::format("{} slots in a line: expected {}", fields(),
                       std::min<size_t>(kSlotsInLine, count - slots.size())));
    for (size_t i = 0; i < fields(); i++) {
      const uint32_t slot = hex(i, kSlotDigits, "a slot");
      if (slot & ~(SURF_HFDR_LSB | SURF_HFDR_DATA_MASK))
        fail(fmt::format("slot {:03X}: expected no more than 1FF", slot));
      slots.push_back(slot);
    }
  }
  return slots;
}

void StateReader::memory(const MemoryFormat& format, std::span<uint32_t> words, Fill fill,
                         const Progress& progress) {
  line(format.name, 1);
  const size_t entries = words.size() / format.words;
  if (const uint32_t size = hex(1, kWordDigits, "the size"); size != entries)
    fail(fmt::format("a {} memory of {:08X} entries: this board's has {:08X}", format.name, size, entries));
  size_t done = 0;
  for (size_t lines = 0; done < entries; lines++) {
    next(fmt::format("entry {:06X} of {}", done, format.name));
    const bool run = fields() == format.words + 3 && field(format.words + 1) == kTimes;
    if (!run && fields() != format.words + 1)
      fail(fmt::format(
          "{} fields: expected an index and {} word{}, and no more but {} and a number of entries", fields(),
          format.words, format.words == 1 ? "" : "s", kTimes));
    if (const uint32_t index = hex(0, kIndexDigits, "the index"); index != done)
      fail(fmt::format("index {:06X}: expected {:06X}, the next one", index, done));
    std::array<uint32_t, SURF_TRACE_BYTES / 4> entry{};
    for (size_t w = 0; w < format.words; w++) entry[w] = hex(1 + w, kWordDigits, "a word");
    const size_t times = run ? hex(format.words + 2, kIndexDigits + 1, "the number of entries") : 1;
    if (times == 0 || times > entries - done)
      fail(fmt::format("{:07X} entries: expected 1 to {:07X}, what is left of the memory", times,
                       entries - done));
    if (fill == Fill::yes)
      for (size_t i = 0; i < times; i++)
        std::copy_n(entry.begin(), format.words,
                    words.begin() + static_cast<ptrdiff_t>((done + i) * format.words));
    if (lines % kStep == 0) progress(done, entries);
    done += times;
  }
  progress(entries, entries);
}

void StateReader::end() {
  line(kEnd, 1);
  if (const uint32_t sum = hex(1, kWordDigits, "the sum"); sum != before_.value())
    fail(fmt::format("the sum is {:08X}, the lines above have {:08X}: one of them was changed", sum,
                     before_.value()));
  if (in_.fields(fields_)) fail(fmt::format("{}: expected nothing behind {}", show_word(fields_[0]), kEnd));
}

}  // namespace

StateWriter::StateWriter(const std::string& file) : out_(file) {
  out_.print("# The whole SurfBoard, by surf save; surf load puts it back. Numbers are hexadecimal.\n");
  field(kState);
  hex(kVersion, 1);
  end_line();
}

void StateWriter::field(std::string_view text) {
  if (in_line_) out_.put(' ');
  in_line_ = true;
  out_.write(text);
  sum_.field(text);
}

void StateWriter::hex(uint32_t value, unsigned digits) {
  char text[kWordDigits];
  for (unsigned i = digits; i-- > 0; value >>= 4) text[i] = "0123456789ABCDEF"[value & 0xF];
  field({text, digits});
}

void StateWriter::end_line() {
  out_.put('\n');
  in_line_ = false;
}

void StateWriter::registers(const RegisterValues& values) {
  for (const RegisterInfo& reg : all_registers()) {
    if (!reg.shown()) continue;
    const uint32_t value = values[reg.offset] & state_mask(reg);
    field(reg.name);
    hex(value, kWordDigits);
    if (const std::string fields = show_fields(reg, value); !fields.empty()) out_.print("  #{}", fields);
    end_line();
  }
}

void StateWriter::fifo(std::span<const uint32_t> slots) {
  field(kFifo);
  hex(static_cast<uint32_t>(slots.size()), kSlotDigits + 1);
  for (size_t i = 0; i < slots.size(); i++) {
    if (i % kSlotsInLine == 0) end_line();
    hex(slots[i], kSlotDigits);
  }
  end_line();
}

void StateWriter::memory(const MemoryFormat& format, std::span<const uint32_t> words,
                         const Progress& progress) {
  const size_t entries = words.size() / format.words;
  field(format.name);
  hex(static_cast<uint32_t>(entries), kWordDigits);
  end_line();
  const auto entry = [&](size_t i) { return words.subspan(i * format.words, format.words); };
  size_t shown = 0;
  progress(0, entries);
  for (size_t first = 0; first < entries;) {
    size_t end = first + 1;
    while (end < entries && std::ranges::equal(entry(end), entry(first))) end++;
    hex(static_cast<uint32_t>(first), kIndexDigits);
    for (const uint32_t word : entry(first)) hex(word, kWordDigits);
    if (end - first > 1) {
      field(kTimes);
      hex(static_cast<uint32_t>(end - first), kIndexDigits + 1);
    }
    end_line();
    if (end - shown >= kStep) progress(shown = end, entries);
    first = end;
  }
  progress(entries, entries);
}

void StateWriter::close() {
  const uint32_t sum = sum_.value();
  field(kEnd);
  hex(sum, kWordDigits);
  end_line();
  out_.close();
}

State read_state(const std::string& file, std::span<uint32_t> trace, std::span<uint32_t> histogram, Fill fill,
                 const Progress& progress) {
  StateReader in(file);
  in.version();
  State state = {in.registers(), {}};
  state.fifo = in.fifo(state.registers[SURF_HTCR]);
  in.memory(kTraceMemory, trace, fill, progress);
  in.memory(kHistogramMemory, histogram, fill, progress);
  in.end();
  return state;
}

namespace {

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
