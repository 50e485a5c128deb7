// SPDX-License-Identifier: GPL-2.0-or-later
// p2trace csv and summary.
#include <algorithm>
#include <cmath>

#include "guest/power2/cmd/reduce.h"
#include "guest/power2/cmd/slices.h"
#include "guest/power2/cmd/trace.h"

namespace perfboard::p2 {
namespace {

double seconds(uint64_t ns) { return static_cast<double>(ns) / 1e9; }

// What one process did.
struct Process {
  int pid = 0, tgid = 0;
  std::string command;  // its last one
  uint64_t time_ns = 0, slices = 0;
  std::vector<double> counts;
  std::vector<uint64_t> counted_ns;  // by event: in sets that count it
};

// An estimate for all of the process's time.
double scaled(const Process& p, size_t event) {
  if (!p.counted_ns[event]) return kNone;
  return p.counts[event] * (static_cast<double>(p.time_ns) / static_cast<double>(p.counted_ns[event]));
}

}  // namespace

void trace_csv(LogReader& log, Output& out) {
  const SliceEvents events(log.head());
  put_fact_line(out, facts_of(log.head().info));
  out.write("time,elapsed,seconds,cpu,pid,tgid,command,record,id,data0,data1,mmcr");
  for (const std::string& name : events.names()) out.print(",{}", name);
  out.put('\n');
  Slicer slicer(log.head(), [&](const Slice& s) {
    const double length = seconds(s.end_ns - s.begin_ns);
    out.print("{:.9f},{:.9f},{:.9f},{},{},{},{},{},{},{},{},{}", seconds(s.end_ns - log.head().begun_ns),
              length, length, s.cpu, s.pid, s.tgid, csv_word(s.command), record_name(s.record.type),
              s.record.id, s.record.data[0], s.record.data[1], log.head().sets[s.set].mmcr);
    for (size_t e = 0; e < events.names().size(); e++) {
      out.put(',');
      put_count(out, events.count(s, e));
    }
    out.put('\n');
  });
  while (log.next()) slicer.add(log.record());
}

void trace_summary(LogReader& log, Output& out, const TraceWords& w) {
  const SliceEvents events(log.head());
  const size_t count = events.names().size();
  std::map<int, Process> processes;
  uint64_t all_ns = 0;
  Slicer slicer(log.head(), [&](const Slice& s) {
    Process& p = processes[s.pid];
    if (p.counts.empty()) {
      p.counts.resize(count);
      p.counted_ns.resize(count);
    }
    p.pid = s.pid;
    p.tgid = s.tgid;
    p.command = s.pid ? s.command : "(idle)";
    const uint64_t ns = s.end_ns - s.begin_ns;
    p.time_ns += ns;
    all_ns += ns;
    p.slices += s.record.type == P2_RECORD_SWITCH;
    for (size_t e = 0; e < count; e++) {
      const double n = events.count(s, e);
      if (std::isnan(n)) continue;
      p.counts[e] += n;
      // A slice too short for the clock counts as well.
      p.counted_ns[e] += ns;
    }
  });
  while (log.next()) slicer.add(log.record());
  std::vector<const Process*> order;
  for (const auto& [pid, p] : processes)
    if (pid || w.idle) order.push_back(&p);
  std::stable_sort(order.begin(), order.end(),
                   [](const Process* a, const Process* b) { return a->time_ns > b->time_ns; });

  RuleSet rules;
  if (!w.rules.empty()) rules = load_all_rules(w.rules);
  const std::vector<std::string> heads = rules.name.empty() ? events.names() : rules.heads();
  if (w.csv)
    out.write("pid,command,seconds,switches");
  else
    out.print("{:>7} {:<16} {:>12} {:>6} {:>9}", "pid", "command", "seconds", "%", "switches");
  for (const std::string& head : heads) {
    if (w.csv)
      out.print(",{}", csv_word(head));
    else
      out.print(" {:>{}}", head, std::max<size_t>(head.size(), 12));
  }
  out.put('\n');
  const std::vector<std::string> columns = sample_columns(events.names());
  for (const Process* p : order) {
    std::vector<double> values;
    for (size_t e = 0; e < count; e++) values.push_back(scaled(*p, e));
    if (!rules.name.empty()) {
      Reducer reducer(rules, columns, facts_of(log.head().info));
      Sample sample;
      sample.elapsed = sample.seconds = seconds(p->time_ns);
      sample.pid = p->pid;
      sample.counts = values;
      reducer.add(sample_values(sample));
      values = reducer.shown();
    }
    if (w.csv)
      out.print("{},{},{:.9f},{}", p->pid, csv_word(p->command), seconds(p->time_ns), p->slices);
    else
      out.print("{:>7} {:<16} {:>12.6f} {:>6.2f} {:>9}", p->pid, p->command, seconds(p->time_ns),
                all_ns ? 100 * static_cast<double>(p->time_ns) / static_cast<double>(all_ns) : 0, p->slices);
    for (size_t i = 0; i < values.size(); i++) {
      if (w.csv) {
        out.put(',');
        put_count(out, values[i]);
      } else {
        out.print(" {:>{}}", number_text(values[i]), std::max<size_t>(heads[i].size(), 12));
      }
    }
    out.put('\n');
  }
}

}  // namespace perfboard::p2
