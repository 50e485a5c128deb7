// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/power2/cmd/monitor.h"

#include <algorithm>
#include <cstdio>

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

const char* node_name(unsigned node) {
  static const char* const names[] = {"thin", "thin2", "wide"};
  return node < std::size(names) ? names[node] : "other";
}

}  // namespace perfboard::p2
