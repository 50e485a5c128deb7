// SPDX-License-Identifier: GPL-2.0-or-later
// p2event - what the POWER2 monitor can count.
#include <fmt/ranges.h>

#include <algorithm>

#include "guest/common/tool.h"
#include "guest/common/tool_main.h"
#include "guest/power2/cmd/counting.h"
#include "guest/power2/cmd/words.h"

namespace perfboard::p2 {
namespace {

struct Words {
  std::vector<std::string> names;
  std::string group;
  bool groups = false, sets = false, csv = false, rules = false;
  std::string opcodes;
};

std::string place(const p2_event& e) {
  if (e.unit == P2_UNIT_ALWAYS) return "always";
  if (e.unit == P2_UNIT_SGA) return "sga";
  return fmt::format("{}={}", p2_unit_names[e.unit], e.group);
}

// A line for each row of the table.
void show_rows(Output& out, const std::vector<std::string>& names) {
  out.write("event,unit,group,counter,definition\n");
  for (size_t i = 0; i < p2_event_count; i++) {
    const p2_event& e = p2_events[i];
    if (std::find(names.begin(), names.end(), e.name) == names.end()) continue;
    std::string text(e.text);
    for (size_t at = 0; (at = text.find('"', at)) != text.npos; at += 2) text.insert(at, 1, '"');
    out.print("{},{},{},{},\"{}\"\n", e.name, p2_unit_names[e.unit], e.group, e.counter, text);
  }
}

// A line for each event; and one with its places.
void show_events(Output& out, const std::vector<std::string>& names, bool places_too) {
  size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  for (const std::string& name : names) {
    const std::string own = p2_event_name(name.c_str());
    std::vector<std::string> places;
    for (size_t i = 0; i < p2_event_count; i++)
      if (own == p2_events[i].name) places.push_back(place(p2_events[i]));
    places.erase(std::unique(places.begin(), places.end()), places.end());
    std::string others;
    for (const p2_alias* a = p2_aliases; a->name; a++)
      if (own == a->name) others += fmt::format(" (also: {})", a->other);
    out.print("{:<{}}  {}{}\n", name, width, p2_find_event(name.c_str())->text, others);
    if (places_too) out.print("{:<{}}    {}\n", "", width, fmt::join(places, " "));
  }
}

void show_opcodes(Output& out, const std::string& processor) {
  for (const Opcode& o : opcodes(processor == "power")) out.print("0x{:08x}  {}\n", o.imr, o.name);
}

// The groups, with what their counters count.
void show_groups(Output& out, const std::string& unit) {
  const auto* known = std::find(p2_unit_names, p2_unit_names + P2_UNIT_ALWAYS, unit);
  if (!unit.empty() && known == p2_unit_names + P2_UNIT_ALWAYS)
    throw Misuse(fmt::format("--groups {}: legal are fpu, fxu, icu, scu and sga", unit));
  std::string last;
  for (size_t i = 0; i < p2_event_count; i++) {
    const p2_event& e = p2_events[i];
    if (e.unit == P2_UNIT_ALWAYS || (!unit.empty() && unit != p2_unit_names[e.unit])) continue;
    if (const std::string at = place(e); at != last) {
      const char* const title = e.unit == P2_UNIT_SGA ? "the SCU has all" : p2_group_titles[e.unit][e.group];
      out.print("{}{}: {}\n", last.empty() ? "" : "\n", at, title ? title : "");
      last = at;
    }
    out.print("  {:<6} {:<26} {}\n", counter_text(e.counter), e.name, e.text);
  }
}

void show_sets(Output& out, const std::vector<std::string>& names) {
  const std::vector<p2_set> sets = choose_sets(names, 0);
  for (const p2_set& set : sets) {
    std::vector<std::string> counted;
    for (const std::string& name : names)
      if (p2_counter_of(set.mmcr, name.c_str()) >= 0) counted.push_back(name);
    out.print("MMCR 0x{:08x}  {}: {}\n", set.mmcr, mmcr_text(set.mmcr), fmt::join(counted, " "));
  }
}

void show_rules(Output& out, const std::string& name) {
  if (!name.empty()) {
    const auto names = ready_rules();
    const size_t at = static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (at == names.size())
      throw Misuse(fmt::format("{}: the ready sets of rules are {}", name, fmt::join(names, " ")));
    return out.write(kReadyRules[at].text);
  }
  for (const std::string& ready : ready_rules()) out.print("{:<12} {}\n", ready, load_rules(ready).title);
}

}  // namespace
}  // namespace perfboard::p2

PERFBOARD_TOOL(p2event) {
  using namespace perfboard;
  using namespace perfboard::p2;
  Words w;
  Tool tool("p2event", "What the POWER2 performance monitor can count: events, groups, ready sets of rules.",
            false);
  tool.args.option("EVENT", w.names, "only these; * and ? stand for others (all)");
  tool.args.flag("-g,--groups", w.groups, "by the units' groups, counter by counter; EVENT is a unit");
  tool.args.flag("-s,--sets", w.sets,
                 "the values of MMCR that count the events, as all the tools choose them");
  tool.args.flag("-r,--rules", w.rules, "the ready sets of rules; EVENT is one of them: its text");
  tool.args.option("--opcodes", w.opcodes, "names of instructions for p2run --imr and --opcodes")
      .one_of({"power", "x86"});
  tool.args.flag("--csv", w.csv, "comma-separated values, each place of each event");
  return tool.run(argc, argv, [&](Output& out) {
    const std::string first = w.names.empty() ? "" : w.names[0];
    if (w.groups + w.sets + w.rules + w.csv + !w.opcodes.empty() > 1)
      throw Misuse("--groups, --sets, --rules, --opcodes, --csv: one of them");
    if (!w.opcodes.empty()) return show_opcodes(out, w.opcodes);
    if (w.rules) return show_rules(out, first);
    if (w.groups) return show_groups(out, first);
    const std::vector<std::string> names =
        parse_events(w.names.empty() ? std::vector<std::string>{"*"} : w.names);
    if (w.sets) return show_sets(out, names);
    w.csv ? show_rows(out, names) : show_events(out, names, !w.names.empty());
  });
}
