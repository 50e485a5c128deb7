// SPDX-License-Identifier: GPL-2.0-or-later
//
// Trace, histogram and FIFO files (TR-596-99, B.2.2) - one reader and one writer for surf and the tools.
//
//   Input in("run1.trace");                    // "-" is standard input
//   for (TraceEntry e; read(in, e);) ...       // false at the end; FileError names file and line
//   Output out("-");                           // "-" is standard output
//   out.put(e); out.print("{},{}\n", a, b); out.close();  // close() reports what did not get written
//
//   trace      IIIIII w0 w1 w2 w3    index and the four words of A.7, 6 and 8 hex digits
//   histogram  AAAAAA CCCCCCCC       bin address and count
//   FIFO       AAAAAA                a bin address, first in first; INFERRED: the paper names no format
//
// '#' begins a comment, blank lines are ignored, fields are separated by blanks or tabs, and a line
// may end in CR LF. Leading zeros may be left out; more digits than the format has are an error.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "guest/include/surfboard_regs.h"

namespace perfboard {

struct TraceEntry {
  uint32_t index = 0;
  std::array<uint32_t, 4> word{};

  uint32_t sender() const { return SURF_GET(TRACE0_SENDER, word[0]); }
  bool overflow() const { return word[0] & SURF_TRACE0_V; }
  bool underflow() const { return word[0] & SURF_TRACE0_U; }
  uint32_t latency() const { return SURF_GET(TRACE0_LATENCY, word[0]); }
  uint32_t category() const { return SURF_GET(TRACE1_CATEGORY, word[1]); }
  uint32_t color() const { return SURF_GET(TRACE1_COLOR, word[1]); }
  uint64_t receive_time() const { return uint64_t{SURF_GET(TRACE1_RTIME, word[1])} << 32 | word[2]; }
  bool interrupt() const { return word[3] & SURF_TRACE3_I; }
  uint32_t presence() const { return SURF_GET(TRACE3_P, word[3]); }
  uint32_t byte_enables() const { return SURF_GET(TRACE3_BE, word[3]); }
  uint32_t address() const { return SURF_GET(TRACE3_ADDRESS, word[3]) << 2; }
  uint32_t page() const { return address() >> 12; }
  // Payload words as the 10-bit counter has them.
  uint32_t raw_size() const { return SURF_GET(TRACE1_SIZE, word[1]); }
  // INFERRED: a packet has at least one word and at most 1024 (a page), so the counter's 0 is 1024.
  uint32_t size() const { return raw_size() ? raw_size() : 1024; }

  bool operator==(const TraceEntry&) const = default;
};

struct HistogramBin {
  uint32_t address = 0;  // 24 bits
  uint32_t count = 0;
  bool operator==(const HistogramBin&) const = default;
};

// What is wrong, with "file:line: " in front where a line is to blame.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Lines of a file, in blocks of a megabyte.
class Input {
 public:
  explicit Input(std::string name);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // Cut every line to so many characters before it is looked at (rxtVlat: 80).
  void truncate(size_t columns) { columns_ = columns; }
  // The next line without its end; valid until the next call.
  bool line(std::string_view& text);
  // The next line that holds something else than blanks and a comment, without these.
  bool content(std::string_view& text);
  // The same, split at blanks into the fields of a record.
  bool fields(std::vector<std::string_view>& out);
  // Number of the last line, from 1.
  unsigned long number() const { return number_; }
  const std::string& name() const { return name_; }
  [[noreturn]] void fail(std::string_view what) const;

 private:
  bool fill();
  std::string name_;
  int fd_;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0, columns_ = 0;
  unsigned long number_ = 0;
  bool eof_ = false;
};

bool read(Input& in, TraceEntry& entry);
bool read(Input& in, HistogramBin& bin);
bool read_fifo(Input& in, uint32_t& address);

class Output {
 public:
  explicit Output(std::string name);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void put(const TraceEntry& entry);
  void put(const HistogramBin& bin);
  void put_fifo(uint32_t address);
  void write(std::string_view text);
  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() >= kBlock) flush();
  }
  void close();

 private:
  static constexpr size_t kBlock = 1 << 20;
  void flush();
  std::string name_;
  int fd_;
  fmt::memory_buffer buffer_;
};

// A word of a file for an error message: short, and printable whatever it holds.
std::string show_word(std::string_view word);

}  // namespace perfboard
