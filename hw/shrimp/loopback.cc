// SPDX-License-Identifier: GPL-2.0-or-later
//
// Loopback: one node stands for all nodes of a ring, which run the same program. A packet that the node
// sends k nodes ahead comes back to the node, after the backplane's time, as sent by the node k behind.
#include <cstdint>

#include "hw/shrimp/fabric.h"

namespace {

using namespace perfboard::sni;

bool send(SniBoard* b, const SniFlight* f, uint64_t sent) {
  const SniConfig& c = b->config;
  const uint16_t to = uint16_t(f->header >> 16 & 0xfff);
  const uint32_t node = node_at(c, to);
  if (node >= c.nodes) return false;
  SniFlight& flight = *const_cast<SniFlight*>(f);  // it is in this board's ring already
  flight.sender = coordinate(c, (2u * c.node + c.nodes - node) % c.nodes);
  fill_in_way(flight, worm_of(*b, flight, sent), 0);
  sni_port_arrive(b, f);
  return true;
}

void done(SniBoard* b, const SniFlight* f) { sni_port_credit(b, f->landed); }

}  // namespace

const SniFabric kSniLoopback = {"loopback", send, done};
