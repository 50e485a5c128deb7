// SPDX-License-Identifier: GPL-2.0-or-later
//
// p2trace's files: what the driver's log gave, with what is needed to understand it.
//
//   LogWriter file(out, {info, sets, begun});
//   file.records(records, n); file.text(kKernelTrace, ...);
//   LogReader log(in);                      FileError: it is no such file, or is cut off
//   while (log.next()) log.record() ...
//
// A file is little-endian: "P2LOG1\n", then parts, each with kind and length (32 bits each): the head,
// events' names, records, names of the kernel's events, text of the kernel's own trace.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "guest/common/input.h"
#include "guest/common/output.h"
#include "guest/power2/lib/p2lib.h"

namespace perfboard::p2 {

enum class Part : uint32_t { kHead = 1, kRecords = 2, kEventNames = 3, kKernelTrace = 4, kEvents = 5 };

struct LogHead {
  p2_info info{};
  uint64_t begun_ns = 0;  // CLOCK_MONOTONIC, when the session was enabled
  std::vector<p2_set> sets;
  std::vector<std::string> events;  // that were asked for
};

class LogWriter {
 public:
  LogWriter(Output& out, const LogHead& head);
  void records(const p2_record* records, size_t count);
  void text(Part part, std::string_view text);

 private:
  void part(Part part, const void* data, size_t size);
  Output& out_;
};

class LogReader {
 public:
  explicit LogReader(const std::string& name);
  const LogHead& head() const { return head_; }
  bool next();  // the next record
  const p2_record& record() const { return records_[at_ - 1]; }
  // As far as they have been read: all when next() has said false.
  const std::string& kernel_trace() const { return kernel_trace_; }
  std::string event_name(uint32_t id) const;
  const std::string& name() const { return in_.name(); }

 private:
  bool part();
  void exactly(void* to, size_t size);
  [[noreturn]] void fail(const char* what) const;

  ByteInput in_;
  LogHead head_;
  std::vector<p2_record> records_;
  size_t at_ = 0;
  std::map<uint32_t, std::string> event_names_;
  std::string kernel_trace_;
};

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
