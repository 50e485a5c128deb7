// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/cluster/group.h"

namespace perfboard::cluster {
namespace {

struct Range {
  uint32_t first, end;
};
Range nodes_of(const Segment& segment, uint32_t group) {
  return {group * kGroup, std::min(segment.nodes, (group + 1) * kGroup)};
}

uint64_t promise_of(const Segment& segment, uint32_t n) {
  return segment.node(n).promise.load(std::memory_order_acquire);
}

// The group's promise as it is, if it is not above that.
uint64_t least_above(const Segment& segment, uint32_t node, uint64_t told) {
  const Range in = nodes_of(segment, node / kGroup);
  uint64_t least = promise_of(segment, node);
  // From the next one on: where nodes take turns, that is whom the group waits for.
  for (uint32_t n = node + 1, left = in.end - in.first - 1; left && least > told; n++, left--) {
    if (n == in.end) n = in.first;
    least = std::min(least, promise_of(segment, n));
  }
  return least;
}

}  // namespace

void tell_its_group(const Segment& segment, uint32_t node, uint64_t taken) {
  Group& g = segment.group(node / kGroup);
  // Two nodes may promise at one time. One of them at least sees the other's.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  uint64_t told = g.promise.load(std::memory_order_relaxed);
  const uint64_t least = least_above(segment, node, told);
  while (told < least && !g.promise.compare_exchange_weak(told, least, std::memory_order_acq_rel,
                                                          std::memory_order_relaxed)) {
  }
  if (taken) g.taken.fetch_add(taken, std::memory_order_relaxed);
  g.changes.fetch_add(1, std::memory_order_release);
}

bool may_be_quiet(const Segment& segment) {
  if (segment.nodes <= kGroup) return true;
  uint64_t under_way = 0;
  for (uint32_t g = 0; g < groups_of(segment.nodes); g++)
    under_way += segment.group(g).sent.load(std::memory_order_relaxed) -
                 segment.group(g).taken.load(std::memory_order_relaxed);
  return !under_way;
}

uint32_t least_of_group(const Segment& segment, uint32_t node) {
  const Range in = nodes_of(segment, node / kGroup);
  uint32_t least = in.first;
  for (uint32_t n = in.first; n < in.end; n++)
    if (promise_of(segment, n) < promise_of(segment, least)) least = n;
  return least;
}

}  // namespace perfboard::cluster
