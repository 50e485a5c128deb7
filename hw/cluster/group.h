// SPDX-License-Identifier: GPL-2.0-or-later
//
// Groups - of many nodes none looks at each: kGroup nodes in order are a group, which says what all of them
// say. A node looks at the nodes of its own group, and at the other groups. Up to kGroup nodes are one group,
// and nobody says anything for it.
//
//   node.promise = ...                  a node says something
//   tell_group(segment, node, taken);   it counts for the group
//   Others others(nodes, node);         whom that node looks at
//   others.least_promise(segment, ...)
//
// There is no leader: whoever has raised its promise works out the group's and raises that. Promises never go
// back, so the least of any that were read is a promise, and of two of these the later one.
#pragma once

#include <algorithm>

#include "hw/cluster/segment.h"

namespace perfboard::cluster {

void tell_its_group(const Segment& segment, uint32_t node, uint64_t taken);
// After that node's page has been written. taken: messages, since it was told last.
inline void tell_group(const Segment& segment, uint32_t node, uint64_t taken) {
  if (segment.nodes > kGroup) tell_its_group(segment, node, taken);
}
// Before a message of that node's is in its ring.
inline void count_sent(const Segment& segment, uint32_t node) {
  segment.node(node).sent.fetch_add(1);
  if (segment.nodes > kGroup) segment.group(node / kGroup).sent.fetch_add(1, std::memory_order_relaxed);
}

// False: messages are on their way, so that it would not be worth while to look at all nodes.
bool may_be_quiet(const Segment& segment);
// Who of that node's group has promised least.
uint32_t least_of_group(const Segment& segment, uint32_t node);

struct Least {
  uint64_t promise;
  uint32_t node;
  bool of_group = false;  // that node is the first one of the group which promises that
};

// These are in every step of a node that computes: what is written here costs it.
class Others {
 public:
  Others() = default;
  Others(uint32_t nodes, uint32_t node)
      : node_(node),
        first_(node / kGroup * kGroup),
        end_(std::min(nodes, first_ + kGroup)),
        groups_(nodes > kGroup ? groups_of(nodes) : 0) {}

  // A sum that changes when one of them says something.
  uint64_t changes(const Segment& segment) const {
    uint64_t all = 0;
    for (uint32_t n = first_; n < end_; n++)
      if (n != node_) all += segment.node(n).stamp.load(std::memory_order_acquire);
    for (uint32_t g = 0; g < groups_; g++)
      if (g != first_ / kGroup) all += segment.group(g).changes.load(std::memory_order_acquire);
    return all;
  }
  // What is promised by who promises least; if nobody does less, `most`.
  Least least_promise(const Segment& segment, Least most) const {
    for (uint32_t n = first_; n < end_; n++) {
      const uint64_t promise = segment.node(n).promise.load(std::memory_order_acquire);
      if (n != node_ && promise < most.promise) most = {promise, n};
    }
    for (uint32_t g = 0; g < groups_; g++) {
      const uint64_t promise = segment.group(g).promise.load(std::memory_order_acquire);
      if (g != first_ / kGroup && promise < most.promise) most = {promise, g * kGroup, true};
    }
    return most;
  }

 private:
  uint32_t node_ = 0, first_ = 0, end_ = 0, groups_ = 0;
};

}  // namespace perfboard::cluster
