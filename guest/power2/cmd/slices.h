// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the log's records mean: slices of a processor's time, each with the process that ran and what it
// counted.
//
//   Slicer slicer(log.head(), [&](const Slice& s) { ... });
//   while (log.next()) slicer.add(log.record());
//
// A record holds what its processor has counted so far in the set that is loaded; the difference to the one
// before on that processor is the slice's. When the driver goes on to the next set, what was counted since
// the last record is known only when that set's turn comes again: such a slice comes late, and the last one
// of each set never.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "guest/power2/cmd/log.h"

namespace perfboard::p2 {

struct Slice {
  unsigned cpu = 0;
  int pid = 0, tgid = 0;  // 0: idle
  std::string command;
  uint64_t begin_ns = 0, end_ns = 0;
  size_t set = 0;
  std::array<uint64_t, P2_COUNTERS> counts{};
  p2_record record{};  // at its end
};

const char* record_name(uint32_t type);  // switch, tick, hook, event, fork, exec, exit, set

class Slicer {
 public:
  Slicer(const LogHead& head, std::function<void(const Slice&)> emit) : head_(head), emit_(std::move(emit)) {}
  void add(const p2_record& record);

 private:
  using Counters = std::array<uint64_t, P2_COUNTERS>;
  struct Late {
    bool there = false;
    Slice slice;
  };
  struct Cpu {
    size_t set = 0;
    uint64_t time_ns;
    std::vector<Counters> totals;  // by set
    std::vector<Late> late;
  };
  Cpu& cpu_of(const p2_record& record);
  void count(Cpu& cpu, size_t set, const p2_record& record, Slice& slice) const;

  const LogHead& head_;
  const std::function<void(const Slice&)> emit_;
  std::map<uint32_t, Cpu> cpus_;
};

// The events of the log, and what a slice counted of one (NaN: its set does not count it).
class SliceEvents {
 public:
  explicit SliceEvents(const LogHead& head);
  const std::vector<std::string>& names() const { return names_; }
  double count(const Slice& slice, size_t event) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<int>> counter_;  // by set and event; -1: none
};

}  // namespace perfboard::p2
