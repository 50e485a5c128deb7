// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/sci/ring.h"

namespace perfboard::sci {
namespace {

static_assert(Topology(SCI_MAX_NODES, 2).links() <= SCI_LINKS &&
              Topology(SCI_MAX_NODES, 3).links() <= SCI_LINKS &&
              Topology(SCI_MAX_NODES, 4).links() <= SCI_LINKS &&
              Topology(SCI_MAX_NODES, 8).links() <= SCI_LINKS);

// Symbols go from one station to another; when the last one has come.
uint64_t along(uint64_t* links, uint32_t stations, uint32_t from, uint32_t to, uint64_t symbols,
               uint64_t ns) {
  for (uint32_t s = from; s != to; s = (s + 1) % stations) {
    const uint64_t begin = std::max(ns, links[s]);
    links[s] = begin + (symbols + kIdle) * kSymbol;
    ns = begin + kHop;
  }
  return ns + symbols * kSymbol;
}

}  // namespace

Passage Topology::circle(uint64_t* links, uint32_t stations, uint32_t from, uint32_t to, uint64_t symbols,
                         uint64_t ns) {
  const uint64_t arrived = along(links, stations, from, to, symbols, ns);
  return {arrived, along(links, stations, to, from, kEcho, arrived)};
}

Passage Topology::level(uint64_t* links, uint32_t base, const Level& l, uint32_t from, uint32_t to,
                        uint64_t symbols, uint64_t ns) {
  const uint32_t ringlet = from / l.fan, wanted = to / l.fan;
  const bool top = l.ringlets() == 1;
  const auto in_ringlet = [&](uint32_t r, uint32_t a, uint32_t b) {
    return circle(links + base + r * (l.fan + 1), l.stations(r) + !top, a, b, symbols, ns);
  };
  if (ringlet == wanted) return in_ringlet(ringlet, from % l.fan, to % l.fan);
  ns = in_ringlet(ringlet, from % l.fan, l.stations(ringlet)).arrived + kSwitch;
  ns = level(links, base + l.links(), l.above(), ringlet, wanted, symbols, ns).arrived + kSwitch;
  return in_ringlet(wanted, l.stations(wanted), to % l.fan);
}

}  // namespace perfboard::sci
