// SPDX-License-Identifier: GPL-2.0-or-later
//
// What p2run and p2stat have in common: which events, in which sets, and what was counted of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guest/common/arguments.h"
#include "guest/common/input.h"
#include "guest/common/output.h"
#include "guest/power2/cmd/monitor.h"
#include "guest/power2/cmd/rules.h"
#include "guest/power2/cmd/words.h"
#include "guest/power2/lib/p2lib.h"

namespace perfboard::p2 {

// What counts that were taken in turns are worth. Sets are given to the driver again and again, as copies:
// turns go to one copy after the other, so each is a sample of its own of the same program, and how far their
// rates lie apart says how good the estimate is.
//
//   const Turns turns(sets);                       turns.sets() for the driver
//   turns.spread(session, before, after, "loads")  of p2_value_of()'s count

// Counts that may be this far off, as a part of themselves, are no use.
inline constexpr double kMostSpread = 0.1;

class Turns {
 public:
  // One set, or more than half of what the driver takes: no copies.
  explicit Turns(const std::vector<p2_set>& sets);
  const std::vector<p2_set>& sets() const { return sets_; }

  // The standard error of the event's count, as a part of it: of the ratio of its counts to the cycles in
  // which they were counted, among the copies. 0: it was counted all the time. Infinite: not known, as fewer
  // than kLeastCopies had a turn. before may be null.
  double spread(const p2_session& session, const p2_counts* before, const p2_counts& after,
                const std::string& event) const;

 private:
  static constexpr size_t kMostCopies = 8, kLeastCopies = 4;
  std::vector<p2_set> sets_;
  size_t each_;
};

// Seconds that the same few instructions took, again and again.
std::vector<double> time_a_loop();
// By these: whether the machine's time is its host's. Under icount they differ by the clock's last digit.
bool by_host_clock(std::vector<double> took);

// Rows of counts, as the tools hand them to each other: comma-separated values with facts in comments.
//
//   # clock_hz=66666667 monitors=4 ...
//   time,elapsed,seconds,cpu,pid,command,running,cycles,instructions
//   0.512000,0.512000,0.511210,0,97,p2matmul,100,34080012,30112233
//
// time: when the row ended; elapsed: how long it was; seconds: how long its counters were enabled, over all
// processors. running: part of the cycles meanwhile, in percent, in which the event that was counted least
// was counted; below 100 its counts are estimates. An empty field: not known, or of all (cpu, pid).

struct Sample {
  double time = 0, elapsed = 0, seconds = 0, running = 100;
  int cpu = -1, pid = -1;  // -1: of all
  std::string command;
  std::vector<double> counts;  // NaN: not counted
};

std::vector<std::string> sample_columns(const std::vector<std::string>& events);

class SampleWriter {
 public:
  SampleWriter(Output& out, const Facts& facts, const std::vector<std::string>& events);
  void put(const Sample& sample);

 private:
  Output& out_;
};

class SampleReader {
 public:
  explicit SampleReader(Input& in) : in_(in) {}
  // The first line that is no comment. False: nothing in it.
  bool head();
  bool next();
  const std::vector<std::string>& columns() const { return columns_; }
  const Facts& facts() const { return facts_; }
  // Of the row: its words, and numbers (NaN: no number).
  const std::vector<std::string_view>& words() const { return words_; }
  const std::vector<double>& numbers() const { return numbers_; }

 private:
  bool line();
  void note(std::string_view comment);

  Input& in_;
  std::string text_;
  std::vector<std::string> columns_;
  std::vector<std::string_view> words_;
  std::vector<double> numbers_;
  Facts facts_;
};

// A word that needs no quotation marks in CSV.
std::string csv_word(std::string_view text);
void put_fact_line(Output& out, const Facts& facts);
void put_count(Output& out, double value);  // nothing if it is not known
// Six figures or so, for people.
std::string number_text(double value);

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

// For a Reducer, with sample_columns().
std::vector<double> sample_values(const Sample& sample);

// A tool's main(): runs work, and makes exit codes of what it throws.
int run_tool(const char* name, const std::function<int()>& work);

}  // namespace perfboard::p2
