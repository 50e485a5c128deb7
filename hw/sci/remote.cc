// SPDX-License-Identifier: GPL-2.0-or-later
//
// Remote: the other nodes are machines of their own (hw/cluster/cluster.h).
//
// A request is a message, and so is a response: it arrives when the packet is wholly in the receiver's link
// chip, and the receiver puts it onto its B-Link. Memory is accessed just then (INFERRED: it is somewhere
// between the request on the home's B-Link and the response there). A read or lock is a question, its
// response the answer. Messages to one node arrive in the order in which they were sent, though packets of
// unlike size could overtake each other in the calendars of links: a load must not pass the store before it.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "hw/cluster/cluster.h"
#include "hw/model/host.h"
#include "hw/sci/model.h"
#include "hw/sci/timing.h"

namespace perfboard::sci {
namespace {

struct Message {
  uint8_t what, response, line, enables, trans, last;
  uint8_t reserved[2];
  uint32_t offset, reserved2;
  uint64_t number;
  uint64_t data[SCI_LINE_BYTES / 8];
};
static_assert(sizeof(Message) == 24 + SCI_LINE_BYTES && sizeof(Message) <= CLUSTER_MOST_BYTES);

uint32_t bytes_of(const Message& m) {
  const bool none = is_answered(m.what) && !m.response;
  return static_cast<uint32_t>(offsetof(Message, data)) + (none ? 0u : m.line ? SCI_LINE_BYTES : 8u);
}
Size size_of(const SciFlight& f, bool response) {
  return response || !(is_answered(f.what) || f.line) ? Size::k16 : f.line ? Size::k64 : Size::kPlain;
}

uint64_t add(uint64_t a, uint64_t b) { return a + std::min(b, PB_NEVER - a); }

// From a packet's first word on its own B-Link to its message, at least.
constexpr uint64_t way(Size size) {
  return words_of(size) * kBlink + kLink + kHop + symbols_of(size) * kSymbol + kLink;
}
constexpr uint64_t kLeastRequest = kRequest + way(Size::kPlain);
constexpr uint64_t kLeastAnswer = kHome + way(Size::k16);

// Each node has numbers of its own, round and round: no node knows which ones the others use.
uint8_t next_trans(SciAdapter* a) {
  const unsigned each = kTransIds / a->config.nodes;
  uint8_t& next = a->state.node[a->config.node].trans;
  const unsigned trans = a->config.node * each + next;
  next = static_cast<uint8_t>((next + 1u) % each);
  return static_cast<uint8_t>(trans);
}

// When it is wholly in the receiver's link chip. echoed: at its sender.
Passage through(SciAdapter* a, const SciFlight& f, uint8_t from, uint8_t to, bool response, uint64_t now,
                uint64_t ns) {
  const Size size = size_of(f, response);
  Passage p = a->fabric->send(a, from, to, size, now, ns + words_of(size) * kBlink + kLink);
  p.arrived += kLink + a->config.cable_ns;
  p.echoed += 2 * uint64_t{a->config.cable_ns};
  return p;
}

bool tell(SciAdapter* a, const SciFlight& f, uint8_t to, bool response, bool last, uint64_t at) {
  Message w = {.what = f.what,
               .response = response,
               .line = f.line,
               .enables = f.enables,
               .trans = f.trans,
               .last = last,
               .reserved = {},
               .offset = f.offset,
               .reserved2 = 0,
               .number = f.number,
               .data = {}};
  if (static_cast<Fate>(f.fate) == Fate::kDamaged) w.trans = static_cast<uint8_t>(damaged(f.trans));
  std::copy(std::begin(f.data), std::end(f.data), w.data);
  ClusterMessage m;
  m.at = at;
  m.to = to;
  m.kind = SCI_CLUSTER_KIND;
  m.bytes = bytes_of(w);
  m.asks = !response && is_answered(f.what);
  m.answers = response;
  std::memcpy(m.data, &w, m.bytes);
  return cluster_send(a->config.cluster, &m);
}

uint64_t in_order(SciAdapter* a, uint8_t to, uint64_t at) {
  uint64_t& sent = a->state.cluster.sent_ns[to];
  return sent = std::max(sent, at);
}

bool is_whole(const SciAdapter* a, const ClusterMessage& m, const Message& w) {
  const bool places = w.line ? w.what == SCI_WRITE && w.enables == 0xff && w.offset % SCI_LINE_BYTES == 0
                             : w.enables != 0 || w.what == SCI_UNLOCK;
  return w.what <= SCI_UNLOCK && w.response <= is_answered(w.what) && w.line <= 1 && places &&
         w.trans < kTransIds && w.last <= (w.what == SCI_UNLOCK) && w.offset < a->config.size &&
         m.bytes == bytes_of(w) && m.answers == (w.response != 0) &&
         m.asks == (!w.response && is_answered(w.what)) && m.from < a->config.nodes &&
         m.from != a->config.node;
}

void take_response(SciAdapter* a, SciFlight f, uint64_t now) {
  f.at[3] = take_blink(a, f.from, now, now, words_of(Size::k16));
  fly_part(a, f, 3, now);
  answered(a, f, now, f.at[3] + words_of(Size::k16) * kBlink + kResponse);
}

void take_request(SciAdapter* a, const SciFlight& f, bool last, uint64_t now) {
  const unsigned words = words_of(size_of(f, false));
  SciFlight here = f;
  here.at[1] = take_blink(a, f.to, now, now, words);
  fly_part(a, here, 1, now);
  ++a->state.node[f.to].count[kReceived];
  switch (f.what) {
    case SCI_WRITE:
      for (unsigned i = 0; i < (f.line ? SCI_LINE_BYTES : 8u) / 8; ++i)
        store_at_home(a, f.offset + 8 * i, f.enables, f.data[i]);
      break;
    case SCI_UNLOCK:
      unlock_at_home(a, {f, last}, now);
      break;
    case SCI_LOCK:
      if (!lock_at_home(a, f)) break;
      [[fallthrough]];
    default:
      answer(a, f, now, here.at[1] + words * kBlink + kHome);
  }
}

}  // namespace

Leaves leave(SciAdapter* a, const Transaction& t, uint64_t now, uint64_t begin, bool last) {
  SciNode& from = a->state.node[t.from];
  const Fate fate = next_fate(a);
  SciFlight f = flight_of(t, fate);
  f.trans = next_trans(a);
  f.number = a->state.made;
  if (!is_answered(t.what)) fill_payload(f.data, t);
  // A node's requests leave in the order in which they were made; and as it was promised.
  const SciAsked& asked = a->state.cluster.asked;
  begin = std::max({begin, from.out_ns - std::min(from.out_ns, kRequest), asked.waits ? asked.least : 0});
  f.at[0] = from.out_ns = take_blink(a, t.from, now, begin + kRequest, words_of(size_of(f, false)));
  const Passage p = through(a, f, t.from, t.to, false, now, f.at[0]);
  const uint64_t arrives = in_order(a, t.to, p.arrived + (fate == Fate::kLate ? kLateBy : 0));
  count_sent(a, t, fate);
  ++from.count[kPackets];
  fly_part(a, f, 0, now);
  const bool lost = fate == Fate::kLost || !tell(a, f, t.to, false, last, arrives);
  if (lost && fate != Fate::kLost) tell_effect(a, effect("packet-lost"), t.from);

  return {arrives, std::max(p.echoed, edge(arrives)), f.number, lost};
}

void answer(SciAdapter* a, const SciFlight& request, uint64_t now, uint64_t begin) {
  const uint8_t own = request.to;
  SciFlight f = request;
  f.data[0] = load_at_home(a, f.offset, f.enables);
  f.at[2] = take_blink(a, own, now, begin, words_of(Size::k16));
  ++a->state.node[own].count[kPackets];
  fly_part(a, f, 2, now);
  const Passage p = through(a, f, own, f.from, true, now, f.at[2]);
  tell(a, f, f.from, true, false, in_order(a, f.from, p.arrived));
}

uint64_t least_answer(const SciConfig& c) {
  return kLeastAnswer + c.cable_ns + words_of(Size::k16) * kBlink + kResponse;
}

}  // namespace perfboard::sci

