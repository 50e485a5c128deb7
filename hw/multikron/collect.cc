// SPDX-License-Identifier: GPL-2.0-or-later
//
// A batch is units: when it left its chip (8 bytes), how many words (2), the words; little endian, as the
// cluster's messages are.
#include "hw/multikron/collect.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <set>

namespace perfboard::mk {

struct Unit {
  uint64_t left;
  uint16_t count;
  uint16_t words[MK_WHOLE_WORDS];
};

struct Queue {
  std::deque<Unit> units;
  uint64_t words = 0;
};

}  // namespace perfboard::mk

using perfboard::mk::Queue;
using perfboard::mk::Unit;

namespace {

static_assert(CLUSTER_MOST_NODES <= MK_STREAM_NODES);

constexpr uint32_t kHead = sizeof(uint64_t) + sizeof(uint16_t);
// What a node can have here: receipts come back no sooner than after two ways.
constexpr uint64_t kMostWords = uint64_t{MK_COLLECT_BATCHES} * CLUSTER_MOST_BYTES / sizeof(uint16_t) *
                                (MK_COLLECT_HOLD_NS / (2 * MK_COLLECT_WAY_NS) + 1);

uint32_t bytes_of(const Unit& u) { return kHead + u.count * static_cast<uint32_t>(sizeof u.words[0]); }

uint64_t before(uint64_t at, uint64_t ns) { return at - std::min(at, ns); }

// The first unit of data; its bytes. 0: there is none.
uint32_t read(const uint8_t* data, uint32_t bytes, Unit& u) {
  if (bytes < kHead) return 0;
  std::memcpy(&u.left, data, sizeof u.left);
  std::memcpy(&u.count, data + sizeof u.left, sizeof u.count);
  if (u.count == 0 || u.count > MK_WHOLE_WORDS || bytes_of(u) > bytes) return 0;
  std::memcpy(u.words, data + kHead, bytes_of(u) - kHead);
  return bytes_of(u);
}

// Which node it is of is not for the sender to say.
bool names_a_node(const Unit& u) {
  return std::any_of(u.words, u.words + u.count, [](uint16_t w) { return MK_STREAM_IS_NODE(w); });
}

}  // namespace

struct MkCollection {
  uint32_t node;
  uint64_t join;
  Unit next = {};  // of this node, not whole yet
  std::map<uint32_t, Queue> nodes;
  std::set<std::pair<uint64_t, uint32_t>> first;  // of each node that has one: when it left

  void add(uint32_t from, Unit u) {
    Queue& q = nodes[from];
    // One node's samples keep their order, whatever was done to the time.
    if (q.units.empty())
      first.emplace(u.left, from);
    else
      u.left = std::max(u.left, q.units.back().left);
    q.words += u.count;
    q.units.push_back(u);
  }
  Unit remove(uint32_t from) {
    Queue& q = nodes[from];
    const Unit u = q.units.front();
    q.units.pop_front();
    q.words -= u.count;
    first.erase({u.left, from});
    if (!q.units.empty()) first.emplace(q.units.front().left, from);
    return u;
  }
};

MkCollection* mk_collection_new(uint32_t node, uint64_t join) {
  auto* c = new MkCollection;
  c->node = node;
  c->join = join;
  return c;
}

void mk_collection_free(MkCollection* c) { delete c; }

void mk_collection_words(MkCollection* c, const uint16_t* words, size_t n) {
  Unit& u = c->next;
  n = std::min<size_t>(n, MK_WHOLE_WORDS - u.count);
  std::copy_n(words, n, u.words + u.count);
  u.count = static_cast<uint16_t>(u.count + n);
}

void mk_collection_whole(MkCollection* c, uint64_t ns) {
  c->next.left = ns;
  if (c->next.count && ns >= c->join) c->add(c->node, c->next);
  c->next.count = 0;
}

uint64_t mk_collection_holds(const MkCollection* c) {
  const auto own = c->nodes.find(c->node);
  return own == c->nodes.end() ? 0 : own->second.words;
}

uint32_t mk_collection_batch(MkCollection* c, uint64_t arrives, uint8_t* data) {
  std::deque<Unit>& own = c->nodes[c->node].units;
  uint32_t bytes = 0;
  while (!own.empty() && bytes + bytes_of(own.front()) <= CLUSTER_MOST_BYTES) {
    Unit u = c->remove(c->node);
    u.left = std::max(u.left, before(arrives, MK_COLLECT_HOLD_NS));
    std::memcpy(data + bytes, &u.left, sizeof u.left);
    std::memcpy(data + bytes + sizeof u.left, &u.count, sizeof u.count);
    std::memcpy(data + bytes + kHead, u.words, bytes_of(u) - kHead);
    bytes += bytes_of(u);
  }
  return bytes;
}

bool mk_collection_take(MkCollection* c, uint32_t from, uint64_t arrived, const uint8_t* data,
                        uint32_t bytes) {
  if (from >= CLUSTER_MOST_NODES || from == c->node || bytes == 0) return false;
  uint64_t last = before(arrived, MK_COLLECT_HOLD_NS);
  uint64_t words = c->nodes[from].words;
  Unit u;
  for (uint32_t at = 0, n; at < bytes; at += n) {
    n = read(data + at, bytes - at, u);
    words += u.count;
    if (!n || u.left < last || u.left > arrived || names_a_node(u) || words > kMostWords) return false;
    last = u.left;
  }
  for (uint32_t at = 0; at < bytes;) {
    at += read(data + at, bytes - at, u);
    c->add(from, u);
  }
  return true;
}

uint64_t mk_collection_due(const MkCollection* c) {
  // At one virtual time timers come first, then messages: so one ns later all are there.
  return c->first.empty() ? PB_NEVER : c->first.begin()->first + MK_COLLECT_HOLD_NS + 1;
}

size_t mk_collection_next(MkCollection* c, uint64_t now, uint16_t words[1 + MK_WHOLE_WORDS]) {
  if (c->first.empty() || mk_collection_due(c) > now) return 0;
  const uint32_t from = c->first.begin()->second;
  const Unit u = c->remove(from);
  words[0] = static_cast<uint16_t>(MK_STREAM_NODE(from));
  std::copy_n(u.words, u.count, words + 1);
  return 1 + u.count;
}
