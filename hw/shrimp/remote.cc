// SPDX-License-Identifier: GPL-2.0-or-later
//
// The fabrics. Loopback: one node stands for all nodes of a ring, which run the same program. A packet that
// the node sends k nodes ahead comes back to the node, after the backplane's time, as sent by the node k
// behind. Remote: the other nodes are machines of their own (hw/cluster/cluster.h).
//
// A packet is a question: it tells the receiver of itself when it could ask for its bus, since nothing there
// depends on it before; and the answer is the credit, when the packet is done. A credit comes back over the
// backplane. With links=on all nodes are told of the packet, the others without its payload, so that each
// knows which links are busy, and in the order of fabric.h.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "hw/cluster/cluster.h"
#include "hw/model/state_check.h"
#include "hw/shrimp/fabric.h"
#include "hw/shrimp/pipeline.h"
#include "hw/shrimp/timing.h"

namespace perfboard::sni {
namespace {

static_assert(sizeof(SniFlight) <= CLUSTER_MOST_BYTES);

// From a packet's first router to the bus request, at least: to the next node, one word.
constexpr uint64_t kAcross = kHop + 2 * kLinkWord + kReceive;
// From a packet's leaving to its message, at least.
constexpr uint64_t kWay = kSend + kBackplane + kAcross;
// From a bus cycle to a packet's leaving, at least.
constexpr uint64_t kPipe = std::min(kSnoop, kDuSetup + kDuPipe);
// From the receiver's grant to the credit, at least.
constexpr uint64_t kDone = kSStart + 2 * kSCycle + kEisaWord + kBackplane;

constexpr uint32_t kNoPayload = offsetof(SniFlight, payload);

uint32_t flight_bytes(const SniFlight& f) { return kNoPayload + 4 * Header::of(f.header).words; }

// A packet that another node has told of, at its time. False: none is so.
bool take_links(SniBoard& b, const ClusterMessage& m, SniFlight& f) {
  SniWorm w = {.first = m.at - std::min(m.at, kAcross),
               .length = 0,
               .from = f.sender,
               .to = Header::of(f.header).to,
               .spare = 0};
  if (!node_exists(b, w.to) || f.tail < w.first + kHop * hops(w.from, w.to)) return false;
  w.length = f.tail - w.first - kHop * hops(w.from, w.to);
  SniFlight free = f;
  fill_in_way(free, w, 0);
  mesh_until(b, w.first, m.from);
  uint64_t waited;
  if (free.arrive != f.arrive || !mesh_take(b, w, waited)) return false;
  fill_in_way(f, w, waited);
  return true;
}

bool send_to_itself(SniBoard* b, const SniFlight* f, uint64_t sent) {
  const SniConfig& c = b->config;
  const uint32_t node = node_at(c, Header::of(f->header).to);
  if (node >= c.nodes) return false;
  SniFlight& flight = *const_cast<SniFlight*>(f);  // it is in this board's ring already
  flight.sender = coordinate(c, (2u * c.node + c.nodes - node) % c.nodes);
  fill_in_way(flight, worm_of(*b, flight, sent), 0);
  sni_port_arrive(b, f);
  return true;
}

void credit_itself(SniBoard* b, const SniFlight* f) { sni_port_credit(b, f->landed); }

bool send(SniBoard* b, const SniFlight* f, uint64_t sent) {
  const SniConfig& c = b->config;
  const uint16_t to = Header::of(f->header).to;
  const uint32_t node = node_at(c, to);
  if (node >= c.nodes) return false;
  if (node == c.node) return send_to_itself(b, f, sent);
  ClusterMessage m;
  SniFlight flight = *f;
  flight.sender = coordinate(c, c.node);
  const SniWorm worm = worm_of(*b, flight, sent);
  fill_in_way(flight, worm, 0);
  m.at = c.links ? worm.first + kAcross : flight.arrive + kReceive;
  m.to = node;
  m.kind = SNI_CLUSTER_KIND;
  m.bytes = flight_bytes(flight);
  m.asks = true;
  m.answers = false;
  std::memcpy(m.data, &flight, m.bytes);
  if (!cluster_send(c.cluster, &m)) return false;
  if (!c.links) return true;
  mesh_send(*b, worm);
  m.asks = false;
  m.bytes = kNoPayload;
  for (m.to = 0; m.to < c.nodes; m.to++)
    if (m.to != node && m.to != c.node) cluster_send(c.cluster, &m);
  return true;
}

void done(SniBoard* b, const SniFlight* f) {
  const SniConfig& c = b->config;
  const uint32_t node = node_at(c, f->sender);
  if (node == c.node) return credit_itself(b, f);
  ClusterMessage m;
  m.at = f->landed + kBackplane + c.cable_ns;
  m.to = node;
  m.kind = SNI_CLUSTER_KIND;
  m.bytes = 0;
  m.asks = false;
  m.answers = true;
  cluster_send(c.cluster, &m);
}

}  // namespace
}  // namespace perfboard::sni

