// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rows of counts, as the tools hand them to each other: comma-separated values with facts in comments.
//
//   # clock_hz=66666667 monitors=4 ...
//   time,elapsed,seconds,cpu,pid,command,running,cycles,instructions
//   0.512000,0.512000,0.511210,0,97,p2matmul,100,34080012,30112233
//
// time: when the row ended; elapsed: how long it was; seconds: how long its counters were enabled, over all
// processors. running: part of the cycles meanwhile, in percent, in which the event that was counted least
// was counted; below 100 its counts are estimates. An empty field: not known, or of all (cpu, pid).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "guest/common/input.h"
#include "guest/common/output.h"
#include "guest/power2/cmd/monitor.h"

namespace perfboard::p2 {

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

}  // namespace perfboard::p2
