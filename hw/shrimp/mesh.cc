// SPDX-License-Identifier: GPL-2.0-or-later
//
// Busy links of the backplane: README.md, Links. INFERRED, all of it.
#include <algorithm>
#include <tuple>

#include "hw/model/state_check.h"
#include "hw/shrimp/fabric.h"

namespace perfboard::sni {
namespace {

enum Link { kEast, kWest, kSouth, kNorth, kToNode };

struct Step {
  uint64_t* free;
  uint64_t taken, waited;
};

// The links between two coordinates that have nodes; returns how many.
uint32_t route(const SniConfig& c, SniMesh& mesh, const SniWorm& w, Step* way) {
  uint32_t x = w.from & 63, y = w.from >> 6, n = 0;
  const uint32_t to_x = w.to & 63, to_y = w.to >> 6;
  const auto link = [&](Link which) { way[n++].free = &mesh.free[y * c.mesh_width + x][which]; };
  for (; x < to_x; x++) link(kEast);
  for (; x > to_x; x--) link(kWest);
  for (; y < to_y; y++) link(kSouth);
  for (; y > to_y; y--) link(kNorth);
  link(kToNode);
  return n;
}

}  // namespace

bool mesh_take(SniBoard& b, const SniWorm& w, uint64_t& waited) {
  Step way[SNI_MESH_ROUTERS] = {};
  const uint32_t links = route(b.config, b.state.mesh, w, way);
  uint64_t at = w.first;
  waited = 0;
  for (uint32_t i = 0; i < links; i++) {
    way[i].taken = std::max(at, *way[i].free);
    way[i].waited = way[i].taken - at;
    waited += way[i].waited;
    at = way[i].taken + kHop;
  }
  if (way[links - 1].taken + w.length >= w.first + kSoonNs) return false;
  for (uint64_t i = links, stands = 0; i-- > 0;) {
    *way[i].free = way[i].taken + w.length + stands;
    stands += way[i].waited;
  }
  return true;
}

void mesh_until(SniBoard& b, uint64_t first, uint32_t from) {
  SniMesh& m = b.state.mesh;
  while (m.own) {
    SniWorm* const next =
        std::min_element(m.sent, m.sent + m.own,
                         [](const SniWorm& one, const SniWorm& other) { return one.first < other.first; });
    if (std::tie(next->first, b.config.node) > std::tie(first, from)) return;
    uint64_t waited;
    mesh_take(b, *next, waited);
    std::copy(next + 1, m.sent + m.own, next);
    m.own--;
  }
}

void mesh_send(SniBoard& b, const SniWorm& w) {
  SniMesh& m = b.state.mesh;
  // A packet's turn comes before its credit, so there is room. A board that was reset has all credits anew.
  if (m.own == SNI_CREDITS) mesh_until(b, m.sent[0].first, b.config.node);
  m.sent[m.own++] = w;
}

}  // namespace perfboard::sni
