// SPDX-License-Identifier: GPL-2.0-or-later
//
// SniFabric - the network port: what stands behind the board's cable to the backplane.
//
// The way of a packet:
//   1. The sending board calls send() when the packet's first word leaves.
//   2. The fabric fills in the backplane's times and calls sni_port_arrive() of the receiving board. The
//      packet's arrive is at least its leave + kSend + kBackplane, the network's lookahead.
//   3. The receiving board calls done() when its DMA of the packet has ended.
//   4. The fabric calls sni_port_credit() of the sending board.
// A board has at most SNI_CREDITS packets between 1 and 4. A fabric that calls sni_port_*() from anywhere
// but send() or done() calls that board's sni_timer() next. Times are virtual ns. A fabric has no state.
#pragma once

#include <cstdint>

#include "hw/shrimp/sni.h"
#include "hw/shrimp/timing.h"

struct SniFabric {
  const char* name;
  // Takes the packet at f->leave, with f->header, payload and sent (when its last word left).
  // False: no node has that coordinate, the packet is lost (TXU).
  bool (*send)(SniBoard* b, const SniFlight* f, uint64_t sent);
  // The receiving board is done with it at f->landed.
  void (*done)(SniBoard* b, const SniFlight* f);
};

extern const SniFabric kSniLoopback, kSniRemote;

// A packet for this board; its times up to tail and its sender are filled in.
void sni_port_arrive(SniBoard* b, const SniFlight* f);
// One packet that this board sent is done, at ns t.
void sni_port_credit(SniBoard* b, uint64_t t);

namespace perfboard::sni {

// The mesh: node n sits at X = n % width, Y = n / width; a coordinate is Y in 11..6, X in 5..0.
constexpr uint16_t coordinate(const SniConfig& c, uint32_t node) {
  return uint16_t((node / c.mesh_width) << 6 | node % c.mesh_width);
}

// The node at a coordinate, or a number >= c.nodes.
constexpr uint32_t node_at(const SniConfig& c, uint16_t where) {
  const uint32_t x = where & 63, y = where >> 6 & 63;
  return x < c.mesh_width ? y * c.mesh_width + x : 0xffff;
}

inline bool node_exists(const SniBoard& b, uint32_t where) {
  return node_at(b.config, uint16_t(where)) < b.config.nodes;
}

// Routers between two nodes: X first, then Y.
constexpr uint32_t hops(uint16_t from, uint16_t to) {
  const int x = (from & 63) - (to & 63), y = (from >> 6) - (to >> 6);
  return uint32_t((x < 0 ? -x : x) + (y < 0 ? -y : y));
}

// A network of the board alone, which ends with it.
inline bool is_loopback(const SniConfig& c) { return !c.fabric || c.fabric == &kSniLoopback; }

// The packet of a flight that this board sends to its header's coordinate.
inline SniWorm worm_of(const SniBoard& b, const SniFlight& f, uint64_t sent) {
  const uint64_t first = f.leave + kSend + kBackplane + b.config.cable_ns + b.state.injected.late_ns;
  return {.first = first,
          .length = sent - f.leave,
          .from = coordinate(b.config, b.config.node),
          .to = uint16_t(f.header >> 16 & 0xfff),
          .spare = 0};
}

// f->arrive and tail, if the packet has waited so long for links.
inline void fill_in_way(SniFlight& f, const SniWorm& w, uint64_t waited) {
  const uint64_t there = w.first + kHop * hops(w.from, w.to) + waited, words = w.length / kLinkWord;
  f.arrive = there + kLinkWord * (words < kHeadWords ? words : kHeadWords);
  f.tail = there + w.length;
}

// The backplane's links (links=on): packets wait for one another. Each node works out the same for all
// packets:
//
//   mesh_send(b, worm)                          this node sends one
//   mesh_until(b, first, from)                  now comes one of another node: what this one sent before has its turn
//   if (!mesh_take(b, worm, waited)) ...        that one: how long it waits for links. False: too long for an honest mesh
//
// in the order in which packets come to their first routers; at one time, the node with the lower number is
// first.

void mesh_send(SniBoard& b, const SniWorm& w);
void mesh_until(SniBoard& b, uint64_t first, uint32_t from);
bool mesh_take(SniBoard& b, const SniWorm& w, uint64_t& waited);

}  // namespace perfboard::sni