using namespace perfboard::sci;

void sci_join(SciConfig* config, Cluster* cluster) {
  config->cluster = cluster;
  config->latency = true;
}

uint64_t sci_answers_after(const SciConfig* config) { return kLeastAnswer + config->cable_ns; }

void sci_promise(SciAdapter* a, uint64_t now, uint64_t next, uint64_t* promise, uint64_t* answers) {
  const SciCluster& c = a->state.cluster;
  release_overdue(a, now);
  // A processor that waits does nothing before it has what it waits for.
  uint64_t own = c.asked.waits ? std::max(next, c.asked.least) : next;
  if (c.release_ns) {
    own = std::min(own, c.release_ns);
    next = std::min(next, c.release_ns);
  }
  *promise = add(own, kLeastRequest + a->config.cable_ns);
  *answers = add(next, kLeastAnswer + a->config.cable_ns);
}

bool sci_take(SciAdapter* a, const ClusterMessage* m) {
  Message w = {};
  if (m->bytes < offsetof(Message, data) || m->bytes > sizeof w) return false;
  std::memcpy(&w, m->data, m->bytes);
  if (!is_whole(a, *m, w)) return false;
  const auto own = static_cast<uint8_t>(a->config.node), other = static_cast<uint8_t>(m->from);
  SciFlight f = {};
  f.what = w.what;
  f.from = w.response ? own : other;
  f.to = w.response ? other : own;
  f.enables = w.enables;
  f.line = w.line;
  f.trans = w.trans;
  f.offset = w.offset;
  f.number = w.number;
  std::copy(std::begin(w.data), std::end(w.data), f.data);
  // An instruction may be over behind its time. Nothing was promised for less than now.
  const uint64_t now = std::max(m->at, a->host.now(a->host.opaque));
  release_overdue(a, now);
  tell_due(a, now);
  ++a->state.node[own].count[kPackets];
  if (w.response)
    take_response(a, f, now);
  else
    take_request(a, f, w.last, now);
  return true;
}
