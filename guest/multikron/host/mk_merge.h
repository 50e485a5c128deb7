// SPDX-License-Identifier: GPL-2.0-or-later
//
// Several nodes' streams in the order of time (README.md, "Time"). With all_runs the runs before the last
// common reset come too, as far back as every file has them. In a run, items come by time, at equal times by
// the order of the streams. An item without a time (reset, fault) comes with the sample before it in its
// stream.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <vector>

#include "guest/multikron/host/mk_options.h"
#include "guest/multikron/host/mk_stream.h"

namespace perfboard::mk {

class Merge {
 public:
  // Reads all files once, to find the resets; pipes are copied to temporary files.
  Merge(const std::vector<Stream>& streams, bool long_gaps, bool all_runs);

  // The next item and its stream; item.run and sample.run are numbers that all nodes share.
  bool next(Item& item, size_t& stream);
  const StreamReader& reader(size_t stream) const { return *nodes_[stream].reader; }
  // To be called at the end. Says of each stream how many samples were left out because they come before the
  // last common reset, and whether it had any.
  void finish(Tool& tool, Problems& problems) const;

 private:
  struct Node {
    std::unique_ptr<StreamReader> reader;
    uint32_t skip = 0;  // hardware resets before the first run that comes
    uint64_t left_out = 0;
    Item item;
    int64_t time = 0;  // the item's, or that of the sample before it
  };
  struct Key {
    uint32_t run;
    int64_t time;
    size_t node;
    bool operator>(const Key& o) const {
      if (run != o.run) return run > o.run;
      return time != o.time ? time > o.time : node > o.node;
    }
  };
  void advance(size_t index);

  std::vector<Node> nodes_;
  std::priority_queue<Key, std::vector<Key>, std::greater<Key>> queue_;
};

// Samples of several nodes, as a collection network brings them, in the order of their Timestamps: of those
// of one tick by node. They come in the order in which they left their chips, and a sample waits in its chip
// for those before it. So one is held until another is later by more than a sample waits at most, the window.
//
//   Sorter sorter(window, [&](int node, const Sample& s) { ... });
//   sorter.add(node, sample);  ...  sorter.finish();
//
// Samples after different numbers of hardware resets have no common time: each such run is in order by
// itself.

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