using namespace perfboard::sni;

const SniFabric kSniLoopback = {"loopback", send_to_itself, credit_itself};
const SniFabric kSniRemote = {"cluster", send, done};

void sni_join(SniConfig* config, Cluster* cluster) {
  config->fabric = &kSniRemote;
  config->cluster = cluster;
}

uint64_t sni_answers_after(const SniConfig* config) { return config->acquire_ns + kDone + config->cable_ns; }

void sni_promise(SniBoard* b, uint64_t now, uint64_t next, uint64_t* promise, uint64_t* answers) {
  SniState& s = b->state;
  const uint64_t way = kWay + b->config.cable_ns, done = kDone + b->config.cable_ns;
  s.now = std::max(s.now, now);
  advance(*b, s.now);
  rearm(*b);
  const uint64_t leaves = std::max(now, next_leave_at(*b));
  const uint64_t closes = std::min(next, timeout_at(s));
  *promise = std::min(leaves, closes + std::min(kPipe, PB_NEVER - closes));
  *promise += std::min(way, PB_NEVER - *promise);
  if (s.done != s.granted) {
    *answers = s.flight[s.done % SNI_FLIGHTS].landed + kBackplane + b->config.cable_ns;
  } else {
    const uint64_t least = s.granted != s.arrived ? now : next;  // one waits for the bus, or comes
    *answers = least + std::min(done, PB_NEVER - least);
  }
}

bool sni_take(SniBoard* b, const ClusterMessage* m) {
  const SniConfig& c = b->config;
  SniState& s = b->state;
  // What happens here by then comes first, whenever this machine has heard of the message.
  s.now = std::max(s.now, m->at);
  advance(*b, s.now);
  if (m->answers) {
    if (!s.credits_used) return false;
    if (c.links) mesh_until(*b, m->at - std::min(m->at, kAcross), 0);
    sni_port_credit(b, m->at);
    return true;
  }
  SniFlight f = {};
  if (m->bytes < offsetof(SniFlight, payload) || m->bytes > sizeof f) return false;
  std::memcpy(&f, m->data, m->bytes);
  const bool told = c.links && Header::of(f.header).to != coordinate(c, c.node);
  if (m->bytes != (told ? kNoPayload : flight_bytes(f)) || f.sender != coordinate(c, m->from) ||
      f.first > f.close || f.close > f.ready || f.ready > f.leave || f.leave > f.arrive ||
      f.arrive > f.tail || f.tail >= m->at + perfboard::kSoonNs ||
      (!told && s.arrived - s.popped >= SNI_FLIGHTS) ||
      (c.links ? !take_links(*b, *m, f) : f.arrive + kReceive != m->at))
    return false;
  if (told) return true;
  f.start = f.end = f.landed = 0;
  f.entry = 0;
  sni_port_arrive(b, &f);
  return true;
}
