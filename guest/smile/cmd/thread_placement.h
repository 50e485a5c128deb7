// SPDX-License-Identifier: GPL-2.0-or-later
//
// On which nodes a program's threads are to be while it runs: what smile adapt --threads decides, interval by
// interval.
//
//   ThreadPlacement placement(options, nodes);
//   placement.counted(source, home, count);              what crossed the network since the last time
//   for (const ThreadMove& m : placement.moves(on)) ...  on: which threads are on which node
//
// A monitor knows of an access which node made it, not which thread. So all threads that are on one node are
// one group, and move together. Groups change places with each other, or go to a node where none is: no node
// gets a second group, for the best places of threads without that rule are all on one node.
//
// What a group does with its own node's memory no monitor sees (node_usage.h): it shows when the group has
// moved, and it moves back if that was more.
//
// The places are the best ones that there are: those with the largest sum of accesses at home. Hysteresis:
// what a group does at its own node counts `margin` more, and a group stays for `rest` intervals after a
// move.
#pragma once

#include <vector>

#include "guest/smile/cmd/page_placement.h"

namespace perfboard::smile {

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
