// SPDX-License-Identifier: GPL-2.0-or-later
//
// Logs as p2trace record writes them, for tests.
#pragma once

#include <string>
#include <vector>

#include "guest/power2/cmd/log.h"
#include "guest/power2/cmd/monitor.h"
#include "tests/unit/common/tools_fixture.h"

namespace perfboard::p2 {

struct RecordSpec {
  uint32_t type = P2_RECORD_SWITCH, cpu = 0;
  uint64_t clock = 0;
  int pid = 7;
  uint32_t set = 0;
  uint64_t cycles = 0, fpu0 = 0, icu0 = 0;
  std::string command{"worker"};
};

inline p2_record record(const RecordSpec& spec) {
  p2_record r{};
  r.type = spec.type;
  r.cpu = spec.cpu;
  r.clock_ns = spec.clock;
  r.pid = r.tgid = spec.pid;
  r.id = spec.set;
  r.counter[P2_CYCLES] = spec.cycles;
  r.counter[P2_FPU0] = spec.fpu0;
  r.counter[P2_ICU0] = spec.icu0;
  spec.command.copy(r.comm, sizeof(r.comm) - 1);
  return r;
}

inline LogHead head(const std::vector<uint32_t>& mmcr) {
  LogHead h;
  h.info.clock_hz = 66666667;
  h.begun_ns = 1000;
  for (uint32_t value : mmcr) h.sets.push_back({value, 0});
  h.events = {"flops", "cycles"};
  if (mmcr.size() > 1) h.events.push_back("fp_add");
  h.events.push_back("instructions");
  return h;
}

inline std::string write_log(const Folder& folder, const LogHead& log_head,
                             const std::vector<p2_record>& records, const std::string& names,
                             const std::string& kernel) {
  const std::string file = folder.file("p2trace.log");
  Output out(file);
  LogWriter log(out, log_head);
  log.text(Part::kEventNames, names);
  log.records(records.data(), records.size());
  log.text(Part::kKernelTrace, kernel);
  out.close();
  return file;
}

}  // namespace perfboard::p2
