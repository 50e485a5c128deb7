// SPDX-License-Identifier: GPL-2.0-or-later
//
// What p2run and p2stat have in common: which events, in which sets, and what was counted of them.
#pragma once

#include <string>
#include <vector>

#include "guest/common/arguments.h"
#include "guest/power2/cmd/rules.h"
#include "guest/power2/cmd/samples.h"
#include "guest/power2/cmd/words.h"

namespace perfboard::p2 {

// Options that say what is counted.
struct Choice {
  std::vector<std::string> event_lists, rule_names;
  std::string groups, period = "4ms", device = P2_DEVICE;
  bool user = false, kernel = false;

  void declare(Arguments& args);
};

// What they mean.
struct Plan {
  std::vector<std::string> events;  // columns of what is counted
  std::vector<p2_set> sets;
  RuleSet rules;  // empty: none
  uint64_t period_ns;
};

// usual: rules if neither events nor groups nor rules are named.
Plan make_plan(const Choice& choice, const char* usual);

// Counts of the plan's events between two readings (before may be null), how long, and the least part of it.
// Neither time nor elapsed.
Sample sample_of(const Monitor& monitor, const std::vector<std::string>& events, const p2_counts* before,
                 const p2_counts& after);

// For a Reducer, with the columns of samples.h.
std::vector<double> sample_values(const Sample& sample);

// A tool's main(): runs work, and makes exit codes of what it throws.
int run_tool(const char* name, const std::function<int()>& work);

}  // namespace perfboard::p2
