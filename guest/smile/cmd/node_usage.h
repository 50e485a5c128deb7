// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is known of something's use by or of each node, interval by interval: of a page, or of a node's
// threads.
//
// A monitor sees what crosses the network. So what passes between one node and itself is hidden: it is known
// only from the time when it was not at home there. It is a mean of accesses in an interval, of the last
// intervals most. What is known of the hidden one fades.
#pragma once

#include <array>
#include <cstdint>

#include "guest/smile/cmd/advice.h"

namespace perfboard::smile {

class NodeUsage {
 public:
  void counted(unsigned node, uint64_t count) { now_[node] += count; }
  // The interval is over, in which one node was hidden. `fade`: intervals until half of that is forgotten.
  void learn(unsigned hidden, unsigned fade);
  // Nothing is known any more, but what this interval has counted.
  void forget() { use_ = {}; }
  double mean(unsigned node) const { return use_[node].mean(); }
  unsigned most() const;  // the node with the largest mean; the first of several

 private:
  struct Use {
    double accesses = 0, intervals = 0;  // in which it was not hidden
    double mean() const { return intervals > 0 ? accesses / intervals : 0; }
  };
  std::array<Use, kNodes> use_{};
  std::array<uint64_t, kNodes> now_{};
};

}  // namespace perfboard::smile
