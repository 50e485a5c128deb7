// SPDX-License-Identifier: GPL-2.0-or-later
//
// Segment - the memory that the nodes of one host share: a file, mapped by all of them.
//
// Whoever comes first makes it; there is no server. Each node has a page of its own, which only it writes but
// for its inbox, and a ring of messages to each other node. All words are little endian; the format's version
// is in the header.
//
//   Header | Node 0 | Node 1 | ... | Group 0 | Group 1 | ... | ring 0>1 | ring 0>2 | ... | ring 1>0 | ...
//
// The file is as large as all rings, and takes as much memory as has been written: of two nodes that do not
// talk nothing, of two that do one page of memory, as a ring that is empty begins anew. Whoever writes has
// asked the host for that memory before: on a file system that is full the write itself would kill (SIGBUS).
//
// A peer may die in the middle of a write, or write anything. So nothing that is read here is used as an
// index, a length or a time before it has been checked; a damaged ring is an error that names its node.
// Whoever reads asks for memory, too: a peer may tell of a ring that has none. And a peer may cut the file
// short, at any moment: the memory that a reader then misses is replaced by zeros, and Segment::cut says so.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "hw/cluster/cluster.h"

namespace perfboard::cluster {

// FNV-1a, by which what comes from another process is known to be whole.
inline constexpr uint32_t kSumOfNothing = 0x811c9dc5;

inline uint32_t add_to_sum(uint32_t sum, const uint8_t* at, size_t n) {
  for (; n; --n) sum = (sum ^ *at++) * 0x01000193;
  return sum;
}

inline constexpr uint64_t kMagic = 0x3330'5453'4c43'4250;  // "PBCLST03"
inline constexpr uint32_t kPage = 4096;
inline constexpr uint32_t kMostNodes = CLUSTER_MOST_NODES;
inline constexpr uint32_t kGroup = 32;                  // nodes: about the root of the most
inline constexpr uint32_t kSetWords = kMostNodes / 64;  // of a set of nodes, a bit for each
inline constexpr uint32_t kRingBytes = 1u << 17;        // 31 of the largest packets
inline constexpr uint32_t kMostBytes = CLUSTER_MOST_BYTES;

enum State : uint32_t { kAway, kComes, kHere, kLeft };

struct Header {
  std::atomic<uint32_t> maker;  // 0: nobody has begun the header
  uint32_t layout;              // of the parts' sizes
  std::atomic<uint64_t> magic;  // written last
  uint32_t nodes;
  uint64_t join;                                          // ns
  std::atomic<uint64_t> began;                            // of the host's clock, ns
  alignas(64) std::atomic<uint64_t> sleepers[kSetWords];  // a bit for each node whose bell is to be rung
};

// Two lines of memory that change often do not stand beside another node's, nor all of them at multiples of a
// page, which caches would keep in one place.
struct alignas(128) Node {
  // Odd: the node is about to change what follows. It counts up.
  std::atomic<uint64_t> stamp;
  // Nothing of this node reaches another before that time: what it sends of itself; what it answers; anything
  // at all, if nothing reaches it.
  std::atomic<uint64_t> promise, answers, alone;
  std::atomic<uint64_t> taken;  // messages, of all nodes, that `alone` knows of
  std::atomic<uint64_t> sent;   // messages, to all nodes; before each one is in its ring
  alignas(64) std::atomic<uint32_t> state;
  std::atomic<uint32_t> pid;
  std::atomic<uint64_t> started;  // the process's start, as /proc tells it: a pid may be another's by now
  std::atomic<uint64_t> now;      // virtual time, ns: for whoever looks
  alignas(64) std::atomic<uint32_t> bell;  // others ring it (futex)
  // Asleep: one more than the number of the node that is to wake it, else 0; that one may name another.
  std::atomic<uint32_t> waits_for;
  std::atomic<uint64_t> needs;  // asleep: a limit later than that, ns
  // A bit for each node that has put something into its ring since the reader took these bits. Others write.
  alignas(64) std::atomic<uint64_t> inbox[kSetWords];
};

// Nodes of a group, kGroup of them in order, say here what all of them say (group.h).
struct alignas(128) Group {
  std::atomic<uint64_t> promise;      // no node's is earlier
  std::atomic<uint64_t> changes;      // of what they say, so far
  std::atomic<uint64_t> sent, taken;  // messages, about: whether it pays to look at all nodes
};

// Bytes are written before `written` is, and read before `read` is. All three only grow.
struct alignas(kPage) Ring {
  std::atomic<uint64_t> written;
  std::atomic<uint64_t> begin;  // what is there begins here, or at `read`, if that is later
  alignas(64) std::atomic<uint64_t> read;
  alignas(64) uint8_t bytes[kRingBytes];
};

static_assert(sizeof(Header) <= kPage);
static_assert(std::atomic<uint64_t>::is_always_lock_free && std::atomic<uint32_t>::is_always_lock_free);

constexpr uint64_t ring_number(uint32_t nodes, uint32_t from, uint32_t to) {
  return uint64_t{from} * (nodes - 1) + to - (to > from);
}
constexpr uint32_t groups_of(uint32_t nodes) { return (nodes + kGroup - 1) / kGroup; }
constexpr uint64_t groups_at(uint32_t nodes) { return kPage + nodes * sizeof(Node); }
constexpr uint64_t rings_at(uint32_t nodes) {
  return (groups_at(nodes) + groups_of(nodes) * sizeof(Group) + kPage - 1) / kPage * kPage;
}
constexpr uint64_t segment_bytes(uint32_t nodes) {
  return rings_at(nodes) + uint64_t{nodes} * (nodes - 1) * sizeof(Ring);
}

// The segment's parts, in a mapping of segment_bytes(nodes).
struct Segment {
  uint8_t* at = nullptr;
  uint32_t nodes = 0;
  int fd = -1;  // of the mapping; it is all users'
  // One more than where in the file something was missed that was there once; 0: nothing was.
  const std::atomic<uint64_t>* cut = nullptr;

