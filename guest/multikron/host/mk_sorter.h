// SPDX-License-Identifier: GPL-2.0-or-later
//
// Samples of several nodes, as a collection network brings them, in the order of their Timestamps: of those
// of one tick by node. They come in the order in which they left their chips, and a sample waits in its chip
// for those before it. So one is held until another is later by more than a sample waits at most, the window.
//
//   Sorter sorter(window, [&](int node, const Sample& s) { ... });
//   sorter.add(node, sample);  ...  sorter.finish();
//
// Samples after different numbers of hardware resets have no common time: each such run is in order by
// itself.
#pragma once

#include <functional>
#include <map>
#include <queue>
#include <vector>

#include "guest/multikron/host/mk_stream.h"

namespace perfboard::mk {

class Sorter {
 public:
  Sorter(int64_t window, std::function<void(int node, const Sample&)> sink)
      : window_(window), sink_(std::move(sink)) {}
  void add(int node, const Sample& sample);
  void finish();                           // no more come
  uint64_t late() const { return late_; }  // how many came later than the window, and so not in their order

 private:
  struct Held {
    Sample sample;
    int node;
    uint64_t number;  // in the order in which they came
    bool operator>(const Held& o) const {
      if (sample.time != o.sample.time) return sample.time > o.sample.time;
      return node != o.node ? node > o.node : number > o.number;
    }
  };
  struct Run {
    std::priority_queue<Held, std::vector<Held>, std::greater<Held>> held;
    int64_t latest = INT64_MIN, given = INT64_MIN;
  };
  void give(Run& run);

  int64_t window_;
  std::function<void(int, const Sample&)> sink_;
  std::map<uint32_t, Run> runs_;
  uint64_t number_ = 0, late_ = 0;
};

}  // namespace perfboard::mk
