// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/power2/cmd/slices.h"

#include <algorithm>
#include <limits>

namespace perfboard::p2 {

const char* record_name(uint32_t type) {
  static const char* const names[] = {"?", "switch", "tick", "hook", "event", "fork", "exec", "exit", "set"};
  return names[type < std::size(names) ? type : 0];
}

Slicer::Cpu& Slicer::cpu_of(const p2_record& r) {
  const auto [found, is_new] = cpus_.try_emplace(r.cpu);
  Cpu& cpu = found->second;
  if (is_new) {
    cpu.time_ns = std::min<uint64_t>(head_.begun_ns, r.clock_ns);
    cpu.totals.resize(head_.sets.size());
    cpu.late.resize(head_.sets.size());
  }
  return cpu;
}

// What the set has counted since it was last looked at. A total that has fallen: somebody reset the counters.
void Slicer::count(Cpu& cpu, size_t set, const p2_record& r, Slice& slice) const {
  Counters& total = cpu.totals[set];
  for (size_t i = 0; i < P2_COUNTERS; i++) {
    slice.counts[i] = r.counter[i] >= total[i] ? r.counter[i] - total[i] : r.counter[i];
    total[i] = r.counter[i];
  }
}

void Slicer::add(const p2_record& r) {
  Cpu& cpu = cpu_of(r);
  Slice slice;
  slice.cpu = r.cpu;
  slice.pid = r.pid;
  slice.tgid = r.tgid;
  slice.command = r.comm;
  slice.begin_ns = cpu.time_ns;
  slice.end_ns = std::max<uint64_t>(r.clock_ns, cpu.time_ns);
  slice.set = cpu.set;
  slice.record = r;
  cpu.time_ns = slice.end_ns;
  if (r.type != P2_RECORD_SET) {
    count(cpu, cpu.set, r, slice);
    return emit_(slice);
  }
  cpu.late[cpu.set] = {true, slice};
  if (r.id >= head_.sets.size()) return;
  cpu.set = r.id;
  Late& late = cpu.late[cpu.set];
  Slice ended = late.slice;
  count(cpu, cpu.set, r, ended);
  if (std::exchange(late.there, false)) emit_(ended);
}

SliceEvents::SliceEvents(const LogHead& head) : names_(head.events) {
  for (const p2_set& set : head.sets) {
    std::vector<int>& counters = counter_.emplace_back();
    for (const std::string& name : names_) counters.push_back(p2_counter_of(set.mmcr, name.c_str()));
  }
}

double SliceEvents::count(const Slice& slice, size_t event) const {
  const int counter = counter_[slice.set][event];
  return counter < 0 ? std::numeric_limits<double>::quiet_NaN()
                     : static_cast<double>(slice.counts[static_cast<size_t>(counter)]);
}

}  // namespace perfboard::p2
