// SPDX-License-Identifier: GPL-2.0-or-later
//
// Timing - how long a frame is on its way: to the switch, in it, and from it to its receiver.
#pragma once

#include "hw/cluster/segment.h"
#include "hw/lan/lan.h"

namespace perfboard::lan {

// IEEE 802.3, in bytes' times: preamble and delimiter, check sequence, gap.
inline constexpr uint64_t kPreamble = 8, kCheck = 4, kGap = 12;

// INFERRED: no slower than the other ways between nodes let them step, and no more under way than a ring
// holds.
inline constexpr uint32_t kMostRate = 1000, kLeastLatency = 5000, kMostLatency = 100'000;

constexpr uint64_t time_of(const LanConfig& c, uint64_t bytes) {
  return (bytes * 8000 + c.rate - 1) / c.rate;
}
constexpr uint64_t on_wire(const LanConfig& c, uint64_t bytes) {
  return time_of(c, kPreamble + bytes + kCheck);
}
constexpr uint64_t gap(const LanConfig& c) { return time_of(c, kGap); }
// A message comes so long after the switch could begin to send its frame. That is alike for all frames: they
// come in the order in which they leave the switch.
constexpr uint64_t least(const LanConfig& c) { return on_wire(c, LAN_LEAST_BYTES); }

// A node's messages to another one lie in a ring until that one looks. It looks before it goes beyond what it
// was promised, and the sender goes no further than a promise behind that: two least ways in all, which a
// link may fill, behind a full queue. In the ring the shortest frame takes 96 bytes, on the link 84. What
// else nodes send has the rest.
constexpr uint64_t under_way(uint64_t rate, uint64_t latency_ns) {
  constexpr uint64_t kFrame = kPreamble + LAN_MOST_BYTES + kCheck + kGap;
  return (LAN_QUEUED + 1) * kFrame +
         2 * (2 * (kPreamble + LAN_LEAST_BYTES + kCheck) + rate * latency_ns / 8000 + 1);
}
static_assert(under_way(kMostRate, kMostLatency) * 96 / 84 <= cluster::kRingBytes * 3 / 4);

}  // namespace perfboard::lan
