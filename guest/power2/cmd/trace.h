// SPDX-License-Identifier: GPL-2.0-or-later
//
// p2trace's commands.
#pragma once

#include <string>
#include <vector>

#include "guest/power2/cmd/counting.h"
#include "guest/power2/cmd/log.h"

namespace perfboard::p2 {

struct TraceWords {
  Choice choice;
  std::string log = "p2trace.log", tick, ftrace, input = "-", output = "-";
  bool no_switch = false, hooks = false, csv = false, idle = false;
  unsigned records = 0;
  std::vector<std::string> command, rules, when;
};

int trace_record(const TraceWords& w);  // exit code
void trace_csv(LogReader& log, Output& out);
void trace_summary(LogReader& log, Output& out, const TraceWords& w);
void trace_json(LogReader& log, Output& out);

// The kernel's own trace (tracefs) of these events, while the object is there.
class KernelTrace {
 public:
  explicit KernelTrace(const std::string& events);
  ~KernelTrace();
  KernelTrace(const KernelTrace&) = delete;
  KernelTrace& operator=(const KernelTrace&) = delete;
  std::string text();  // stops it

 private:
  bool on_ = false;
};

}  // namespace perfboard::p2
