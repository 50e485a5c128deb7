// SPDX-License-Identifier: GPL-2.0-or-later
//
// SciFabric - the network port: what stands behind the adapters' link chips.
//
//   Passage p = a->fabric->send(a, from, to, size, now, ns);
//
// The packet is at node `from`'s link at ns; it is `now` that somebody asks. The fabric carries it to node
// `to`, and tells when it is wholly there, and when its echo is back. Requests and responses go the same way:
// an adapter asks for a passage for each. With latency=off nobody asks: times are those of an empty ring.
//
// The fabric of one machine is kSciRing: it knows the state of every link, so it can tell at once. Nodes that
// are machines of their own ask it, too, each with links of its own; what it tells goes with a message
// (remote.cc). A fabric has no state but SciState.line.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hw/sci/sci.h"
#include "hw/sci/sci_state.h"
#include "hw/sci/timing.h"

// Ring - the links between the adapters, in virtual time.
//
// Topology. Nodes are stations of ringlets of `ringlet` each, in order. If there is more than one ringlet,
// each has a switch as one more station, behind its last node. The switches of up to RINGLET ringlets are the
// stations of a ringlet of the next level, and so on until there is one. A ringlet is a circle of links in
// one direction: link s leads from station s to the next one.
//
// A packet goes from its sender's link to the next, until its receiver takes it off. Then the receiver sends
// an echo, which takes the rest of the circle. A link carries one packet after the other, with IDLE between.
// The head of a packet that goes on needs HOP for each link; the receiver has the packet when its last symbol
// has come. A switch waits for the whole packet, and sends it on after SWITCH.
//
//   Topology ring(nodes, ringlet);
//   Passage p = ring.pass(take, from, to, symbols, ns);
//       take(link, ns, symbols): the first time from ns on at which the link is free for so many symbols; they are taken
//   Passage p = ring.unloaded(from, to, symbols);      through empty links, from 0 ns on

namespace perfboard::sci {

struct Passage {
  uint64_t arrived;  // the packet is wholly at its receiver
  uint64_t echoed;   // the echo of its last ringlet is wholly at who sent it there
};

class Topology {
 public:
  constexpr Topology(uint32_t nodes, uint32_t ringlet) : nodes_(nodes), fan_(ringlet) {}

  template <typename Take>
  Passage pass(Take&& take, uint32_t from, uint32_t to, uint64_t symbols, uint64_t ns) const {
    return level(take, 0, {nodes_, fan_}, from, to, symbols, ns);
  }
  Passage unloaded(uint32_t from, uint32_t to, uint64_t symbols) const {
    return pass([](uint32_t, uint64_t ns, uint64_t) { return ns; }, from, to, symbols, 0);
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

  // Symbols go from one station to another; when the last one has come.
  template <typename Take>
  static uint64_t along(Take& take, uint32_t base, uint32_t stations, uint32_t from, uint32_t to,
                        uint64_t symbols, uint64_t ns) {
    for (uint32_t s = from; s != to; s = (s + 1) % stations) ns = take(base + s, ns, symbols + kIdle) + kHop;
    return ns + symbols * kSymbol;
  }

  // base: number of the level's first link
  template <typename Take>
  static Passage level(Take& take, uint32_t base, const Level& l, uint32_t from, uint32_t to,
                       uint64_t symbols, uint64_t ns) {
    const uint32_t ringlet = from / l.fan, wanted = to / l.fan;
    const bool top = l.ringlets() == 1;
    const auto in_ringlet = [&](uint32_t r, uint32_t a, uint32_t b) {
      const uint32_t first = base + r * (l.fan + 1), stations = l.stations(r) + !top;
      const uint64_t arrived = along(take, first, stations, a, b, symbols, ns);
      return Passage{arrived, along(take, first, stations, b, a, kEcho, arrived)};
    };
    if (ringlet == wanted) return in_ringlet(ringlet, from % l.fan, to % l.fan);
    ns = in_ringlet(ringlet, from % l.fan, l.stations(ringlet)).arrived + kSwitch;
    ns = level(take, base + l.links(), l.above(), ringlet, wanted, symbols, ns).arrived + kSwitch;
    return in_ringlet(wanted, l.stations(wanted), to % l.fan);
  }

  uint32_t nodes_, fan_;
};

enum class Size : uint8_t { kPlain, k16, k64 };  // what data a packet has

// Words on a B-Link.
constexpr uint8_t words_of(Size size) {
  return size == Size::kPlain ? 2 : size == Size::k16 ? 3 : 2 + SCI_LINE_BYTES / 8;
}
constexpr uint64_t symbols_of(Size size) {
  return kHeader + (size == Size::kPlain ? 0 : size == Size::k16 ? kData16 : kData64);
}

}  // namespace perfboard::sci

struct SciFabric {
  const char* name;
  perfboard::sci::Passage (*send)(SciAdapter* a, uint8_t from, uint8_t to, perfboard::sci::Size size,
                                  uint64_t now, uint64_t ns);
};

extern const SciFabric kSciRing;

// Lines - what carries packets one after the other: the ring's links, and the B-Links. latency=on.
//
// A line is taken for times to come: a response's link some microseconds before the response is there. Others
// may use the time before. So a line has a calendar of its symbols' times, SCI_CALENDAR of them from now on
// (20 us). What comes later than its last symbol queues up behind it, one after the other (`tail`). A queue
// ends kLongestQueue from now; what comes then is there at its end, all at once. 64 requests of each of 32
// nodes are not half as many, so only accesses that cannot wait get there.

namespace perfboard::sci {

inline constexpr uint64_t kLongestQueue = 1'000'000;  // ns

// The first time, from ns on and a multiple of `step` symbols, at which the line is free for so many symbols.
// They are taken then. Nobody asks for a time before `now` any more.
uint64_t take_line(SciLine& line, uint64_t now, uint64_t ns, uint64_t symbols, uint64_t step = 1);

}  // namespace perfboard::sci
