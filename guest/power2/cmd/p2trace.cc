// SPDX-License-Identifier: GPL-2.0-or-later
// p2trace - a log of what ran when, with what it counted.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>

#include "guest/common/json.h"
#include "guest/common/kernel_trace.h"
#include "guest/common/ranges.h"
#include "guest/common/tool_main.h"
#include "guest/power2/cmd/counting.h"
#include "guest/power2/cmd/log.h"
#include "guest/power2/cmd/monitor.h"
#include "guest/power2/cmd/rules.h"
#include "guest/power2/cmd/words.h"

namespace perfboard::p2 {
namespace {

struct TraceWords {
  Choice choice;
  std::string log = "p2trace.log", tick, ftrace, input = "-", output = "-";
  bool no_switch = false, hooks = false, csv = false, idle = false;
  unsigned records = 0;
  std::vector<std::string> command, rules, when;
};

// p2trace json: the trace event format of Chrome and Perfetto.
//
// The process "processors" has a thread for each processor: who ran there when, what it counted, and the
// kernel's events. Each process that ran has threads of its own, with its hooks, and curves of its events'
// rates.

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

void trace_json(LogReader& log, Output& out) {
  Trace trace(log, out);
  Slicer slicer(log.head(), [&](const Slice& s) { trace.add(s); });
  while (log.next()) slicer.add(log.record());
  trace.kernel(log.kernel_trace());
  trace.finish();
}

// p2trace csv and summary.

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

// p2trace record: from the driver's log to a file.

// The kernel's trace events that the driver records at, by number.
std::vector<std::string> hooked_events() {
  std::ifstream in("/sys/module/power2/parameters/hooks");
  std::string line;
  std::vector<std::string> names;
  std::getline(in, line);
  for (const std::string& name : split(line, ','))
    if (!name.empty()) names.push_back(name);
  return names;
}

// "N NAME" for each.
std::string event_names(const std::vector<std::string>& events) {
  std::string text;
  for (size_t i = 0; i < events.size(); i++) text += fmt::format("{} {}\n", i, events[i]);
  return text;
}

// Takes what is there, until the program has ended or somebody interrupts.
class Collector {
 public:
  Collector(const Monitor& monitor, LogWriter& file)
      : monitor_(monitor), file_(file), fd_(monitor.session().fd) {
    fcntl(fd_, F_SETFL, fcntl(fd_, F_GETFL) | O_NONBLOCK);
  }
  void drain() {
    p2_record records[256];
    for (ptrdiff_t got; (got = p2_read_log(&monitor_.session(), records, std::size(records))) != 0;) {
      if (got < 0) throw system_failure("log");
      file_.records(records, static_cast<size_t>(got));
    }
  }
  void until_ended(int program) {
    pollfd ready[] = {{fd_, POLLIN, 0}, {program, POLLIN, 0}};
    while (!ready[1].revents) {
      if (poll(ready, 2, -1) < 0 && errno != EINTR) throw system_failure("poll");
      drain();
    }
  }
  void until_interrupted() {
    const Interruptible interruptible;
    pollfd ready = {fd_, POLLIN, 0};
    while (!interruptible.interrupted()) {
      if (poll(&ready, 1, 200) < 0 && errno != EINTR) throw system_failure("poll");
      drain();
    }
  }