  Header& header() const { return *reinterpret_cast<Header*>(at); }
  Node& node(uint32_t n) const { return *reinterpret_cast<Node*>(at + kPage + n * sizeof(Node)); }
  Group& group(uint32_t g) const {
    return *reinterpret_cast<Group*>(at + groups_at(nodes) + g * sizeof(Group));
  }
  Ring& ring(uint32_t from, uint32_t to) const {
    return *reinterpret_cast<Ring*>(at + rings_at(nodes) + ring_number(nodes, from, to) * sizeof(Ring));
  }
};

// f(node) for each node of a set's word, in which `first` is the first one. What is no node's bit is dropped.
template <typename F>
void each_in_word(uint64_t bits, uint32_t first, uint32_t nodes, F&& f) {
  for (; bits; bits &= bits - 1) {
    const uint32_t n = first + static_cast<uint32_t>(__builtin_ctzll(bits));
    if (n < nodes) f(n);
  }
}
// The same for a set, which is empty then.
template <typename F>
void take_set(std::atomic<uint64_t>* set, uint32_t nodes, F&& f) {
  for (uint32_t first = 0; first < nodes; first += 64) {
    std::atomic<uint64_t>& word = set[first / 64];
    if (word.load(std::memory_order_relaxed)) each_in_word(word.exchange(0), first, nodes, f);
  }
}
inline void put_into_set(std::atomic<uint64_t>* set, uint32_t n) { set[n / 64].fetch_or(1ull << n % 64); }
// Of what take_set() would look at: bits of no node go with the next one that is taken.
inline bool any_in_set(const std::atomic<uint64_t>* set, uint32_t nodes) {
  return std::any_of(set, set + (nodes + 63) / 64, [](const auto& bits) { return bits != 0; });
}

// What a page says of its node. The stamp is odd before, and even behind: whoever writes sees to that.
struct Said {
  uint64_t promise = 0, answers = 0, alone = 0, taken = 0;
  bool operator==(const Said&) const = default;
};
void write(Node& node, const Said& said);

// What nodes first to end - 1 say, at one moment: the least `alone`, and whose it is; messages that they have
// taken and sent. False: one of them has changed meanwhile.
struct Moment {
  uint64_t alone, taken, sent;
  uint32_t node;
};
bool look(const Segment& segment, uint32_t first, uint32_t end, Moment& moment);

// False, and what is wrong with the file. The first to come makes it; it is its user's, and nobody else may
// write to it. Nodes of one process have one mapping. From then on the process handles SIGBUS, and hands on
// what is not of a mapping.
bool map_segment(const char* path, uint32_t nodes, uint64_t join, Segment& segment, std::string& wrong);
void unmap_segment(Segment& segment);
// Of a cluster that is there: a copy, as it is now, of all but its rings. It stays.
bool copy_to_look(const char* path, Segment& segment, std::string& wrong);
// Each thread that uses a mapping says so first. QEMU's threads block SIGBUS, and who blocks it is killed.
void hear_bus_errors();
// What there is to say of a file that has been cut short; "": it has not. node: whose part was missed, if
// that is another one's than `own`.
std::string missed(const Segment& segment, const std::string& path, uint32_t own, uint32_t& node);

// Memory for the file's bytes from `at` on. False: there is none, errno says why.
bool reserve(int fd, uint64_t at, uint64_t bytes);

// What whoever maps the segment needs of the host: which process another one is, the time, a sleeper's bell.

// The process's start as /proc/PID/stat tells it, in clock ticks; 0: there is no such process.
uint64_t start_of(uint32_t pid);
// The node is this process's from now on, and comes. False, and why not: somebody has it, or had it once.
bool claim(Node& node, std::string& wrong);
uint64_t host_ns();
// The calling thread runs as soon as it is woken, though only for a short time, beside programs that compute:
// a step takes microseconds, and would wait milliseconds for them. Linux 6.12 has that; others take the words
// and do nothing.
void ask_for_short_turns();
// A virtual time, for a line that somebody reads.
std::string seconds(uint64_t ns);

// Nodes that sleep look again: all of them (kNobody), or those whom node `own` may have helped.
inline constexpr uint32_t kNobody = UINT32_MAX;
void wake_sleepers(const Segment& segment, uint32_t own);

// Messages in a ring of the segment: one node writes, one reads, and neither waits for the other.
//
//   if (!put(ring, number++, message)) ...     no room: nothing was written
//   if (!reserve(segment, from, to, bytes, reserved)) ...    the host has no memory for a message of that size
//   if (!post(segment, from, to, number++, message)) ...     put, and the receiver looks into this ring
//   switch (take(segment, from, to, number, reserved, message)) ...   kOne: count number up
//
// A message is whole or damaged: it has a number, which is the one expected, and a sum over all its bytes.

constexpr uint32_t whole_words(uint32_t bytes) { return (bytes + 7) / 8 * 8; }
// Of the ring's memory, with what stands in front of it.
constexpr uint32_t ring_room(uint32_t bytes) { return 32 + whole_words(bytes); }

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
