// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rules: what a user wants to know of counts, in two stages ("Monitor data reduction tools").
//
//   # cycles per instruction, and of what they are made           the set's title: the first comment
//   let misses = dcache_load_misses + dcache_store_misses         not shown
//   cpi = cycles / instructions : cycles for each instruction     NAME [UNIT] = EXPRESSION : TEXT; unit and text may be left out
//   mflops [Mflops] = flops / seconds / 1e6
//   second                                                        what follows is the second stage
//   stalled [%] = 100 * (misses * dcache_penalty) / cycles
//   spread = cpi.sd / cpi
//
// A rule of the first stage is worked out for each row of counts, out of the row's columns, the facts in the
// comments of the file (clock_hz ...) and rules above it. Each has statistics over the rows in which all that
// it needs was counted; its mean is the rule of the rows' means, so that a ratio is that of the sums. A rule
// of the second stage is worked out once, at the end, out of these: NAME and NAME.mean, NAME.sd, .min, .max,
// .sum, .n, of a rule of the first stage or of a column. So the second stage combines what was never counted
// together.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "guest/power2/cmd/expression.h"
#include "guest/power2/cmd/monitor.h"

namespace perfboard::p2 {

struct Rule {
  std::string name, unit, text;
  bool shown;
  std::string source;  // of the expression
  Expression expression;
};

struct RuleSet {
  std::string name, title;
  std::vector<Rule> first, second;

  // Of the monitor's events, those that the rules use, in the order of the rules.
  std::vector<std::string> events() const;
  // NAME or NAME[UNIT] of the rules that are shown.
  std::vector<std::string> heads() const;
};

// name: for messages. Misuse says line and column.
RuleSet parse_rules(const std::string& name, std::string_view text);
// A ready set by its name (cpi), or a file.
RuleSet load_rules(const std::string& name);
std::vector<std::string> ready_rules();
// One set of several: the rules of all, one after another. The same rule in two of them is one.
RuleSet load_all_rules(const std::vector<std::string>& names);

struct ReadyRules {
  const char *name, *text;
};
// guest/power2/rules, as rules/embed has made them; the last one has no name
extern const ReadyRules kReadyRules[];

}  // namespace perfboard::p2
