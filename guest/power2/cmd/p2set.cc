// SPDX-License-Identifier: GPL-2.0-or-later
// p2set - the monitor's control registers, as a step of their own: what it begins goes on when it has ended,
// until p2set --off.
#include "guest/common/tool_main.h"
#include "guest/power2/cmd/counting.h"
#include "guest/power2/cmd/words.h"

namespace perfboard::p2 {
namespace {

struct Words {
  Choice choice;
  std::string mmcr, imr;
  unsigned pid = 0;
  bool alone = false, reset = false, stop = false, go = false, off = false;

  bool chooses() const {
    return !mmcr.empty() || !choice.event_lists.empty() || !choice.rule_names.empty() ||
           !choice.groups.empty();
  }
};

// What MMCR is to hold.
std::vector<p2_set> sets_of(const Words& w, __u64& period_ns) {
  std::vector<p2_set> sets;
  if (w.mmcr.empty()) {
    const Plan plan = make_plan(w.choice, "");
    sets = plan.sets;
    period_ns = sets.size() > 1 ? plan.period_ns : 0;
  } else {
    sets = {{parse_register("--mmcr", w.mmcr, P2_MMCR_RESERVED), 0}};
  }
  // "MMCR(DMR) set to 1", unless the value itself says which of the two.
  for (p2_set& set : sets)
    if (w.pid && !(set.mmcr & (P2_MMCR_DMR | P2_MMCR_DMS))) set.mmcr |= P2_MMCR_DMR;
  return sets;
}

void begin(const Words& w) {
  p2_open how{};
  std::vector<p2_set> sets = sets_of(w, how.period_ns);
  {
    Monitor former(w.choice.device);
    if (!w.imr.empty()) {
      const auto opcodes = parse_opcodes("--imr", w.imr, former.info().flags & P2_INFO_POWER);
      if (opcodes.size() != 1) throw Misuse("--imr: one instruction");
      for (p2_set& set : sets) set.imr = opcodes[0].imr;
    }
    former.take(false);
  }
  Monitor monitor(w.choice.device);
  how.scope = w.pid ? P2_MARKED : P2_SYSTEM;
  how.pid = static_cast<int32_t>(w.pid);
  how.flags = P2_KEEP | (w.alone ? P2_ALONE : 0) | (w.stop ? P2_STOPPED : 0);
  monitor.begin(how, sets);
}

void end(const Words& w) {
  Monitor monitor(w.choice.device);
  if (!monitor.take(false)) throw Failure("nothing is set");
}

void change(const Words& w) {
  Monitor monitor(w.choice.device);
  if (!monitor.take(true))
    throw Failure("nothing is set: p2set --events, --rules, --groups or --mmcr sets MMCR");
  if (w.stop) monitor.disable();
  if (w.reset) monitor.reset();
  if (w.go) monitor.enable();
}

int run(int argc, char** argv) {
  Words w;
  Arguments args("p2set",
                 "Sets the POWER2 performance monitor's MMCR and IMR and its counters to 0; it counts from "
                 "then on: p2set "
                 "OPTIONS, COMMAND, p2read");
  args.version("p2set (Perfboard) " PERFBOARD_VERSION);
  w.choice.declare(args);
  args.option("--mmcr", w.mmcr, "the register's value itself, instead of events, rules or groups")
      .type("VALUE");
  args.option("--imr", w.imr, "the instruction that imr counts: a name or a number").type("OPCODE");
  args.option("-p,--pid", w.pid, "mark this process, and what it starts; MMCR has DMR then, if not DMS")
      .type("PID")
      .range(1, 4194304);
  args.flag("--alone", w.alone, "with --pid: what the process starts is not marked");
  args.flag("--reset", w.reset, "the counters to 0");
  args.flag("--stop", w.stop, "no counter counts (DIS)")
      .excludes(args.flag("--go", w.go, "they count again"));
  args.flag("--off", w.off, "the end: the counters are free for others");
  args.footer(
      "Needs CAP_PERFMON. Exit code: 0; 1 if the monitor refuses, or nothing is set; 2 for a wrong command "
      "line.");
  if (const std::optional<int> status = args.parse(argc, argv)) return *status;
  if (!w.mmcr.empty() && (!w.choice.event_lists.empty() || !w.choice.rule_names.empty() ||
                          !w.choice.groups.empty() || w.choice.user || w.choice.kernel))
    throw Misuse(
        "--mmcr: the whole register; not together with --events, --rules, --groups, --user, --kernel");
  const bool acts = w.reset || w.stop || w.go;
  if (w.off && (acts || w.chooses())) throw Misuse("--off: alone");
  if (!w.chooses() && (!w.imr.empty() || w.pid || w.choice.user || w.choice.kernel))
    throw Misuse("--events, --rules, --groups or --mmcr is missing: MMCR is set as a whole");
  if (w.alone && !w.pid) throw Misuse("--alone: with --pid");
  if (w.off) {
    end(w);
  } else if (w.chooses()) {
    begin(w);
  } else if (acts) {
    change(w);
  } else {
    throw Misuse(
        "what? --events, --rules, --groups, --mmcr, --reset, --stop, --go or --off (--help lists them)");
  }
  return 0;
}

}  // namespace
}  // namespace perfboard::p2

PERFBOARD_TOOL(p2set) {
  return perfboard::p2::run_tool("p2set", [&] { return perfboard::p2::run(argc, argv); });
}
