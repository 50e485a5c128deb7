// SPDX-License-Identifier: GPL-2.0-or-later
// p2trace - a log of what ran when, with what it counted.
#include <fcntl.h>
#include <poll.h>

#include <cstdio>

#include "guest/common/tool.h"
#include "guest/power2/cmd/counting.h"
#include "guest/power2/cmd/log.h"
#include "guest/power2/cmd/program.h"

namespace perfboard::p2 {
namespace {

struct Words {
  Choice choice;
  std::string output = "p2trace.log", tick, input = "-";
  bool no_switch = false, hooks = false;
  unsigned records = 0;
  std::vector<std::string> command;
};

int record(const Words& w) {
  const Plan plan = make_plan(w.choice, "stat");
  Output out(w.output);
  Monitor monitor(w.choice.device);
  p2_open how{};
  how.scope = P2_SYSTEM;
  how.flags = P2_STOPPED | (w.no_switch ? 0 : P2_LOG_SWITCH) | (w.tick.empty() ? 0 : P2_LOG_TICK) |
              (w.hooks ? P2_LOG_HOOK : 0);
  how.period_ns = plan.sets.size() > 1 ? plan.period_ns : 0;
  how.log_ns = w.tick.empty() ? 0 : parse_time("--tick", w.tick, 1000000, 10000000000);
  how.log_records = w.records;
  monitor.begin(how, plan.sets);
  const int fd = monitor.session().fd;
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  LogWriter file(out, monitor.info(), monitor.sets());
  const auto drain = [&] {
    p2_record records[256];
    for (ptrdiff_t got; (got = p2_read_log(&monitor.session(), records, std::size(records))) != 0;) {
      if (got < 0) throw system_failure("log");
      file.records(records, static_cast<size_t>(got));
    }
  };
  int status = 0;
  if (w.command.empty()) {
    const Interruptible interruptible;
    monitor.enable();
    pollfd ready = {fd, POLLIN, 0};
    while (!interruptible.interrupted()) {
      poll(&ready, 1, -1);
      drain();
    }
    monitor.disable();
  } else {
    Program program(w.command);
    monitor.enable();
    program.go();
    pollfd ready[] = {{fd, POLLIN, 0}, {program.descriptor(), POLLIN, 0}};
    while (poll(ready, 2, -1) >= 0 && !ready[1].revents) drain();
    monitor.disable();
    status = program.wait().status;
  }
  drain();
  const uint64_t lost = monitor.counts().set[0].lost;
  out.close();
  if (!lost) return status;
  std::fputs(fmt::format("p2trace: {} records were lost; --records makes more room\n", lost).c_str(), stderr);
  return status ? status : 1;
}

int run(int argc, char** argv) {
  Words w;
  int status = 0;
  Arguments args("p2trace",
                 "A log of what ran when, with what it counted: `p2trace record COMMAND`, `p2trace csv`.");
  args.version("p2trace (Perfboard) " PERFBOARD_VERSION);
  Arguments& records =
      args.command("record", "Log until the command ends: p2trace record [OPTIONS] [--] [COMMAND...]",
                   [&] { status = record(w); });
  w.choice.declare(records);
  records.option("-o,--output", w.output, "the file").type("FILE").show_default();
  records.flag("--no-switch", w.no_switch, "no record at each switch to another process");
  records.option("-t,--tick", w.tick, "a record on each processor so often: 10ms").type("TIME");
  records.flag("--hooks", w.hooks,
               "a record at each hook of a program, and each event of the kernel that the driver watches");
  records.option("--records", w.records, "room for each processor; 0: the driver's").show_default();
  records.program(w.command);
  args.footer(
      "Exit code: 0; 1 if the monitor refuses, records were lost, or a file is wrong; 2 for a wrong command "
      "line;\n"
      "that of a program that was run.");
  if (const std::optional<int> code = args.parse(argc, argv)) return *code;
  return status;
}

}  // namespace
}  // namespace perfboard::p2

int main(int argc, char** argv) {
  return perfboard::p2::run_tool("p2trace", [&] { return perfboard::p2::run(argc, argv); });
}
