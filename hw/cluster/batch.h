// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a host of a cluster tells another: once a Hello, then batches. A batch is messages, in their order,
// and behind them what those of the sender's nodes whose promises have
// changed promise once these are there.
//
//   Head | Message, its data | Message, its data | ... | Page | Page | ... | Quiet, of as many words as hosts need
//
//   BatchWriter w; w.message(m); ... w.page(p); ... w.quiet(q, hosts);
//   transport.send(host, w.finish(number++, last));
//
//   BatchReader r;
//   if (!r.open(bytes, number)) ...           damaged; else
//   while (r.message(m)) ... r.pages() ...
//
// Words are little endian and lie at multiples of 8. A batch is whole or damaged: it has a number, which is
// the one expected, a sum over all its bytes, and its parts fill it to the last byte. open() looks at all of
// that; what a node, a time or a count means is for the carrier to check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/cluster/cluster.h"
#include "hw/cluster/segment.h"

namespace perfboard::cluster {

using Bytes = std::vector<uint8_t>;

inline constexpr uint32_t kMostHosts = 64;
inline constexpr uint32_t kFullBatch = 1u << 20;  // with so many bytes a batch is sent, and another one begun

// Host h has the nodes first_node(h) to first_node(h + 1) - 1.
constexpr uint32_t first_node(uint32_t nodes, uint32_t hosts, uint32_t host) { return host * nodes / hosts; }
constexpr uint32_t host_of(uint32_t nodes, uint32_t hosts, uint32_t node) {
  return ((node + 1) * hosts - 1) / nodes;
}

// What all hosts must have alike, but for `host`.
struct Hello {
  uint64_t magic = 0x3230'5952'5243'4250;  // "PBCRRY02": the format's version
  uint32_t nodes, hosts, host, message_bytes = kMostBytes;
  uint64_t join;
};

// Empty: it is what that host should have said; else what is wrong with it.
std::string wrong_hello(const Bytes& bytes, const Hello& own, uint32_t host);
Bytes hello_bytes(const Hello& hello);

// As a page's state, but only told: its process is not there any more.
inline constexpr uint32_t kDied = kLeft + 1;

// Of a node's page in the segment. What the other hosts' nodes need.
struct Page {
  uint32_t node, state;
  uint64_t promise, answers, now;
};

// Said of a moment at which no message was under way on that host: its nodes had taken all that had come from
// other hosts, and what they had sent was at the carrier. carrier.cc says what for.
struct Quiet {
  uint64_t is;                                  // 0: there was no such moment
  uint64_t alone;                               // nothing of it arrives before, unless something reaches it
  uint64_t came[kMostHosts], went[kMostHosts];  // messages until then, from and to each host
  bool operator==(const Quiet&) const = default;
};

// A batch that is full, the largest message, which makes it so, and all that may stand behind it.
inline constexpr uint32_t kMostBatch =
    kFullBatch + kMostBytes + 64 + kMostNodes * sizeof(Page) + sizeof(Quiet);

class BatchWriter {
 public:
  BatchWriter() { clear(); }
  bool empty() const { return !messages_ && !pages_; }
  bool full() const { return bytes_.size() >= kFullBatch; }
  void message(const ClusterMessage& m);
  void page(const Page& p);
  void quiet(const Quiet& q, uint32_t hosts);
  // last: this host sends no more. The writer is empty again.
  Bytes finish(uint64_t number, bool last);

 private:
  void clear();
  void add(const void* at, size_t n);
  Bytes bytes_;
  uint32_t messages_, pages_, quiet_hosts_;
};

class BatchReader {
 public:
  // False: it is damaged, or another one than that with this number.
  bool open(const Bytes& bytes, uint64_t number);
  bool last() const { return last_; }
  // False: that was the last one.
  bool message(ClusterMessage& m);
  const std::vector<Page>& pages() const { return pages_; }
  const Quiet& quiet() const { return quiet_; }

 private:
  const uint8_t* at_ = nullptr;  // the next message
  uint32_t messages_ = 0;        // left
  bool last_ = false;
  std::vector<Page> pages_;
  Quiet quiet_;
};

}  // namespace perfboard::cluster
