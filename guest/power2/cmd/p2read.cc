// SPDX-License-Identifier: GPL-2.0-or-later
// p2read - the counters as they stand, of what p2set has set.
#include <memory>

#include "guest/common/tool_main.h"
#include "guest/power2/cmd/counting.h"
#include "guest/power2/cmd/monitor.h"

namespace perfboard::p2 {
namespace {

struct Words {
  std::string interval, output = "-", device = P2_DEVICE;
  unsigned count = 0;
  bool per_cpu = false, csv = false, reset = false;
};

// Registers and counters of one set.
void show_set(Output& out, const p2_set& set, const p2_read& read) {
  out.print("MMCR 0x{:08x}  IMR 0x{:08x}  {}\n", set.mmcr, set.imr, mmcr_text(set.mmcr));
  for (unsigned i = 0; i < P2_COUNTERS; i++) {
    const p2_event* event = p2_event_at(set.mmcr, i);
    out.print("{:>20}  {:<6}", read.counter[i], counter_text(i));
    if (event && event->name != counter_text(i)) out.print("  {}", event->name);
    out.put('\n');
  }
}

class Reading {
 public:
  Reading(const Words& w, Monitor& monitor, Output& out)
      : w_(w),
        monitor_(monitor),
        out_(out),
        events_(events_of(monitor.sets())),
        begin_(now()),
        last_(begin_) {
    for (unsigned cpu = 0; w.per_cpu && cpu < monitor.info().monitors; cpu++)
      cpus_.push_back(static_cast<int>(cpu));
    if (w.csv) writer_ = std::make_unique<SampleWriter>(out, monitor.facts(), events_);
  }
  void once() {
    std::vector<p2_counts> counts;
    for (int cpu : cpus_) counts.push_back(monitor_.counts(cpu));
    if (w_.reset) monitor_.reset();
    for (size_t i = 0; i < cpus_.size(); i++) w_.csv ? put_row(i, counts[i]) : show(cpus_[i], counts[i]);
    last_ = now();
    if (w_.reset)
      before_.clear();
    else
      before_.swap(counts);
    out_.show();
  }

 private:
  void show(int cpu, const p2_counts& counts) {
    if (shown_) out_.put('\n');
    shown_ = true;
    if (cpu >= 0) out_.print("processor {}\n", cpu);
    for (unsigned set = 0; set < monitor_.session().sets; set++)
      show_set(out_, monitor_.session().set[set], counts.set[set]);
  }
  // What came since the row before; the first: since the counters were set to 0.
  void put_row(size_t i, const p2_counts& counts) {
    Sample s = sample_of(monitor_, events_, before_.empty() ? nullptr : &before_[i], counts);
    s.time = now() - begin_;
    s.cpu = cpus_[i];
    // When that was is not known to this command: as long as a processor has counted.
    s.elapsed =
        last_ != begin_ ? s.time - (last_ - begin_) : s.seconds / (s.cpu < 0 ? monitor_.info().monitors : 1);
    writer_->put(s);
  }

  const Words& w_;
  Monitor& monitor_;
  Output& out_;
  const std::vector<std::string> events_;
  const double begin_;
  double last_;
  std::vector<int> cpus_{-1};
  std::vector<p2_counts> before_;
  std::unique_ptr<SampleWriter> writer_;
  bool shown_ = false;
};

int run(int argc, char** argv) {
  Words w;
  Arguments args("p2read",
                 "The counters as they stand, of what p2set has set: p2read [OPTIONS] [INTERVAL [COUNT]]");
  args.version("p2read (Perfboard) " PERFBOARD_VERSION);
  args.flag("-P,--per-cpu", w.per_cpu, "of each processor as well");
  args.flag("--csv", w.csv, "comma-separated values, as p2reduce reads them: what came since the row before");
  args.flag("--reset", w.reset, "then the counters to 0");
  args.option("-o,--output", w.output, "write here instead of standard output").type("FILE");
  args.option("-d,--device", w.device, "the monitor").show_default();
  args.option("INTERVAL", w.interval, "again, so often: seconds, or with ms, us, ns behind it");
  args.option("COUNT", w.count, "end after so many; 0: when interrupted").show_default();
  args.footer(
      "Needs CAP_PERFMON. Exit code: 0; 1 if nothing is set, or a file cannot be written; 2 for a wrong "
      "command line.");
  if (const std::optional<int> status = args.parse(argc, argv)) return *status;
  const uint64_t interval_ns =
      w.interval.empty() ? 0 : parse_time("INTERVAL", w.interval, 1000000, 86400000000000);
  Monitor monitor(w.device);
  if (!monitor.take(true)) throw Failure("nothing is set (p2set sets it)");
  Output out(w.output);
  Reading reading(w, monitor, out);
  const double begin = now();
  const Interruptible interruptible;
  for (unsigned n = 0;;) {
    reading.once();
    n++;
    if (!interval_ns || n == w.count) break;
    if (!interruptible.wait_until(begin + n * static_cast<double>(interval_ns) / 1e9)) break;
  }
  out.close();
  return 0;
}

}  // namespace
}  // namespace perfboard::p2

PERFBOARD_TOOL(p2read) {
  return perfboard::p2::run_tool("p2read", [&] { return perfboard::p2::run(argc, argv); });
}
