// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a picture of streams shows, whatever their length, in memory that depends on the picture only: mkstat
// --csv picture, for mkplot.
//
// Time is cut into columns of a power of two ticks, a tick at first. When a CPU or a counter has more columns
// than wanted, all columns become twice as wide. A column of a CPU has the time in each state, innermost
// visits only. A column of a counter has the first, least, most and last of its rates, so that a line through
// them looks as one through all. Up to kMostVisits visits are kept one by one besides.
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "guest/multikron/host/mk_tables.h"

namespace perfboard::mk {

class Picture {
 public:
  static constexpr size_t kMostVisits = 6000;

  // With only_last_run, of each node what follows its last hardware reset that is followed by anything.
  Picture(size_t columns, bool only_last_run) : most_(columns), only_last_run_(only_last_run) {}

  void begin(const std::string& node);
  void entered(const Visit& visit);
  void left(const Visit& visit);
  void interval(const Interval& interval);
  void csv(const Options& options, Output& out) const;

 private:
  using Column = int64_t;  // time / its width
  struct Cell {
    std::map<uint16_t, uint64_t> ticks;  // by state
    bool lost = false;
  };
  // A visit that has not ended, and when it was the innermost of its CPU.
  struct Open {
    Visit visit;
    std::vector<std::pair<Column, uint64_t>> spent;
  };
  struct Cpu {
    std::vector<Open> open;  // in the order of their entries
    int64_t now = 0;
    std::map<Column, Cell> cells;
  };
  struct Point {
    int64_t time;
    double rate;
  };
  struct Bin {
    Point first, least, most, last;
    bool gap;  // the rate before the first is not known
  };
  struct Curve {
    std::map<Column, Bin> bins;
    bool begun = false;
    int64_t end = 0;
  };
  struct Node {
    std::string name;
    uint32_t run = 0;
    std::array<Cpu, 8> cpus;
    std::map<unsigned, Curve> curves;                         // by counter
    std::map<uint16_t, std::pair<unsigned, int64_t>> states;  // least depth and then start of each state
    std::vector<Visit> visits;                                // the first ones
    uint64_t exited = 0, open = 0;                            // how many there were
    bool any = false;
    int64_t first = 0, last = 0;
  };

  Node& node_in_run(uint32_t run);
  static void extend(Node& node, int64_t start, int64_t end);
  void spend(Cpu& cpu, int64_t until);
  void add(Curve& curve, const Point& point, bool gap);
  void widen();
  uint64_t width() const { return uint64_t{1} << shift_; }

  const size_t most_;
  const bool only_last_run_;
  unsigned shift_ = 0;
  std::vector<Node> nodes_;
};

}  // namespace perfboard::mk
