// SPDX-License-Identifier: GPL-2.0-or-later
//
// surf save and surf load: the whole board in one file (3.7), but for the bitstream.
//
// What each does, and what the file has: README.md. The conditions of ISCR that a load cannot set it tells to
// `note`. Errors are FileError or BoardError.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "guest/common/output.h"
#include "guest/surfboard/cmd/memory.h"
#include "guest/surfboard/regs.h"

namespace perfboard::prompt {

// The file: text that can be read and compared.
//
//   StateWriter out("run.state");
//   out.registers(values); out.fifo(slots);
//   out.memory(kTraceMemory, words, progress); out.memory(kHistogramMemory, words, progress);
//   out.close();
//
//   State s = read_state("run.state", trace, histogram, Fill::no, progress);    // only looks
//   read_state("run.state", trace, histogram, Fill::yes, progress);             // fills the memories, too
//
// Reading asks of every line that it is the one that can stand there, of the memories that they are as large
// as the board's, and of the last line that it has the sum of all others. FileError names file and line.

// By offset. ACDR and HFCR are what stands behind their ports, as board.h has it.
class RegisterValues {
 public:
  uint32_t& operator[](uint32_t offset) { return value_.at(offset / 4); }
  uint32_t operator[](uint32_t offset) const { return value_.at(offset / 4); }

 private:
  std::array<uint32_t, SURF_REG_BYTES / 4> value_{};
};

struct State {
  RegisterValues registers;
  std::vector<uint32_t> fifo;  // slots of nine bits, oldest first
};

// A memory in the file: its section's name, and how many words a line has.
struct MemoryFormat {
  std::string_view name;
  size_t words;
};
inline constexpr MemoryFormat kTraceMemory = {"TRACE", SURF_TRACE_BYTES / 4};
inline constexpr MemoryFormat kHistogramMemory = {"HISTOGRAM", 1};

// Of the fields of all lines, so that comments and blanks do not count. FNV-1a: one changed character changes
// it.
class StateSum {
 public:
  void field(std::string_view text) {
    for (const char c : text) add(static_cast<uint8_t>(c));
    add(' ');
  }
  uint32_t value() const { return value_; }

 private:
  void add(uint8_t byte) { value_ = (value_ ^ byte) * 16777619u; }
  uint32_t value_ = 2166136261u;
};

class StateWriter {
 public:
  explicit StateWriter(const std::string& file);
  void registers(const RegisterValues& values);
  void fifo(std::span<const uint32_t> slots);
  void memory(const MemoryFormat& format, std::span<const uint32_t> words, const Progress& progress);
  void close();

 private:
  void field(std::string_view text);
  void hex(uint32_t value, unsigned digits);
  void end_line();
  Output out_;
  StateSum sum_;
  bool in_line_ = false;
};

enum class Fill : bool { no, yes };
State read_state(const std::string& file, std::span<uint32_t> trace, std::span<uint32_t> histogram, Fill fill,
                 const Progress& progress);

void save_state(Board& board, const std::string& file, const Progress& progress);
void load_state(Board& board, const std::string& file, const Note& note, const Progress& progress);

}  // namespace perfboard::prompt
