// SPDX-License-Identifier: GPL-2.0-or-later
// p2stat - what the processors do, every few seconds, as iostat shows disks.
#include <cmath>
#include <cstdio>

#include "guest/common/tool_main.h"
#include "guest/power2/cmd/counting.h"
#include "guest/power2/cmd/monitor.h"
#include "guest/power2/cmd/rules.h"

namespace perfboard::p2 {
namespace {

struct Words {
  Choice choice;
  std::string interval = "1s", output = "-";
  unsigned count = 0;
  bool per_cpu = false, csv = false;
};

constexpr unsigned kLinesBetweenHeads = 20;

struct Column {
  std::string name;
  size_t width;
};

std::vector<Column> columns_of(const Plan& plan) {
  std::vector<std::string> names = plan.rules.heads();
  if (plan.rules.name.empty())
    for (const std::string& event : plan.events) names.push_back(event + "/s");
  std::vector<Column> columns;
  for (const std::string& name : names) columns.push_back({name, std::max<size_t>(name.size(), 10)});
  return columns;
}

std::string cell(double value) {
  if (std::isnan(value)) return "-";
  if (std::fabs(value) >= 1e5) return fmt::format("{:.4g}", value);
  return fmt::format("{:.{}f}", value, std::fabs(value) >= 1000 ? 0 : std::fabs(value) >= 10 ? 2 : 3);
}

void show_head(Output& out, const std::vector<Column>& columns) {
  out.print("{:>9} {:>4}", "time", "cpu");
  for (const Column& c : columns) out.print(" {:>{}}", c.name, c.width);
  out.put('\n');
}

void show_sample(Output& out, const Plan& plan, const std::vector<Column>& columns, const Sample& s,
                 const Facts& facts) {
  std::vector<double> values;
  if (plan.rules.name.empty()) {
    for (double count : s.counts) values.push_back(count / s.elapsed);
  } else {
    Reducer reducer(plan.rules, sample_columns(plan.events), facts);
    reducer.add(sample_values(s));
    values = reducer.shown();
  }
  out.print("{:>9.2f} {:>4}", s.time, s.cpu < 0 ? "all" : std::to_string(s.cpu));
  for (size_t i = 0; i < values.size(); i++) out.print(" {:>{}}", cell(values[i]), columns[i].width);
  out.put('\n');
}

int watch(const Words& w, Output& out) {
  const Plan plan = make_plan(w.choice, "stat");
  const double interval =
      static_cast<double>(parse_time("INTERVAL", w.interval, 1000000, 86400000000000)) / 1e9;
  Monitor monitor(w.choice.device);
  const Facts facts = monitor.facts();
  std::vector<int> cpus{-1};
  for (unsigned cpu = 0; w.per_cpu && cpu < monitor.info().monitors; cpu++)
    cpus.push_back(static_cast<int>(cpu));
  p2_open how{};
  how.scope = P2_SYSTEM;
  how.period_ns = plan.sets.size() > 1 ? plan.period_ns : 0;
  monitor.begin(how, plan.sets);
  const std::vector<Column> columns = columns_of(plan);
  std::unique_ptr<SampleWriter> writer;
  if (w.csv) writer = std::make_unique<SampleWriter>(out, facts, plan.events);
  std::vector<p2_counts> before, after;
  for (int cpu : cpus) before.push_back(monitor.counts(cpu));
  const double begin = now();
  double last = begin;
  const Interruptible interruptible;
  unsigned lines = 0;
  for (unsigned n = 1; interruptible.wait_until(begin + n * interval); n++) {
    after.clear();
    for (int cpu : cpus) after.push_back(monitor.counts(cpu));
    const double time = now();
    if (!w.csv && (lines == 0 || lines >= kLinesBetweenHeads)) {
      if (lines) out.put('\n');
      show_head(out, columns);
      lines = 0;
    }
    for (size_t i = 0; i < cpus.size(); i++) {
      Sample s = sample_of(monitor, plan.events, &before[i], after[i]);
      s.time = time - begin;
      s.elapsed = time - last;
      s.cpu = cpus[i];
      writer ? writer->put(s) : show_sample(out, plan, columns, s, facts);
      lines++;
    }
    out.show();
    before.swap(after);
    last = time;
    if (n == w.count) break;
  }
  return 0;
}

int run(int argc, char** argv) {
  Words w;
  Arguments args("p2stat", "What the processors do, every few seconds: p2stat [OPTIONS] [INTERVAL [COUNT]]");
  args.version("p2stat (Perfboard) " PERFBOARD_VERSION);
  w.choice.declare(args);
  args.flag("-P,--per-cpu", w.per_cpu, "a line for each processor, below that of all");
  args.flag("--csv", w.csv, "comma-separated values: rows of counts, as p2reduce reads them");
  args.option("-o,--output", w.output, "write here instead of standard output").type("FILE");
  args.option("INTERVAL", w.interval, "seconds, or with ms, us, ns behind it").show_default();
  args.option("COUNT", w.count, "end after so many; 0: when interrupted").show_default();
  args.footer(
      "Exit code: 0; 1 if the monitor refuses, or a file cannot be written; 2 for a wrong command line.");
  if (const std::optional<int> status = args.parse(argc, argv)) return *status;
  Output out(w.output);
  const int status = watch(w, out);
  out.close();
  return status;
}

}  // namespace
}  // namespace perfboard::p2

PERFBOARD_TOOL(p2stat) {
  return perfboard::p2::run_tool("p2stat", [&] { return perfboard::p2::run(argc, argv); });
}
