// SPDX-License-Identifier: GPL-2.0-or-later
// p2trace json: the trace event format of Chrome and Perfetto.
//
// The process "processors" has a thread for each processor: who ran there when, what it counted, and the
// kernel's events. Each process that ran has threads of its own, with its hooks, and curves of its events'
// rates.
#include <algorithm>
#include <cmath>
#include <set>

#include "guest/common/json.h"
#include "guest/common/kernel_trace.h"
#include "guest/power2/cmd/slices.h"
#include "guest/power2/cmd/trace.h"

namespace perfboard::p2 {
namespace {

// Linux has no process of this number. Threads begin at 1, as some viewers take thread 0 for another.
constexpr int kProcessors = 0;

class Trace {
 public:
  Trace(LogReader& log, Output& out) : log_(log), events_(log.head()), json_(out) {
    json_.begin_timeline();
    json_.name("process_name", kProcessors, 0, "processors");
  }

  void add(const Slice& s) {
    if (cpus_.insert(s.cpu).second)
      json_.name("thread_name", kProcessors, cpu_thread(s.cpu), fmt::format("CPU {}", s.cpu));
    if (s.pid) {
      if (const auto known = names_.find(s.pid); known == names_.end() || known->second != s.command) {
        names_[s.pid] = s.command;
        json_.name("thread_name", s.tgid, s.pid, s.command);
        if (s.pid == s.tgid) json_.name("process_name", s.tgid, 0, s.command);
      }
      slice(s, kProcessors, cpu_thread(s.cpu), fmt::format("{} {}", s.command, s.pid));
      slice(s, s.tgid, s.pid, fmt::format("on CPU {}", s.cpu));
      rates(s);
    }
    const uint32_t type = s.record.type;
    if (type == P2_RECORD_HOOK || type == P2_RECORD_EVENT || type == P2_RECORD_FORK ||
        type == P2_RECORD_EXEC || type == P2_RECORD_EXIT)
      record(s);
  }

  void kernel(const std::string& text) {
    KernelLine line;
    for (size_t from = 0; from < text.size();) {
      const size_t end = std::min(text.find('\n', from), text.size());
      if (parse_kernel_line(std::string_view(text).substr(from, end - from), line)) {
        begin("i", kProcessors, cpu_thread(line.cpu), line.time_ns, line.event);
        json_.word("cat", "kernel");
        json_.word("s", "t");
        json_.begin_args();
        json_.field("pid", line.pid);
        json_.field("text", std::string_view(line.text));
        json_.end_args();
      }
      from = end + 1;
    }
  }

  void finish() {
    json_.end_timeline([&] {
      json_.word("source", "POWER2 performance monitor");
      json_.field("clock_hz", log_.head().info.clock_hz);
    });
  }

 private:
  static int cpu_thread(unsigned cpu) { return static_cast<int>(cpu) + 1; }

  void begin(Plain phase, int pid, int tid, uint64_t time_ns, std::string_view name) {
    json_.begin_event(phase, pid, tid);
    const uint64_t begun_ns = log_.head().begun_ns;  // when the session was enabled
    json_.us("ts", time_ns < begun_ns ? 0 : time_ns - begun_ns);
    json_.field("name", name);
  }

  void counts(const Slice& s) {
    for (size_t e = 0; e < events_.names().size(); e++) {
      const double n = events_.count(s, e);
      if (std::isnan(n)) continue;
      json_.String(events_.names()[e].c_str());
      json_.number(static_cast<uint64_t>(n));
    }
  }

  void slice(const Slice& s, int pid, int tid, const std::string& text) {
    begin("X", pid, tid, s.begin_ns, text);
    json_.us("dur", s.end_ns - s.begin_ns);
    json_.begin_args();
    counts(s);
    json_.end_args();
  }

  // Events a microsecond, from the slice's begin on; 0 when the process stops.
  void rates(const Slice& s) {
    if (s.end_ns == s.begin_ns) return;
    for (const bool end : {false, true}) {
      if (end && s.record.type != P2_RECORD_SWITCH && s.record.type != P2_RECORD_EXIT) continue;
      for (size_t e = 0; e < events_.names().size(); e++) {
        const double n = events_.count(s, e);
        if (std::isnan(n)) continue;
        begin("C", s.tgid, s.pid, end ? s.end_ns : s.begin_ns, events_.names()[e] + " /us");
        json_.begin_args();
        json_.field("rate", end ? 0.0 : n * 1000 / static_cast<double>(s.end_ns - s.begin_ns));
        json_.end_args();
      }
    }
  }

  void record(const Slice& s) {
    const p2_record& r = s.record;
    const std::string text = r.type == P2_RECORD_EVENT  ? log_.event_name(r.id)
                             : r.type == P2_RECORD_HOOK ? fmt::format("hook {}", r.id)
                                                        : record_name(r.type);
    const bool of_kernel = r.type == P2_RECORD_EVENT || !s.pid;
    begin("i", of_kernel ? kProcessors : s.tgid, of_kernel ? cpu_thread(s.cpu) : s.pid, r.clock_ns, text);
    json_.word("cat", "hook");
    json_.word("s", "t");
    json_.begin_args();
    json_.field("pid", s.pid);
    if (r.type == P2_RECORD_HOOK) {
      json_.field("data0", r.data[0]);
      json_.field("data1", r.data[1]);
    }
    if (r.type == P2_RECORD_FORK) json_.field("child", r.data[0]);
    json_.end_args();
  }

  LogReader& log_;
  const SliceEvents events_;
  Json json_;
  std::set<unsigned> cpus_;
  std::map<int, std::string> names_;
};

}  // namespace

void trace_json(LogReader& log, Output& out) {
  Trace trace(log, out);
  Slicer slicer(log.head(), [&](const Slice& s) { trace.add(s); });
  while (log.next()) slicer.add(log.record());
  trace.kernel(log.kernel_trace());
  trace.finish();
}

}  // namespace perfboard::p2
