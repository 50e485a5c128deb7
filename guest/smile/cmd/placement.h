// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where pages and threads are to be while a program runs, by their use of each node.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "guest/smile/cmd/advice.h"

namespace perfboard::smile {

// What is known of something's use by or of each node, interval by interval: of a page, or of a node's
// threads.
//
// A monitor sees what crosses the network. So what passes between one node and itself is hidden: it is known
// only from the time when it was not at home there. It is a mean of accesses in an interval, of the last
// intervals most. What is known of the hidden one fades.

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

// Where pages are to be while a program runs: what smile adapt decides, interval by interval.
//
//   PagePlacement placement(options);
//   placement.counted(cell);                          what crossed the network since the last time
//   for (const Move& m : placement.moves(homes)) ...  homes: as they were meanwhile
//
// How it decides, and why: README.md, Adapt.

struct PlacementOptions {
  uint64_t least = 1;  // accesses in an interval that a move must save
  double margin = 25;  // percent
  unsigned rest = 2, fade = 256;
};

class PagePlacement {
 public:
  explicit PagePlacement(const PlacementOptions& options) : options_(options) {}
  void counted(uint64_t page, unsigned source, uint64_t count);
  // The interval is over. Pages beyond `homes` are left out.
  std::vector<Move> moves(const std::vector<uint8_t>& homes);

 private:
  struct Page {
    NodeUsage use;
    unsigned rest = 0;
  };

  PlacementOptions options_;
  std::map<uint64_t, Page> pages_;
};

// On which nodes a program's threads are to be while it runs: what smile adapt --threads decides, interval by
// interval.
//
//   ThreadPlacement placement(options, nodes);
//   placement.counted(source, home, count);              what crossed the network since the last time
//   for (const ThreadMove& m : placement.moves(on)) ...  on: which threads are on which node
//
// The threads of one node are a group, and move together: README.md, Threads. The places are the best ones
// that there are: those with the largest sum of accesses at home, of which a group's own count `margin` more.

struct ThreadMove {
  unsigned from, to;  // nodes: all threads of the one go to the other
};

// For each row another column, so that the sum of gain[row][column] is the largest that there is.
std::vector<unsigned> assign(const std::vector<std::vector<double>>& gain);

class ThreadPlacement {
 public:
  // By node; numbers of threads, ascending.
  using Threads = std::vector<std::vector<int>>;

  ThreadPlacement(const PlacementOptions& options, unsigned nodes) : options_(options), at_(nodes) {}
  void counted(unsigned source, unsigned home, uint64_t count);
  // The interval is over; the threads were on these nodes meanwhile. A group that has not moved as this says
  // begins anew.
  std::vector<ThreadMove> moves(const Threads& on);

 private:
  struct Group {
    NodeUsage use;
    std::vector<int> threads;
    unsigned rest = 0;
  };
  void look(const Threads& on);
  bool worth(const std::vector<unsigned>& circle) const;

  PlacementOptions options_;
  std::vector<Group> at_;  // by node
};

}  // namespace perfboard::smile
