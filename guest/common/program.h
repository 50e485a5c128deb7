// SPDX-License-Identifier: GPL-2.0-or-later
//
// A program that a tool runs, and waiting.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace perfboard {

// exec(). If it fails that is said, with `who` in front, and the status is a shell's.
[[noreturn]] inline void become(const char* who, const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  const int error = errno;
  std::fprintf(stderr, "%s%s: %s\n", who, argv[0], std::strerror(error));
  _exit(error == ENOENT ? 127 : 126);
}

// What wait() has told: the program's own, or 128 + n: ended by signal n.
inline int status_of(int told) { return WIFEXITED(told) ? WEXITSTATUS(told) : 128 + WTERMSIG(told); }

// While it is there, SIGINT and SIGTERM end a wait instead of the tool. flags: SA_RESTART: calls of the
// drivers go on.
class Interruptible {
 public:
  explicit Interruptible(int flags = 0) {
    came_ = 0;
    struct sigaction action{};
    action.sa_handler = [](int) { came_ = 1; };
    action.sa_flags = flags;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
  }
  ~Interruptible() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  static bool interrupted() { return came_; }
  // False: there was such a signal.
  bool wait(double seconds) const {
    timespec left = time_of(seconds);
    while (!came_ && nanosleep(&left, &left) && errno == EINTR) {
    }
    return !came_;
  }
  bool wait_until(double time) const {  // of CLOCK_MONOTONIC
    const timespec until = time_of(time);
    while (!came_ && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
    return !came_;
  }

 private:
  static timespec time_of(double seconds) {
    const double whole = std::floor(seconds);
    return {static_cast<time_t>(whole), static_cast<long>((seconds - whole) * 1e9)};
  }
  static inline volatile std::sig_atomic_t came_ = 0;
};

}  // namespace perfboard
