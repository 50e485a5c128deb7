// SPDX-License-Identifier: GPL-2.0-or-later
//
// Messages in a ring of the segment: one node writes, one reads, and neither waits for the other.
//
//   if (!put(ring, number++, message)) ...     no room: nothing was written
//   if (!reserve(segment, from, to, bytes, reserved)) ...    the host has no memory for a message of that size
//   if (!post(segment, from, to, number++, message)) ...     put, and the receiver looks into this ring
//   switch (take(segment, from, to, number, reserved, message)) ...   kOne: count number up
//
// A message is whole or damaged: it has a number, which is the one expected, and a sum over all its bytes.
#pragma once

#include "hw/cluster/cluster.h"
#include "hw/cluster/segment.h"

namespace perfboard::cluster {

// Of the ring's memory, with what stands in front of it.
constexpr uint32_t ring_room(uint32_t bytes) { return 32 + (bytes + 7) / 8 * 8; }

// `reserved` is the caller's, and 0 at first: of the ring's memory, bytes that are there. False: errno says
// why.
bool reserve(const Segment& segment, uint32_t from, uint32_t to, uint32_t bytes, uint32_t& reserved);
bool put(Ring& ring, uint64_t number, const ClusterMessage& message);
bool post(const Segment& segment, uint32_t from, uint32_t to, uint64_t number, const ClusterMessage& message);

// For a message that may be lost as well: half of a ring is for the others. Memory is reserved.
bool has_room(const Ring& ring, uint32_t bytes);

enum class Taken { kNone, kOne, kDamaged, kNoMemory };  // the last one: errno says why
// message.from is not set: it is the ring's.
Taken take(const Segment& segment, uint32_t from, uint32_t to, uint64_t number, uint32_t& reserved,
           ClusterMessage& message);
// Of a ring whose memory is all there.
Taken take(Ring& ring, uint64_t number, ClusterMessage& message);

}  // namespace perfboard::cluster
