// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rules at work: values out of rows, statistics of these, values out of the statistics.
//
//   Reducer reducer(rules, columns, facts);     Misuse: a rule needs a name that is none
//   reducer.add(values);                        a row, as many as columns; NaN: not known
//   reducer.row()[i]                            what rule i of the first stage was in that row
//   reducer.first()[i].sd()                     over the rows, each as much as any other
//   reducer.mean(i)                             rule i of the rows' means: so a ratio is that of the sums
//   reducer.second()                            the second stage, now
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "guest/power2/cmd/rules.h"

namespace perfboard::p2 {

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
    enum Kind { kColumn, kRule, kFact, kUnknown, kMean, kSd, kMin, kMax, kSum, kN } kind;
    size_t index;  // of the column; of the rule; of statistics_
    double fact = 0;
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
