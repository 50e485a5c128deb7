// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/tools/trace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace perfboard {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr char kHex[] = "0123456789ABCDEF";

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

uint32_t hex_field(const Input& in, std::string_view word, unsigned digits, std::string_view what) {
  uint32_t value = 0;
  bool good = word.size() <= digits;
  for (size_t i = 0; good && i < word.size(); i++) {
    const int d = digit(word[i]);
    good = d >= 0;
    value = value << 4 | static_cast<uint32_t>(d & 15);
  }
  if (!good) in.fail(fmt::format("{} is {}: expected {} hexadecimal digits", what, show_word(word), digits));
  return value;
}

void put_hex(fmt::memory_buffer& buffer, uint32_t value, unsigned digits, char after) {
  char text[9];
  for (unsigned i = digits; i-- > 0; value >>= 4) text[i] = kHex[value & 15];
  text[digits] = after;
  buffer.append(text, text + digits + 1);
}

// The next record's fields; their number must be right.
bool record(Input& in, std::vector<std::string_view>& fields, size_t wanted, std::string_view format) {
  if (!in.fields(fields)) return false;
  if (fields.size() != wanted)
    in.fail(
        fmt::format("{} field{} where a line is {}", fields.size(), fields.size() == 1 ? "" : "s", format));
  return true;
}

}  // namespace

std::string show_word(std::string_view word) {
  std::string text = "'";
  for (char c : word.substr(0, 24)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + (word.size() > 24 ? "...'" : "'");
}

Input::Input(std::string name) : name_(std::move(name)), fd_(0), buffer_(1 << 20) {
  if (name_ == "-") {
    name_ = "<stdin>";
    return;
  }
  fd_ = open(name_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) throw FileError(fmt::format("{}: {}", name_, strerror(errno)));
}

Input::~Input() {
  if (fd_ > 0) ::close(fd_);
}

void Input::fail(std::string_view what) const {
  throw FileError(fmt::format("{}:{}: {}", name_, number_, what));
}

bool Input::fill() {
  if (eof_) return false;
  if (begin_ > 0) {
    memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  ssize_t got;
  do got = ::read(fd_, buffer_.data() + end_, buffer_.size() - end_);
  while (got < 0 && errno == EINTR);
  if (got < 0) throw FileError(fmt::format("{}: {}", name_, strerror(errno)));
  eof_ = got == 0;
  end_ += static_cast<size_t>(got);
  return !eof_;
}

bool Input::line(std::string_view& text) {
  size_t searched = 0;
  for (;;) {
    const char* from = buffer_.data() + begin_;
    const void* newline = memchr(from + searched, '\n', end_ - begin_ - searched);
    if (newline) {
      const size_t length = static_cast<size_t>(static_cast<const char*>(newline) - from);
      text = {from, length};
      begin_ += length + 1;
      break;
    }
    searched = end_ - begin_;
    if (fill()) continue;
    if (begin_ == end_) return false;
    text = {buffer_.data() + begin_, end_ - begin_};
    begin_ = end_;
    break;
  }
  number_++;
  if (columns_ && text.size() > columns_) text = text.substr(0, columns_);
  return true;
}

bool Input::content(std::string_view& text) {
  while (line(text)) {
    text = text.substr(0, text.find('#'));
    const size_t first = text.find_first_not_of(kBlanks);
    if (first == text.npos) continue;
    text = text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
    return true;
  }
  return false;
}

bool Input::fields(std::vector<std::string_view>& out) {
  std::string_view text;
  if (!content(text)) return false;
  out.clear();
  while (!text.empty()) {
    const size_t end = text.find_first_of(kBlanks);
    out.push_back(text.substr(0, end));
    const size_t next = end == text.npos ? text.npos : text.find_first_not_of(kBlanks, end);
    text = next == text.npos ? std::string_view{} : text.substr(next);
  }
  return true;
}

bool read(Input& in, TraceEntry& entry) {
  thread_local std::vector<std::string_view> fields;
  if (!record(in, fields, 5, "a 6-digit index and four 8-digit words")) return false;
  constexpr std::string_view kNames[] = {"word 0", "word 1", "word 2", "word 3"};
  entry.index = hex_field(in, fields[0], 6, "the index");
  for (size_t i = 0; i < 4; i++) entry.word[i] = hex_field(in, fields[i + 1], 8, kNames[i]);
  return true;
}

bool read(Input& in, HistogramBin& bin) {
  thread_local std::vector<std::string_view> fields;
  if (!record(in, fields, 2, "a 6-digit bin address and an 8-digit count")) return false;
  bin.address = hex_field(in, fields[0], 6, "the bin address");
  bin.count = hex_field(in, fields[1], 8, "the count");
  return true;
}

bool read_fifo(Input& in, uint32_t& address) {
  thread_local std::vector<std::string_view> fields;
  if (!record(in, fields, 1, "a 6-digit bin address")) return false;
  address = hex_field(in, fields[0], 6, "the bin address");
  return true;
}

Output::Output(std::string name) : name_(std::move(name)), fd_(1) {
  if (name_ == "-") {
    name_ = "<stdout>";
    return;
  }
  fd_ = open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd_ < 0) throw FileError(fmt::format("{}: {}", name_, strerror(errno)));
}

Output::~Output() {
  if (fd_ > 1) ::close(fd_);
}

void Output::flush() {
  const char* from = buffer_.data();
  size_t left = buffer_.size();
  while (left > 0) {
    const ssize_t done = ::write(fd_, from, left);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw FileError(fmt::format("{}: {}", name_, strerror(errno)));
    from += done;
    left -= static_cast<size_t>(done);
  }
  buffer_.clear();
}

void Output::close() {
  flush();
  const int fd = std::exchange(fd_, -1);
  if (fd > 1 && ::close(fd) != 0) throw FileError(fmt::format("{}: {}", name_, strerror(errno)));
}

void Output::write(std::string_view text) {
  buffer_.append(text.data(), text.data() + text.size());
  if (buffer_.size() >= kBlock) flush();
}

void Output::put(const TraceEntry& entry) {
  put_hex(buffer_, entry.index, 6, ' ');
  for (size_t i = 0; i < 4; i++) put_hex(buffer_, entry.word[i], 8, i < 3 ? ' ' : '\n');
  if (buffer_.size() >= kBlock) flush();
}

void Output::put(const HistogramBin& bin) {
  put_hex(buffer_, bin.address, 6, ' ');
  put_hex(buffer_, bin.count, 8, '\n');
  if (buffer_.size() >= kBlock) flush();
}

void Output::put_fifo(uint32_t address) {
  put_hex(buffer_, address, 6, '\n');
  if (buffer_.size() >= kBlock) flush();
}

}  // namespace perfboard
