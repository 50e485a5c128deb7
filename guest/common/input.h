// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the tools read: bytes of a file or a pipe, and its lines.
//
//   ByteInput in("run.mk");                       // "-" is standard input
//   in.before_wait([&] { out.show(); });          // runs before a read that has to wait for a writer
//   while (const size_t got = in.read(to, size))  // 0 is the end; FileError names the file
//
//   Input lines("run1.trace");
//   for (std::string_view text; lines.content(text);) ...
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace perfboard {

// What is wrong, with "file:line: " in front where a line is to blame.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// FileError with the name and what errno says.
[[noreturn]] void system_error(const std::string& name);

class ByteInput {
 public:
  explicit ByteInput(std::string name);
  ~ByteInput();
  ByteInput(const ByteInput&) = delete;
  ByteInput& operator=(const ByteInput&) = delete;

  size_t read(void* to, size_t size);
  void before_wait(std::function<void()> action) { before_wait_ = std::move(action); }
  // Copies a pipe to a temporary file, so that it can be read again.
  void make_seekable();
  void rewind();
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  int fd_ = 0;
  bool owned_ = false;  // standard input stays open
  std::function<void()> before_wait_;
};

std::string read_all(const std::string& file);

// Lines of a file, in blocks of a megabyte.
class Input {
 public:
  explicit Input(std::string name);

  // Cut every line to so many characters before it is looked at (rxtVlat: 80).
  void truncate(size_t columns) { columns_ = columns; }
  void before_wait(std::function<void()> action) { bytes_.before_wait(std::move(action)); }
  // The next line without its end; valid until the next call.
  bool line(std::string_view& text);
  // The next line that holds something else than blanks and a comment, without these.
  bool content(std::string_view& text);
  // The same, split at blanks into the fields of a record.
  bool fields(std::vector<std::string_view>& out);
  // Number of the last line, from 1.
  unsigned long number() const { return number_; }
  // How many lines content() has given.
  unsigned long records() const { return records_; }
  const std::string& name() const { return bytes_.name(); }
  [[noreturn]] void fail(std::string_view what) const;

 private:
  bool fill();
  ByteInput bytes_;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0, columns_ = 0;
  unsigned long number_ = 0, records_ = 0;
  bool eof_ = false;
};

// A word of a file for an error message: short, and printable whatever it holds.
std::string show_word(std::string_view word);

}  // namespace perfboard
