// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/power2/cmd/program.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <utility>

#include "guest/power2/cmd/monitor.h"

namespace perfboard::p2 {
namespace {

[[noreturn]] void begin(const std::vector<std::string>& words, int gate) {
  char go;
  ssize_t got;
  do got = read(gate, &go, 1);
  while (got < 0 && errno == EINTR);
  if (got != 1) _exit(127);  // the tool has given up
  become("", words);
}

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
}

}  // namespace

double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

Program::Program(const std::vector<std::string>& words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) throw system_failure("pipe");
  std::fflush(nullptr);
  child_ = fork();
  if (child_ < 0) throw system_failure("fork");
  if (!child_) {
    close(ends[1]);
    begin(words, ends[0]);
  }
  close(ends[0]);
  gate_ = ends[1];
  ended_ = static_cast<int>(syscall(SYS_pidfd_open, child_, 0));
}

Program::~Program() {
  if (gate_ >= 0) {
    close(gate_);
    waitpid(child_, nullptr, 0);
  }
  if (ended_ >= 0) close(ended_);
}

void Program::go() {
  // A signal from the terminal is the program's: its end is ours.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGQUIT, SIG_IGN);
  begun_ = now();
  const char go = 1;
  if (write(gate_, &go, 1) != 1) throw system_failure("pipe");
  close(std::exchange(gate_, -1));
}

Ending Program::wait() {
  int status = 0;
  rusage usage{};
  while (wait4(child_, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  Ending ending;
  ending.elapsed = now() - begun_;
  ending.user = seconds(usage.ru_utime);
  ending.system = seconds(usage.ru_stime);
  ending.status = status_of(status);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGQUIT, SIG_DFL);
  return ending;
}

}  // namespace perfboard::p2
