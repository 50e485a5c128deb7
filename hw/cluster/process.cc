// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "hw/cluster/segment.h"

namespace perfboard::cluster {

uint64_t start_of(uint32_t pid) {
  char name[48], text[1024];
  // Its first thread's, which is the process's. /proc/PID/stat would say the same, but where user emulation
  // answers for the kernel: of itself each thread reads when that thread began.
  std::snprintf(name, sizeof name, "/proc/%u/task/%u/stat", pid, pid);
  FILE* const f = std::fopen(name, "r");
  if (!f) return 0;
  const size_t n = std::fread(text, 1, sizeof text - 1, f);
  std::fclose(f);
  text[n] = 0;
  const char* at = std::strrchr(text, ')');  // of the program's name, which may hold anything
  unsigned long long start = 0;
  char state = 0;
  if (!at ||
      std::sscanf(at + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                  &state, &start) != 2)
    return 0;
  return state == 'Z' ? 0 : start;
}

bool claim(Node& node, std::string& wrong) {
  uint32_t state = kAway;
  if (node.state.compare_exchange_strong(state, kComes)) {
    node.pid = static_cast<uint32_t>(getpid());
    node.started = start_of(node.pid);
    return true;
  }
  // Whoever comes, or holds a place as a carrier does, writes `started` last: 0 is nobody's yet.
  const uint64_t started = node.started;
  wrong = started && (node.pid || state >= kHere) && start_of(node.pid) != started
              ? "is left over: the process that was that node has ended; remove it"
              : "has that node already";
  return false;
}

uint64_t host_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

std::string seconds(uint64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9f s", static_cast<double>(ns) / 1e9);
  return text;
}

namespace {

// A node that sleeps and needs that limit cannot go on before `whom` says something new: neither for its
// promise, nor because all are quiet.
bool holds(const Segment& segment, uint32_t whom, uint64_t needs) {
  const Node& node = segment.node(whom);
  return node.state == kHere && node.promise <= needs && node.alone <= needs;
}

// Another node is to wake that sleeper, when it says something new; whoever waited for this one may wait for
// that one from now on.
bool left_to_another(const Segment& segment, uint32_t n, uint32_t own) {
  Node& sleeper = segment.node(n);
  const uint64_t needs = sleeper.needs;
  uint32_t said = sleeper.waits_for, whom = said - 1;
  if (own == kNobody || whom >= segment.nodes) return false;
  if (whom != own) {
    const Node& node = segment.node(whom);
    return holds(segment, whom, needs) || (node.state == kHere && !node.waits_for);
  }
  // From the next one to this one: where nodes take turns, one of the first holds it.
  for (uint32_t left = segment.nodes; left; left--) {
    if (++whom == segment.nodes) whom = 0;
    if (whom == n || !holds(segment, whom, needs)) continue;
    if (!sleeper.waits_for.compare_exchange_strong(said, whom + 1)) return false;
    said = whom + 1;
    // It may have promised more, and looked at `waits_for` before it was named there.
    if (holds(segment, whom, needs)) return true;
  }
  return false;
}

}  // namespace

void wake_sleepers(const Segment& segment, uint32_t own) {
  for (uint32_t first = 0; first < segment.nodes; first += 64) {
    std::atomic<uint64_t>& sleepers = segment.header().sleepers[first / 64];
    uint64_t woken = sleepers;
    each_in_word(woken, first, segment.nodes, [&](uint32_t n) {
      if (left_to_another(segment, n, own)) woken &= ~(1ull << n % 64);
    });
    if (!woken) continue;
    each_in_word(sleepers.fetch_and(~woken) & woken, first, segment.nodes, [&](uint32_t n) {
      Node& node = segment.node(n);
      node.bell.fetch_add(1);
      syscall(SYS_futex, &node.bell, FUTEX_WAKE, 1, nullptr, nullptr, 0);
    });
  }
}

void ask_for_short_turns() {
  struct {
    uint32_t size = 48, policy = 0;
    uint64_t flags = 0;
    int32_t nice = 0;
    uint32_t priority = 0;
    uint64_t runtime = 0, deadline = 0, period = 0;
  } attributes;  // struct sched_attr, which glibc 2.36 does not have
  static_assert(sizeof attributes == 48);
  constexpr uint64_t kLeastNs = 100'000;  // that Linux grants
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) || attributes.policy != SCHED_OTHER)
    return;
  attributes.runtime = kLeastNs;
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace perfboard::cluster
