// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/power2/cmd/counting.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <functional>

namespace perfboard::p2 {

void Choice::declare(Arguments& args) {
  args.option("-e,--events", event_lists,
              "events, with commas between them; * and ? stand for others (p2event lists them)")
      .type("LIST")
      .each();
  args.option("-r,--rules", rule_names,
              fmt::format("what is to be known: a file of rules, or {}", fmt::join(ready_rules(), ", ")))
      .type("RULES")
      .each();
  args.option("-g,--groups", groups,
              "groups of the units, fxu=3,icu=0; or sga; or all: 0 to 15, one after another")
      .type("GROUPS");
  args.flag("--user", user, "count in problem state only");
  args.flag("--kernel", kernel, "count in privileged state only");
  args.option("--period", period, "with more events than fit at once: how long each set of groups is counted")
      .type("TIME")
      .show_default();
  args.option("-d,--device", device, "the monitor").show_default();
}

Plan make_plan(const Choice& choice, const char* usual) {
  Plan plan;
  if (choice.user && choice.kernel) throw Misuse("--user and --kernel: together they leave nothing");
  const uint32_t control =
      p2_control((choice.user ? P2_USER_ONLY : 0) | (choice.kernel ? P2_KERNEL_ONLY : 0));
  plan.period_ns = parse_time("--period", choice.period, 1000000, 10000000000);
  std::vector<std::string> rules = choice.rule_names;
  if (rules.empty() && choice.event_lists.empty() && choice.groups.empty()) rules.emplace_back(usual);
  if (!rules.empty()) plan.rules = load_all_rules(rules);
  plan.events = parse_events(choice.event_lists);
  for (const std::string& event : plan.rules.events())
    if (std::find(plan.events.begin(), plan.events.end(), event) == plan.events.end())
      plan.events.push_back(event);
  if (choice.groups.empty()) {
    if (plan.events.empty())
      throw Misuse(fmt::format("{}: these rules need no event of the monitor", plan.rules.name));
    plan.sets = choose_sets(plan.events, control);
    return plan;
  }
  if (!choice.event_lists.empty()) throw Misuse("--groups and --events: one of them");
  plan.sets = parse_groups(choice.groups, control);
  plan.events = events_of(plan.sets);
  return plan;
}

Sample sample_of(const Monitor& monitor, const std::vector<std::string>& events, const p2_counts* before,
                 const p2_counts& after) {
  Sample s;
  s.seconds = static_cast<double>(after.set[0].enabled_ns - (before ? before->set[0].enabled_ns : 0)) / 1e9;
  for (const std::string& event : events) {
    p2_value v;
    if (p2_value_of(&monitor.session(), before, &after, event.c_str(), &v)) {
      s.counts.push_back(kNone);
      s.running = 0;
      continue;
    }
    s.counts.push_back(v.count);
    if (v.cycles < v.all_cycles)
      s.running =
          std::min(s.running, 100 * static_cast<double>(v.cycles) / static_cast<double>(v.all_cycles));
  }
  return s;
}

std::vector<double> sample_values(const Sample& s) {
  std::vector<double> values{
      s.time, s.elapsed, s.seconds, s.cpu < 0 ? kNone : s.cpu, s.pid < 0 ? kNone : s.pid, kNone, s.running};
  values.insert(values.end(), s.counts.begin(), s.counts.end());
  return values;
}

int run_tool(const char* name, const std::function<int()>& work) {
  const auto failed = [name](int status, const char* text) {
    std::fputs(fmt::format("{}: {}\n", name, text).c_str(), stderr);
    return status;
  };
  hold_standard_descriptors();
  try {
    return work();
  } catch (const UsageError& e) {
    return failed(2, e.what());
  } catch (const std::runtime_error& e) {
    return failed(1, e.what());
  }
}

}  // namespace perfboard::p2
