// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/common/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "guest/common/ranges.h"

namespace perfboard {

void system_error(const std::string& name) { throw FileError(fmt::format("{}: {}", name, strerror(errno))); }

std::string show_word(std::string_view word) {
  std::string text = "'";
  for (char c : word.substr(0, 24)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + (word.size() > 24 ? "...'" : "'");
}

ByteInput::ByteInput(std::string name) : name_(std::move(name)) {
  if (name_ == "-") {
    name_ = "<stdin>";
    return;
  }
  fd_ = open(name_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) system_error(name_);
  owned_ = true;
}

ByteInput::~ByteInput() {
  if (owned_) ::close(fd_);
}

size_t ByteInput::read(void* to, size_t size) {
  if (before_wait_) {
    pollfd ready = {fd_, POLLIN, 0};
    if (poll(&ready, 1, 0) == 0) before_wait_();
  }
  ssize_t got;
  do got = ::read(fd_, to, size);
  while (got < 0 && errno == EINTR);
  if (got < 0) system_error(name_);
  return static_cast<size_t>(got);
}

std::string read_all(const std::string& file) {
  ByteInput in(file);
  std::string text;
  char block[4096];
  while (const size_t got = in.read(block, sizeof block)) text.append(block, got);
  return text;
}

void ByteInput::make_seekable() {
  struct stat status;
  if (fstat(fd_, &status)) system_error(name_);
  if (S_ISREG(status.st_mode)) return;
  const std::string copy_name = name_ + " (temporary copy)";
  std::FILE* copy = std::tmpfile();
  if (!copy) system_error(copy_name);
  const int fd = dup(fileno(copy));
  std::fclose(copy);
  if (fd < 0) system_error(copy_name);
  std::vector<char> block(1 << 20);
  try {
    while (const size_t got = read(block.data(), block.size()))
      for (size_t done = 0; done < got;) {
        const ssize_t n = ::write(fd, block.data() + done, got - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) system_error(copy_name);
        done += static_cast<size_t>(n);
      }
  } catch (...) {
    ::close(fd);
    throw;
  }
  const int from = std::exchange(fd_, fd);
  if (std::exchange(owned_, true)) ::close(from);
  rewind();
}

void ByteInput::rewind() {
  if (lseek(fd_, 0, SEEK_SET) < 0) system_error(name_);
}

Input::Input(std::string name) : bytes_(std::move(name)), buffer_(1 << 20) {}

void Input::fail(std::string_view what) const {
  throw FileError(fmt::format("{}:{}: {}", name(), number_, what));
}

bool Input::fill() {
  if (eof_) return false;
  if (begin_ > 0) {
    memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const size_t got = bytes_.read(buffer_.data() + end_, buffer_.size() - end_);
  eof_ = got == 0;
  end_ += got;
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
    text = trim(text.substr(0, text.find('#')));
    if (text.empty()) continue;
    records_++;
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

}  // namespace perfboard
