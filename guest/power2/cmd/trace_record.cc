// SPDX-License-Identifier: GPL-2.0-or-later
// p2trace record: from the driver's log to a file.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "guest/common/kernel_trace.h"
#include "guest/common/ranges.h"
#include "guest/power2/cmd/monitor.h"
#include "guest/power2/cmd/trace.h"
#include "guest/power2/cmd/words.h"

namespace perfboard::p2 {
namespace {

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

}  // namespace

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

}  // namespace perfboard::p2
