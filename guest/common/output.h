// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the tools write: standard output, or a file that is there only when it is whole.
//
//   Output out("run.csv");                 // "-" is standard output
//   out.write("a,"); out.number(5); out.put('\n');
//   out.print("{},{}\n", a, b);            // by fmt: easier to read, ten times as slow
//   out.close();                           // reports what did not get written
//   Output error(2, "<stderr>");           // an open descriptor: needs no /dev
//
// A file is written under another name in the same folder, or without one. close() gives it its name. Until
// then a file of that name stays as it was, and for good if close() is not reached. The new file has the
// permissions of any new file. A symbolic link stays and the file behind it is replaced.
// A device, a pipe and a socket are written directly. /dev/stdout and /dev/fd/N are the descriptors
// themselves, as "-" is. A terminal gets safe text.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace perfboard {

class Output {
 public:
  explicit Output(std::string name);
  Output(int descriptor, std::string name);  // the name is for messages; it stays open
  ~Output();                                 // without close(): a file is not made
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view text) {
    if (text.size() > room()) return write_long(text);
    memcpy(at_, text.data(), text.size());
    at_ += text.size();
  }
  // In quotation marks, as it is; a short text.
  void quoted(std::string_view text) {
    need(text.size() + 2);
    *at_++ = '"';
    memcpy(at_, text.data(), text.size());
    at_ += text.size();
    *at_++ = '"';
  }
  void put(char c) {
    need(1);
    *at_++ = c;
  }
  void number(std::integral auto value) {
    need(kNumber);
    at_ = std::to_chars(at_, at_ + kNumber, value).ptr;
  }
  void number(double value, int digits);            // as printf's %.*g
  void hex(uint64_t value, unsigned digits);        // lower case
  void hex_upper(uint64_t value, unsigned digits);  // what does not fit in the digits is left out
  // Decimal, at the right of so many columns.
  void number_right(uint64_t value, size_t width);
  template <typename... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::memory_buffer text;
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
    write({text.data(), text.size()});
  }

  // Hands on what is there so far, unless it goes to a file that has no name yet.
  void show();
  // The tool has failed: standard output, or a device, gets what came before, a file does not come.
  void give_up() noexcept;
  void close();  // for the second time: nothing

 private:
  static constexpr size_t kBlock = 1 << 20, kNumber = 24;
  size_t room() const { return static_cast<size_t>(buffer_.get() + kBlock - at_); }
  void need(size_t bytes) {
    if (room() < bytes) drain();
  }
  void open_file();
  void open_temporary();
  void name_temporary();
  void write_long(std::string_view text);
  void drain();

  std::string name_;    // for messages
  std::string path_;    // of a file that is to be replaced, without symbolic links; else empty
  std::string hidden_;  // the name that it has until then; empty: none
  int fd_ = 1;
  bool owned_ = false;
  std::unique_ptr<char[]> buffer_;
  char* at_;
};

// Text of others for a terminal: what is no character to see, or no UTF-8, becomes \xNN; tabs and line ends
// stay.
std::string safe(std::string_view text);

// Whether writing to `output` would destroy `input`: the same file, not a device or a pipe. "-" is standard
// input or output.
bool is_same_file(const std::string& input, const std::string& output);

// To be called first by a program. A file that is opened must not become standard output or error because
// they were closed: what takes their place refuses to be read or written.
void hold_standard_descriptors();

}  // namespace perfboard
