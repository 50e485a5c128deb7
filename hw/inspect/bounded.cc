// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/inspect/bounded.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace perfboard::inspect {
namespace {

constexpr uint64_t kBlockBytes = 1 << 20;

int put(std::FILE* file, std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), file) == text.size() ? 0 : errno;
}

}  // namespace

// What show() has written goes.
int Bounded::take_back() {
  if (!shown_) return 0;
  shown_ = false;
  const bool done = !std::fflush(file_) && !ftruncate(fileno(file_), static_cast<off_t>(end_)) &&
                    !fseeko(file_, static_cast<off_t>(end_), SEEK_SET);
  return done ? 0 : errno;
}

bool Bounded::go_on(std::FILE* file) {
  const bool as_left = !fseeko(file, 0, SEEK_END) && ftello(file) == static_cast<off_t>(end_);
  if (as_left) file_ = file;
  return as_left;
}

int Bounded::show(std::string_view text) {
  if (const int error = take_back()) return error;
  shown_ = !text.empty();
  if (const int error = put(file_, text)) return error;
  return std::fflush(file_) ? errno : 0;
}

int Bounded::move(uint64_t from, uint64_t to, uint64_t bytes) {
  std::vector<char> block(std::min(bytes, kBlockBytes));
  while (bytes) {
    const ssize_t got =
        pread(fileno(file_), block.data(), std::min(bytes, kBlockBytes), static_cast<off_t>(from));
    if (got <= 0) return got ? errno : EIO;
    for (ssize_t at = 0; at < got;) {
      const ssize_t put = pwrite(fileno(file_), block.data() + at, static_cast<size_t>(got - at),
                                 static_cast<off_t>(to) + at);
      if (put < 0) return errno;
      at += put;
    }
    from += static_cast<uint64_t>(got);
    to += static_cast<uint64_t>(got);
    bytes -= static_cast<uint64_t>(got);
  }
  return 0;
}

int Bounded::make_room() {
  if (std::fflush(file_)) return errno;
  out_.add(next_);
  const std::string line = left_out_(out_, most_);
  const uint64_t kept = end_ - cut_;
  // A line of left_out() may have grown by what its numbers have; never by more than what goes.
  const uint64_t tail = head_ + line.size();
  if (const int error = move(cut_, tail, kept)) return error;
  if (pwrite(fileno(file_), line.data(), line.size(), static_cast<off_t>(head_)) !=
      static_cast<ssize_t>(line.size()))
    return errno ? errno : EIO;
  tail_ = tail;
  cut_ = end_ = tail + kept;
  next_ = last_;
  last_ = {};
  const bool done = !ftruncate(fileno(file_), static_cast<off_t>(end_)) &&
                    !fseeko(file_, static_cast<off_t>(end_), SEEK_SET);
  return done ? 0 : errno;
}

int Bounded::append(std::string_view text, const Told& told) {
  if (const int error = take_back()) return error;
  // A line that is longer than what may go stands alone, and the file is as much longer.
  while (most_ && end_ + text.size() > most_ && head_ && end_ > tail_) {
    if (!cut_) cut_ = end_;
    if (const int error = make_room()) return error;
  }
  if (const int error = put(file_, text)) return error;
  end_ += text.size();
  if (!head_) {
    if (end_ >= most_ / 2) head_ = tail_ = end_;
  } else if (!cut_) {
    next_.add(told);
    if (end_ >= most_ / 4 * 3) cut_ = end_;
  } else {
    last_.add(told);
  }
  return 0;
}

}  // namespace perfboard::inspect
