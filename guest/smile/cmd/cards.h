// SPDX-License-Identifier: GPL-2.0-or-later
//
// What smile's commands work on: the adapter, monitors, a histogram; smilelib with destructors.
#pragma once

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "guest/common/failure.h"
#include "guest/smile/lib/smilelib.h"

namespace perfboard::smile {

class Adapter {
 public:
  Adapter() {
    if (sci_open(&sci_, nullptr)) throw system_failure(SCI_DEVICE);
  }
  ~Adapter() { sci_close(&sci_); }
  Adapter(const Adapter&) = delete;
  Adapter& operator=(const Adapter&) = delete;

  const sci* get() const { return &sci_; }
  unsigned nodes() const { return sci_.info.nodes; }
  unsigned pages() const { return sci_.info.pages; }
  std::vector<uint8_t> homes() const;
  void set_home(unsigned page, unsigned home) const;

 private:
  sci sci_;
};

class Histogram {
 public:
  explicit Histogram(uint64_t unit_bytes);
  ~Histogram() { smile_histogram_free(h_); }
  Histogram(const Histogram&) = delete;
  Histogram& operator=(const Histogram&) = delete;

  smile_histogram* get() const { return h_; }
  uint64_t total() const { return smile_histogram_total(h_); }
  uint64_t lost() const { return smile_histogram_lost(h_); }
  uint64_t unit_bytes() const { return 4ull * smile_histogram_unit_words(h_); }
  std::vector<smile_cell> hottest() const;
  void clear() { smile_histogram_clear(h_); }

 private:
  smile_histogram* h_;
};

// The monitors that the user named, or all.
class Cards {
 public:
  explicit Cards(const std::string& list);
  ~Cards() { smile_close_all(set_.get()); }
  Cards(const Cards&) = delete;
  Cards& operator=(const Cards&) = delete;

  std::vector<::smile*> all();
  size_t count() const { return set_->count; }
  // Load the design where it is not loaded yet.
  void need(uint32_t design);
  void load(const std::string& name);
  void dynamic(uint64_t range_bytes, uint32_t filter);
  void reset();
  void run(bool on);
  bool running() const;
  void collect(Histogram& h, bool swap);

 private:
  std::unique_ptr<smile_set> set_;
};

const char* design_name(uint32_t design);

// A descriptor that can be read whenever an interval of so many seconds is over: for run_program().

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

// The page tables follow the pages while a program runs that distributes them itself.
//
// A program's SCI_IOC_SET_HOMES stops before the driver sees it (seccomp's user notification): the monitors
// get the new homes, then the call goes on. So nothing that comes after it is missed. Pages that get another
// home by a first touch, or from a program that this one did not start, cannot be followed: moved() tells of
// them.

class Follower {
 public:
  Follower(Cards& cards, const Adapter& adapter, const std::vector<smile_watch>& watches);

  // In the child, before it becomes the program. The descriptor at which its parent is told; -1: this kernel
  // has none.
  static int listen();
  // A call waits at that descriptor.
  void serve(int listener);
  // A line for each structure with pages that have moved unseen.
  std::vector<std::string> moved() const;

 private:
  void follow(int program, uint64_t argument);

  Cards& cards_;
  const Adapter& adapter_;
  const std::vector<smile_watch>& watches_;
  std::vector<uint8_t> homes_;  // as the page tables have them
};

}  // namespace perfboard::smile
