// SPDX-License-Identifier: GPL-2.0-or-later
//
// The backplane's links (links=on): packets wait for one another. Each node works out the same for all
// packets:
//
//   mesh_send(b, worm)                          this node sends one
//   mesh_until(b, first, from)                  now comes one of another node: what this one sent before has its turn
//   if (!mesh_take(b, worm, waited)) ...        that one: how long it waits for links. False: too long for an honest mesh
//
// in the order in which packets come to their first routers; at one time, the node with the lower number is
// first.
#pragma once

#include <cstdint>

#include "hw/shrimp/sni.h"

namespace perfboard::sni {

void mesh_send(SniBoard& b, const SniWorm& w);
void mesh_until(SniBoard& b, uint64_t first, uint32_t from);
bool mesh_take(SniBoard& b, const SniWorm& w, uint64_t& waited);

}  // namespace perfboard::sni
