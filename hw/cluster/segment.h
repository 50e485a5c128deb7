// SPDX-License-Identifier: GPL-2.0-or-later
//
// Segment - the memory that the nodes of one host share: a file, mapped by all of them.
//
// Whoever comes first makes it; there is no server. Each node has a page of its own, which only it writes,
// and a ring of messages to each other node. All words are little endian; the format's version is in the
// header.
//
//   Header | Node 0 | Node 1 | ... | ring 0>1 | ring 0>2 | ... | ring 1>0 | ...
//
// A peer may die in the middle of a write, or write anything. So nothing that is read here is used as an
// index, a length or a time before it has been checked; a damaged ring is an error that names its node.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "hw/cluster/cluster.h"

namespace perfboard::cluster {

inline constexpr uint64_t kMagic = 0x3130'5453'4c43'4250;  // "PBCLST01"
inline constexpr uint32_t kPage = 4096;
inline constexpr uint32_t kMostNodes = CLUSTER_MOST_NODES;
inline constexpr uint32_t kRingBytes = 1u << 17;  // 31 of the largest packets
inline constexpr uint32_t kMostBytes = CLUSTER_MOST_BYTES;

enum State : uint32_t { kAway, kComes, kHere, kLeft };

struct Header {
  std::atomic<uint32_t> maker;  // 0: nobody has begun the header
  uint32_t layout;              // of the parts' sizes
  std::atomic<uint64_t> magic;  // written last
  uint32_t nodes;
  uint64_t join;   // ns
  uint64_t began;  // of the host's clock, ns
};

struct Node {
  // Odd: the node is about to change what follows. It counts up.
  alignas(64) std::atomic<uint64_t> stamp;
  // Nothing of this node reaches another before that time: what it sends of itself; what it answers; anything
  // at all, if nothing reaches it.
  std::atomic<uint64_t> promise, answers, alone;
  std::atomic<uint64_t> taken;  // messages, of all nodes, that `alone` knows of
  std::atomic<uint64_t> sent;   // messages, to all nodes; before each one is in its ring
  alignas(64) std::atomic<uint32_t> state;
  std::atomic<uint32_t> pid;
  std::atomic<uint64_t> started;  // the process's start, as /proc tells it: a pid may be another's by now
  std::atomic<uint64_t> now;      // virtual time, ns: for whoever looks
  alignas(64) std::atomic<uint32_t> bell;  // others ring it (futex) while `sleeps`
  std::atomic<uint32_t>
      sleeps;  // 0: it does not; else one more than the number of the node that it waits for
};

// Bytes are written before `written` is, and read before `read` is. Both only grow.
struct Ring {
  alignas(64) std::atomic<uint64_t> written;
  alignas(64) std::atomic<uint64_t> read;
  alignas(64) uint8_t bytes[kRingBytes];
};

static_assert(sizeof(Header) <= kPage && sizeof(Node) <= kPage);
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);

constexpr uint64_t ring_number(uint32_t nodes, uint32_t from, uint32_t to) {
  return uint64_t{from} * (nodes - 1) + to - (to > from);
}
constexpr uint64_t segment_bytes(uint32_t nodes) {
  return kPage * (1 + uint64_t{nodes}) + uint64_t{nodes} * (nodes - 1) * sizeof(Ring);
}

// The segment's parts, in a mapping of segment_bytes(nodes).
struct Segment {
  uint8_t* at = nullptr;
  uint32_t nodes = 0;

  Header& header() const { return *reinterpret_cast<Header*>(at); }
  Node& node(uint32_t n) const { return *reinterpret_cast<Node*>(at + kPage * (1 + uint64_t{n})); }
  Ring& ring(uint32_t from, uint32_t to) const {
    return *reinterpret_cast<Ring*>(at + kPage * (1 + uint64_t{nodes}) +
                                    ring_number(nodes, from, to) * sizeof(Ring));
  }
};

// What a page says of its node. The stamp is odd before, and even behind: whoever writes sees to that.
struct Said {
  uint64_t promise = 0, answers = 0, alone = 0, taken = 0;
  bool operator==(const Said&) const = default;
};
void write(Node& node, const Said& said);

// What nodes first to end - 1 say, at one moment: the least `alone`, and messages that they have taken and
// sent. False: one of them has changed meanwhile.
struct Moment {
  uint64_t alone, taken, sent;
};
bool look(const Segment& segment, uint32_t first, uint32_t end, Moment& moment);

// False, and what is wrong with the file. The first to come makes it.
bool map_segment(const char* path, uint32_t nodes, uint64_t join, Segment& segment, std::string& wrong);
// Of a cluster that is there, to be read only.
bool map_to_look(const char* path, Segment& segment, std::string& wrong);
void unmap_segment(Segment& segment);

}  // namespace perfboard::cluster
