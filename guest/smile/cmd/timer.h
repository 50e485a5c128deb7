// SPDX-License-Identifier: GPL-2.0-or-later
//
// A descriptor that can be read whenever an interval of so many seconds is over: for run_program().
#pragma once

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "guest/smile/cmd/cards.h"

namespace perfboard::smile {

class Timer {
 public:
  explicit Timer(double seconds) : fd_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
    const double whole = std::floor(seconds);
    const timespec every{static_cast<time_t>(whole),
                         std::max(1L, static_cast<long>((seconds - whole) * 1e9))};  // 0 is never
    const itimerspec times{every, every};
    if (fd_ < 0 || timerfd_settime(fd_, 0, &times, nullptr)) throw system_failure("timerfd");
  }
  ~Timer() { close(fd_); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  int descriptor() const { return fd_; }
  // Since it was asked last.
  bool over() const {
    uint64_t times;
    return ::read(fd_, &times, sizeof times) == sizeof times;
  }

 private:
  int fd_;
};

}  // namespace perfboard::smile
