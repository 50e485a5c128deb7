// SPDX-License-Identifier: GPL-2.0-or-later
//
// Several nodes' streams in the order of time. One hardware reset sets all Timestamps to 0 and one clock
// drives them ("Event Tracing" of NISTIR 4737). So equal ticks are equal times, for samples after the same
// reset.
//
// A stream can begin late, but all streams end with the same run. So the resets of the files are matched from
// the last one back. By default only what follows the last common reset comes. With all_runs the runs before
// it come too, as far back as every file has them. In a run, items come by time, at equal times by the order
// of the streams. An item without a time (reset, fault) comes with the sample before it in its stream.
#pragma once

#include <memory>
#include <queue>

#include "guest/multikron/host/mk_options.h"
#include "guest/multikron/host/mk_problems.h"

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

}  // namespace perfboard::mk
