// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <algorithm>

#include "hw/model/manual.h"
#include "hw/power2/model.h"
#include "hw/power2/view.h"

namespace perfboard::p2 {
namespace {

constexpr ManualPart kManual[] = {
    {"A monitor's registers (offset from 0x1000 + 0x100 n; 0x0: the processor's own)", kRegisters},
    {"The card's information (offset in a BAR)", kCard},
};

std::string_view words(Cost cost) {
  switch (cost) {
    case Cost::kOne:
      break;
    case Cost::kDcachePenalty:
      return " x dcache-penalty";
    case Cost::kTlbPenalty:
      return " x tlb-penalty";
    case Cost::kIcachePenalty:
      return " x icache-penalty";
    case Cost::kDcacheBeats:
      return " x dcache-line / bus";
    case Cost::kIcacheBeats:
      return " x icache-line / bus";
  }
  return "";
}

// "dcache_load_misses x dcache-penalty + ..."
std::string definition(const Event& e) {
  std::string out;
  for (const Term& t : e.sum()) {
    if (!out.empty()) out += t.factor < 0 ? " - " : " + ";
    if (const int n = t.factor < 0 ? -t.factor : t.factor; n != 1) out += fmt::format("{} x ", n);
    out += fmt::format("{}{}{}", source_name(t.source), words(t.cost), t.stall ? " [stalls]" : "");
  }
  if (out.empty()) out = "-";
  return e.spe ? fmt::format("while SPE is 1: {}", out) : out;
}

// Calls f(unit, group, counter, event) for each of the published rows, in order.
void for_each_row(auto f) {
  for (unsigned unit = 0; unit < kUnits; ++unit)
    for (unsigned number = 0; number < kGroups; ++number)
      for (unsigned i = 0; i < kUnitCounters; ++i) f(unit, number, i, kEvents[group(unit, number).event[i]]);
  for (unsigned i = 0; i < kScuCounters; ++i) f(kUnits, 0u, i, kEvents[kScuGetsAll[i]]);
  f(kUnits + 1, 0u, kCycles, kEvents[kCyclesEvent]);
  f(kUnits + 1, 0u, kErrors, kEvents[kErrorsEvent]);
}

// The groups that an event is in: "FPU 13, FXU 7 8, SGA".
std::string places(const Event& event) {
  std::string out;
  unsigned last = kUnits + 2;
  for_each_row([&](unsigned unit, unsigned number, unsigned, const Event& e) {
    if (&e != &event) return;
    if (unit != last) {
      if (!out.empty()) out += ", ";
      out += unit < kUnits ? kUnitNames[unit] : unit == kUnits ? "SGA" : "dedicated";
    }
    if (unit < kUnits) out += fmt::format(" {}", number);
    last = unit;
  });
  return out;
}

// The paper's rows: X is either.
constexpr std::string_view kTable1[] = {"00000", "00001", "00010", "00100", "01000", "00101",
                                        "00110", "01001", "01010", "XXX11", "X11XX", "1XXXX"};

std::string table_1() {
  std::string out =
      "### Table 1: who is counted\n\n"
      "| DIS | DP | DU | DMS | DMR | not privileged, unmarked | privileged, unmarked | not privileged, "
      "marked | privileged, "
      "marked |\n|---|---|---|---|---|---|---|---|---|\n";
  for (const std::string_view row : kTable1) {
    uint32_t mmcr = 0;
    for (size_t i = 0; i < row.size(); ++i) {
      if (row[i] == '1') mmcr |= 0x80000000u >> i;
      out += fmt::format("| {} ", row[i]);
    }
    for (const unsigned context : {P2_USER, P2_KERNEL, P2_USER_MARKED, P2_KERNEL_MARKED})
      out += counting(mmcr) & context ? "| counted " : "| - ";
    out += "|\n";
  }
  return out;
}

std::string event_tables() {
  std::string out = "\n### Events by group\n";
  for (unsigned unit = 0; unit < kUnits; ++unit) {
    out += fmt::format(
        "\n#### {} (counters {} to {})\n\n| Group | | +0 | +1 | +2 | +3 | +4 "
        "|\n|---|---|---|---|---|---|---|\n",
        kUnitNames[unit], unit * kUnitCounters, unit * kUnitCounters + kUnitCounters - 1);
    for (unsigned number = 0; number < kGroups; ++number) {
      const Group& g = group(unit, number);
      out += fmt::format("| {} | {} |", number, g.title);
      for (uint16_t e : g.event) out += fmt::format(" {} |", kEvents[e].name);
      out += '\n';
    }
  }
  out += "\n#### SCU gets all (MMCR(SGA) = 1)\n\n| Counter | Event |\n|---|---|\n";
  for (unsigned i = 0; i < kScuCounters; ++i)
    out += fmt::format("| {} | {} |\n", i, kEvents[kScuGetsAll[i]].name);
  out += "\n### Definitions\n\n| Event | Groups | Sum | Meaning |\n|---|---|---|---|\n";
  for (const Event& e : kEvents)
    out += fmt::format("| {} | {} | {} | {} |\n", e.name, places(e), definition(e), e.text);
  out +=
      "\n### Sources\n\nA source that is all of an event's sum means what that event does. The others:\n\n"
      "| Source | Meaning |\n|---|---|\n";
  for (unsigned s = 0; s < P2_SOURCES; ++s) {
    const auto is_it = [s](const Event& e) {
      return definition(e) == source_name(s) && e.text == source_text(s);
    };
    if (std::none_of(kEvents.begin(), kEvents.end(), is_it))
      out += fmt::format("| {} | {} |\n", source_name(s), source_text(s));
  }
  return out;
}

std::string nodes() {
  std::string out =
      "\n### Nodes\n\n| node= | dcache, ways, line | icache, ways, line | tlb, ways | itlb, ways | bus | "
      "dcache-penalty | tlb-penalty | icache-penalty |\n|---|---|---|---|---|---|---|---|---|\n";
  for (const P2Node node : {P2_THIN, P2_THIN2, P2_WIDE}) {
    const P2Geometry& g = *p2_node_geometry(node);
    const P2Penalties& p = *p2_node_penalties(node);
    out +=
        fmt::format("| {} | {}, {}, {} | {}, {}, {} | {}, {} | {}, {} | {} | {} | {} | {} |\n",
                    p2_node_name(node), g.dcache, g.dcache_ways, g.dcache_line, g.icache, g.icache_ways,
                    g.icache_line, g.tlb, g.tlb_ways, g.itlb, g.itlb_ways, g.bus, p.dcache, p.tlb, p.icache);
  }
  return out + '\n';
}

}  // namespace

std::string manual_text() { return manual_tables(kManual) + table_1() + event_tables() + nodes(); }

std::string guest_header() {
  std::string out =
      "/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */\n"
      "/*\n"
      " * events.h - the events of the POWER2 performance monitor. Printed by power2-events from "
      "hw/power2/events.def and groups.def.\n"
      " *\n"
      " *   P2_EVENTS(P2_EVENT)              P2_EVENT(name, unit, group, counter, \"what it counts\") of "
      "each\n"
      " *\n"
      " * unit 0 FPU, 1 FXU, 2 ICU, 3 SCU: counter 0 to 4 of that unit, with its field of MMCR set to group. "
      "unit 4: MMCR(SGA) set, counter\n"
      " * 0 to 19 of all. unit 5: the dedicated counters, 20 and 21 of all. One event may be in several "
      "places, by the same name.\n"
      " *\n"
      " *   P2_GROUP_TITLES(P2_TITLE)        P2_TITLE(unit, group, \"title\")\n"
      " *   P2_EVENT_ALIASES(P2_ALIAS)       P2_ALIAS(other, name): what the literature on the SP2 calls it\n"
      " */\n"
      "#ifndef PERFBOARD_GUEST_POWER2_EVENTS_H\n"
      "#define PERFBOARD_GUEST_POWER2_EVENTS_H\n\n";
  for (const Event& e : kEvents) out += fmt::format("#define P2_TEXT_{} \"{}\"\n", e.name, e.text);
  out += "\n#define P2_EVERY_GROUP(P2_GROUP, X)";
  for (unsigned unit = 0; unit < kUnits; ++unit)
    for (unsigned number = 0; number < kGroups; ++number) {
      const Group& g = group(unit, number);
      out += fmt::format(" \\\n\tP2_GROUP(X, {}, {}, \"{}\"", unit, number, g.title);
      for (uint16_t e : g.event) out += fmt::format(", {}", kEvents[e].name);
      out += ')';
    }
  out += "\n\n#define P2_OTHER_EVENTS(X)";
  for_each_row([&](unsigned unit, unsigned, unsigned counter, const Event& e) {
    if (unit >= kUnits) out += fmt::format(" \\\n\tX({0}, {1}, 0, {2}, P2_TEXT_{0})", e.name, unit, counter);
  });
  out += "\n\n#define P2_FIVE_EVENTS(X, unit, group, title, a, b, c, d, e)";
  for (unsigned i = 0; i < kUnitCounters; ++i)
    out += fmt::format(" \\\n\tX({0}, unit, group, {1}, P2_TEXT_##{0})", "abcde"[i], i);
  out +=
      "\n#define P2_EVENTS(P2_EVENT) P2_EVERY_GROUP(P2_FIVE_EVENTS, P2_EVENT) P2_OTHER_EVENTS(P2_EVENT)\n\n"
      "#define P2_ITS_TITLE(X, unit, group, title, a, b, c, d, e) X(unit, group, title)\n"
      "#define P2_GROUP_TITLES(P2_TITLE) P2_EVERY_GROUP(P2_ITS_TITLE, P2_TITLE)\n\n"
      "#define P2_EVENT_ALIASES(P2_ALIAS)";
  for (const auto& [other, name] : kAliases) out += fmt::format(" \\\n\tP2_ALIAS({}, {})", other, name);
  return out + "\n\n#endif\n";
}

std::string event_csv() {
  std::string out = "unit,group,counter,name,sum,meaning\n";
  for_each_row([&](unsigned unit, unsigned number, unsigned counter, const Event& e) {
    const std::string_view where = unit < kUnits ? kUnitNames[unit] : unit == kUnits ? "SGA" : "-";
    out += fmt::format("{},{},{},{},\"{}\",\"{}\"\n", where, number, counter, e.name, definition(e), e.text);
  });
  return out;
}

}  // namespace perfboard::p2
