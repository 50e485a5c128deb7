// SPDX-License-Identifier: GPL-2.0-or-later
//
// Ring - the links between the adapters, in virtual time.
//
// Topology. Nodes are stations of ringlets of `ringlet` each, in order. If there is more than one ringlet, each has a switch as one more
// station, behind its last node. The switches of up to RINGLET ringlets are the stations of a ringlet of the next level, and so
// on until there is one. A ringlet is a circle of links in one direction: link s leads from station s to the next one.
//
// A packet goes from its sender's link to the next, until its receiver takes it off. Then the receiver sends an echo, which takes the rest of
// the circle. A link carries one packet after the other, with IDLE between. The head of a packet that goes on needs HOP for each link; the
// receiver has the packet when its last symbol has come. A switch waits for the whole packet, and sends it on after SWITCH.
//
//   Topology ring(nodes, ringlet);
//   Passage p = ring.pass(links, from, to, symbols, ns);     occupies links
//   uint64_t t = ring.unloaded(from, to, symbols);           the same through empty links, without ns
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "hw/sci/sci_state.h"
#include "hw/sci/timing.h"

namespace perfboard::sci {

struct Passage {
  uint64_t arrived;  // the packet is wholly at its receiver
  uint64_t echoed;   // the echo of its last ringlet is wholly at who sent it there
};

class Topology {
 public:
  constexpr Topology(uint32_t nodes, uint32_t ringlet) : nodes_(nodes), fan_(ringlet) {}

  // When each link is free again: link[i], SCI_LINKS of them.
  Passage pass(uint64_t* links, uint32_t from, uint32_t to, uint64_t symbols, uint64_t ns) const {
    return level(links, 0, {nodes_, fan_}, from, to, symbols, ns);
  }
  Passage unloaded(uint32_t from, uint32_t to, uint64_t symbols) const {
    std::array<uint64_t, SCI_LINKS> empty{};
    return pass(empty.data(), from, to, symbols, 0);
  }
  constexpr uint32_t links() const {
    uint32_t n = 0;
    for (Level l{nodes_, fan_};; l = l.above()) {
      n += l.links();
      if (l.ringlets() == 1) return n;
    }
  }

 private:
  // The ringlets of a level, `fan` members in each but the last one.
  struct Level {
    uint32_t members, fan;
    constexpr uint32_t ringlets() const { return (members + fan - 1) / fan; }
    constexpr uint32_t links() const { return ringlets() * (fan + 1); }
    constexpr Level above() const { return {ringlets(), kMostRinglet}; }
    // Stations of a ringlet without its switch; the switch has this number.
    constexpr uint32_t stations(uint32_t ringlet) const { return std::min(fan, members - ringlet * fan); }
  };

  static Passage level(uint64_t* links, uint32_t base, const Level& l, uint32_t from, uint32_t to, uint64_t symbols,
                       uint64_t ns);
  static Passage circle(uint64_t* links, uint32_t stations, uint32_t from, uint32_t to, uint64_t symbols, uint64_t ns);

  uint32_t nodes_, fan_;
};

}  // namespace perfboard::sci
