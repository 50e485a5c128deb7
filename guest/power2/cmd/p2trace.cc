// SPDX-License-Identifier: GPL-2.0-or-later
// p2trace - a log of what ran when, with what it counted.
#include "guest/common/tool_main.h"
#include "guest/power2/cmd/trace.h"

namespace perfboard::p2 {
namespace {

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
