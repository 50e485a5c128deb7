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

#include <cstdint>
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

}  // namespace perfboard::p2
