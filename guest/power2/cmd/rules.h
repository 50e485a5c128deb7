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

#include <cstdint>
#include <map>
#include <span>
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

// Rules at work: values out of rows, statistics of these, values out of the statistics.
//
//   Reducer reducer(rules, columns, facts);     Misuse: a rule needs a name that is none
//   reducer.add(values);                        a row, as many as columns; NaN: not known
//   reducer.row()[i]                            what rule i of the first stage was in that row
//   reducer.first()[i].sd()                     over the rows, each as much as any other
//   reducer.mean(i)                             rule i of the rows' means: so a ratio is that of the sums
//   reducer.second()                            the second stage, now

class Statistics {
 public:
  void add(double x);  // NaN: nothing
  uint64_t n() const { return n_; }
  double sum() const { return sum_; }
  double mean() const;  // NaN: n is 0
  double sd() const;    // of a sample: by n - 1; NaN: n is 0 or 1
  double min() const;
  double max() const;

 private:
  uint64_t n_ = 0;
  double sum_ = 0, mean_ = 0, squares_ = 0, min_ = 0, max_ = 0;
};

class Reducer {
 public:
  Reducer(const RuleSet& rules, const std::vector<std::string>& columns, const Facts& facts);
  void add(std::span<const double> row);
  const std::vector<double>& row() const { return row_; }  // by rule of the first stage, of the last row
  const std::vector<Statistics>& first() const { return first_; }
  // Over the rows in which all that the rule needs is known, also those in which it divides by 0. NaN: none.
  double mean(size_t rule) const;
  std::vector<double> second() const;
  std::vector<double> shown() const;  // of the rules that are: row() and second()
  const RuleSet& rules() const { return rules_; }

 private:
  // Where a name's value comes from.
  struct Source {
    enum Kind { kColumn, kRule, kFact, kUnknown, kStatistic } kind;
    size_t index;  // of the column; of the rule; kStatistic: of the first stage's rules, and behind them of
                   // the columns
    double fact = 0;
    double (*of)(const Statistics&) = nullptr;  // kStatistic; null: the mean
  };
  Source first_source(const std::string& name, size_t rule);
  Source second_source(const std::string& name, size_t rule);
  size_t column(const std::string& name) const;
  void first_stage(std::span<const double> row, std::vector<double>& values) const;

  const RuleSet& rules_;
  std::vector<std::string> columns_;
  const Facts facts_;
  std::vector<std::vector<Source>> first_sources_, second_sources_;
  std::vector<double> row_;
  std::vector<Statistics> first_;
  // By rule of the first stage: the columns that it needs, itself or by rules above, and statistics of these.
  std::vector<std::map<size_t, Statistics>> needed_;
  std::vector<Statistics> of_columns_;  // that the second stage looks at
  std::vector<bool> column_wanted_;
};

}  // namespace perfboard::p2