 private:
  const Monitor& monitor_;
  LogWriter& file_;
  const int fd_;
};

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

KernelTrace::KernelTrace(const std::string& events) {
  mount_tracing();
  put_tracing("tracing_on", "0");
  put_tracing("trace_clock", "mono");
  put_tracing("trace", "");
  put_tracing("set_event", "");
  for (const std::string& event : split(events, ',')) {
    if (write_tracing("set_event", event + "\n", O_APPEND)) continue;
    if (errno == EINVAL || errno == ENOENT)
      throw Misuse(fmt::format("--ftrace {}: the kernel has no such event", event));
    throw system_failure("--ftrace " + event);
  }
  put_tracing("tracing_on", "1");
  on_ = true;
}

std::string KernelTrace::text() {
  put_tracing("tracing_on", "0");
  std::ifstream in(std::string(kTracing) + "trace");
  std::ostringstream all;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with('#')) all << line << '\n';
  return all.str();
}

KernelTrace::~KernelTrace() {
  if (!on_) return;
  try {
    put_tracing("set_event", "");
    put_tracing("tracing_on", "1");
  } catch (const std::runtime_error&) {
    // Somebody else has it now.
  }
}

// Its exit code.
int trace_record(const TraceWords& w) {
  const Plan plan = make_plan(w.choice, "stat");
  if (!w.when.empty() && !w.hooks) throw Misuse("--when: of hooks; with --hooks");
  const std::vector<std::string> events = hooked_events();
  const std::vector<p2_rule> rules = parse_hook_rules(w.when, events);
  Output out(w.log);
  Monitor monitor(w.choice.device);
  p2_open how{};
  how.scope = P2_SYSTEM;
  how.flags = P2_STOPPED | (w.no_switch ? 0 : P2_LOG_SWITCH) | (w.tick.empty() ? 0 : P2_LOG_TICK) |
              (w.hooks ? P2_LOG_HOOK | P2_HOOK_OTHERS : 0);
  how.period_ns = plan.sets.size() > 1 ? plan.period_ns : 0;
  how.log_ns = w.tick.empty() ? 0 : parse_time("--tick", w.tick, 1000000, 10000000000);
  how.log_records = w.records;
  if (!(how.flags & (P2_LOG_SWITCH | P2_LOG_TICK | P2_LOG_HOOK)))
    throw Misuse("--no-switch: then --tick or --hooks says when there is to be a record");
  monitor.begin(how, plan.sets);
  if (!rules.empty() && p2_set_rules(&monitor.session(), rules.data(), rules.size()))
    throw system_failure("--when");
  std::unique_ptr<Program> program;
  if (!w.command.empty()) program = std::make_unique<Program>(w.command);
  std::unique_ptr<KernelTrace> kernel;
  if (!w.ftrace.empty()) kernel = std::make_unique<KernelTrace>(w.ftrace);
  LogWriter file(
      out, {monitor.info(), static_cast<uint64_t>(std::llround(now() * 1e9)), monitor.sets(), plan.events});
  file.text(Part::kEventNames, event_names(events));
  Collector collector(monitor, file);
  int status = 0;
  monitor.enable();
  if (program) {
    program->go();
    collector.until_ended(program->descriptor());
    monitor.disable();
    status = program->wait().status;
  } else {
    collector.until_interrupted();
    monitor.disable();
  }
  collector.drain();
  if (kernel) file.text(Part::kKernelTrace, kernel->text());
  const uint64_t lost = monitor.counts().set[0].lost;
  out.close();
  if (!lost) return status;
  std::fputs(fmt::format("p2trace: {} records were lost; --records makes more room\n", lost).c_str(), stderr);
  return status ? status : 1;
}

void declare_record(Arguments& args, TraceWords& w) {
  w.choice.declare(args);
  args.option("-o,--output", w.log, "the file").type("FILE").show_default();
  args.flag("--no-switch", w.no_switch, "no record at each switch to another process");
  args.option("-t,--tick", w.tick, "a record on each processor so often, such as 10ms").type("TIME");
  args.flag("--hooks", w.hooks,
            "a record at each hook of a program, and at each event of the kernel that the driver watches\n"
            "(/sys/module/power2/parameters/hooks)");
  args.option("--when", w.when,
              "with --hooks: only at hooks that fit this or another --when, the first of which decides;\n"
              "TESTS[:ACTIONS], with commas: hook=ID, event=NAME, arg0=VALUE[/MASK], arg1=, state=, "
              "link=FIRST-LAST;\n"
              "silent (no record), state=VALUE[/MASK] (0 at first)")
      .type("RULE")
      .each();
  args.option("--ftrace", w.ftrace, "the kernel's own trace of these events as well, such as sched,irq")
      .type("EVENTS");
  args.option("--records", w.records, "room for each processor; 0: the driver's").show_default();
  args.program(w.command);
}

int run(int argc, char** argv) {
  TraceWords w;
  int status = 0;
  Arguments args(
      "p2trace",
      "A log of what ran when, with what it counted: `p2trace record COMMAND`, `p2trace json p2trace.log`.");
  args.version("p2trace (Perfboard) " PERFBOARD_VERSION);
  declare_record(
      args.command("record",
                   "Log until COMMAND ends, or until interrupted: p2trace record [OPTIONS] [COMMAND...]",
                   [&] { status = trace_record(w); }),
      w);
  const auto show = [&](const char* name, const char* what,
                        void (*work)(LogReader&, Output&, const TraceWords&)) -> Arguments& {
    Arguments& command = args.command(name, what, [&w, work] {
      LogReader log(w.input);
      Output out(w.output);
      work(log, out, w);
      out.close();
    });
    command.option("FILE", w.input, "what record has written; -: standard input").show_default();
    command.option("-o,--output", w.output, "write here instead of standard output").type("FILE");
    return command;
  };
  show("csv", "Each slice of time as comma-separated values, as p2reduce and p2plot read them",
       [](LogReader& log, Output& out, const TraceWords&) { trace_csv(log, out); });
  show("json", "For ui.perfetto.dev and chrome://tracing",
       [](LogReader& log, Output& out, const TraceWords&) { trace_json(log, out); });
  Arguments& summary =
      show("summary", "What each process did",
           [](LogReader& log, Output& out, const TraceWords& o) { trace_summary(log, out, o); });
  summary.option("-r,--rules", w.rules, "instead of counts what rules make of them").type("RULES").each();
  summary.flag("--csv", w.csv, "comma-separated values");
  summary.flag("--idle", w.idle, "the idle processors as well");
  args.footer(
      "Exit code: 0; 1 if the monitor refuses, records were lost, or a file is wrong; 2 for a wrong command "
      "line;\n"
      "that of a program that was run.");
  if (const std::optional<int> code = args.parse(argc, argv)) return *code;
  return status;
}

}  // namespace
}  // namespace perfboard::p2

PERFBOARD_TOOL(p2trace) {
  return perfboard::p2::run_tool("p2trace", [&] { return perfboard::p2::run(argc, argv); });
}
