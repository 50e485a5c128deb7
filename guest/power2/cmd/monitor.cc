// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/power2/cmd/monitor.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace perfboard::p2 {

Monitor::Monitor(const std::string& device) {
  if (p2_connect(&session_, device.c_str())) throw system_failure(device);
}

Monitor::~Monitor() {
  if (unanswered_) {
    const std::string line =
        fmt::format("{}: a monitor did not answer {} times: what it counted meanwhile is missing\n",
                    P2_DEVICE, unanswered_);
    std::fputs(line.c_str(), stderr);
  }
  p2_end(&session_);
}

void Monitor::begin(p2_open how, const std::vector<p2_set>& sets) {
  how.set = reinterpret_cast<uintptr_t>(sets.data());
  how.sets = static_cast<uint32_t>(sets.size());
  if (!p2_begin(&session_, &how)) return;
  const int error = errno;
  std::string why = std::strerror(error);
  if (error == EBUSY)
    why = "another session, or perf, has the counters (`p2set --off` ends one that p2set has begun)";
  if (error == EPERM || error == EACCES)
    why += " (counting the kernel, or others' processes, needs CAP_PERFMON; --user leaves the kernel out)";
  if (error == ENOMEM)
    why += " (a session's memory counts against RLIMIT_MEMLOCK, unless one has CAP_IPC_LOCK)";
  if (error == ESRCH) why = fmt::format("there is no process {}", how.pid);
  throw Failure(fmt::format("{}: {}", P2_DEVICE, why));
}

bool Monitor::take(bool keep) {
  if (!p2_take(&session_, keep, nullptr)) return true;
  if (errno == ENOENT) return false;
  if (errno == EBUSY) throw Failure(fmt::format("{}: another p2set or p2read is at it", P2_DEVICE));
  throw system_failure(P2_DEVICE);
}

void Monitor::enable() {
  if (p2_enable(&session_)) throw system_failure("enable");
}

void Monitor::disable() {
  if (p2_disable(&session_)) throw system_failure("disable");
}

void Monitor::reset() {
  if (p2_reset(&session_)) throw system_failure("reset");
}

p2_counts Monitor::counts(int cpu) const {
  p2_counts counts;
  if (p2_get_counts(&session_, cpu, &counts)) throw system_failure("read");
  unanswered_ = std::max<uint64_t>(unanswered_, counts.set[0].unanswered);
  return counts;
}

Facts facts_of(const p2_info& i) {
  return {{"clock_hz", i.clock_hz},
          {"monitors", i.monitors},
          {"node", i.node},
          {"dcache_bytes", i.dcache_bytes},
          {"dcache_line", i.dcache_line},
          {"icache_bytes", i.icache_bytes},
          {"dcache_penalty", i.dcache_penalty},
          {"tlb_penalty", i.tlb_penalty},
          {"icache_penalty", i.icache_penalty},
          {"power", i.flags & P2_INFO_POWER ? 1 : 0}};
}

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
