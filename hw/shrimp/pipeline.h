// SPDX-License-Identifier: GPL-2.0-or-later
//
// The model's insides, shared by its files; nobody else includes this.
//
//   snoop.cc       memory bus -> combining -> outgoing FIFO
//   deliberate.cc  the deliberate update engine; user-level deliberate update
//   pipeline.cc    advance(): FIFO -> link -> backplane -> EISA bus, as virtual time passes
//   bus.cc         the machine's bus: who has it, and from when on
//   bus_wait.cc       a processor that waits for it, in a node in step
//   registers.cc   registers and page tables: where they are, and what they do
//   access.cc      software's accesses to them
//   sni.cc         life cycle, clock, interrupt line, timer, deliveries
//   remote.cc      the fabrics: loopback, and other nodes that are other machines
//   mesh.cc        links, if they are busy
//   state_ok.cc    which states a snapshot may bring
//
// Time: an entry point that knows the time calls advance(b, now) first. advance() carries out all
// events that have become due, in the order of the events' times. So no result depends on when
// advance() is called.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hw/model/bank.h"
#include "hw/model/behaviour.h"
#include "hw/model/log.h"
#include "hw/shrimp/registers.h"
#include "hw/shrimp/sni.h"
#include "hw/shrimp/timing.h"
#include "hw/shrimp/view.h"

namespace perfboard::sni {

// A packet's 64-bit header. The layout is ours: the real board's is not public, and neither software nor
// a SurfBoard sees it.
struct Header {
  uint32_t words;         // 32-bit payload words
  uint32_t byte_enables;  // 4 bits
  bool stamped;           // a timestamp follows
  bool deliberate;
  uint16_t to;       // coordinate
  uint32_t address;  // destination, bits 26..2
  uint32_t key = 0;  // 10 bits: that of the page's export, as the sender's table has it

  constexpr uint64_t pack() const {
    return uint64_t{words} | uint64_t{byte_enables} << 11 | uint64_t{stamped} << 15 | uint64_t{to} << 16 |
           uint64_t{address >> 2} << 28 | uint64_t{deliberate} << 53 | uint64_t{key} << 54;
  }
  static constexpr Header of(uint64_t w) {
    // Clamped: a word that is no header does not lead beyond a packet's payload (state_ok.cc).
    return {std::clamp(uint32_t(w & 0x7ff), 1u, uint32_t{SHRIMP_MAX_WORDS}),
            uint32_t(w >> 11 & 15),
            bool(w >> 15 & 1),
            bool(w >> 53 & 1),
            uint16_t(w >> 16 & 0xfff),
            uint32_t(w >> 28 & 0x1ffffff) << 2,
            uint32_t(w >> 54)};
  }
  constexpr uint32_t fifo_words() const { return 1 + stamped + (words + 1) / 2; }
};

// pipeline.cc
void advance(SniBoard& b, uint64_t now);
uint64_t next_event(const SniBoard& b);  // PB_NEVER: nothing will happen by itself
uint64_t next_leave_at(
    const SniBoard& b);  // no packet that is here leaves before, however many credits there are
uint64_t next_visible(const SniBoard& b);  // no delivery and no interrupt comes before this time

// bus.cc
// From a request of the EISA bus to its grant, the bus being idle.
inline uint64_t acquire(const SniBoard& b, uint64_t request) {
  return bclk_edge(request) + b.config.acquire_ns;
}
uint64_t grant_at(const SniBoard& b);  // when the receiver gets the bus for the packet that waits first
bool asked_before(const SniBoard& b, const SniBoard& other);  // a packet of each waits first
inline bool is_alone(const SniBoard& b) { return !b.config.bus || b.config.bus->boards < 2; }
template <typename Board, typename F>
void each_on_bus(Board& b, F f) {  // this one too
  if (is_alone(b)) return f(b);
  for (uint32_t i = 0; i < b.config.bus->boards; i++) f(*b.config.bus->board[i]);
}
void bus_changed(SniBoard& b);  // this board has, otherwise than by time: the others look anew
struct Passage {  // when a packet is on S_DATA and when it is in memory, if the bus is granted at a given
                  // time
  uint64_t start, end, landed;
};
Passage passage(const SniFlight& f, uint64_t granted);

// The FIFO's place, of a position that is beyond its end by less than its size.
inline uint32_t ring(const SniBoard& b, uint32_t position) {
  return position >= b.config.fifo_words ? position - b.config.fifo_words : position;
}

// snoop.cc
constexpr uint64_t boundary_bytes(uint32_t opt1) {  // that combining does not cross: OPT1.BOUND
  return 256ull << std::min<uint32_t>(opt1 >> 1 & 7, 4);
}
void close_packet(SniBoard& b, uint32_t cause, uint64_t t);  // no packet open: nothing
uint64_t timeout_at(const SniState& s);                      // of the open packet; PB_NEVER without
void refresh_snooping(SniBoard& b);                          // after SBCR or SCR changed
void recount_pages(SniState& s);                             // derived numbers of pages
// SISR.HW is set when SSR.AHW becomes 1, SISR.LW when SSR.BLW becomes 1 after that. Call these after
// the FIFO's occupancy, FHWM or FLWM has changed.
inline bool above_high_water(const SniState& s) { return s.fifo_count >= s.fhwm; }
void watch_high_water(SniBoard& b, bool was_high);
void watch_low_water(SniBoard& b);

// registers.cc
constexpr uint32_t key_of(uint32_t word) {  // OPT1.KEY, IPT.KEY and DUDN.KEY
  return word >> 16 & 0x3ff;
}
struct Part {  // of a register, that an access touches
  Place place;
  Lanes lanes;
  uint64_t now;
  uint32_t old;  // of a write: what the register held
};
using Row = Behaviour<SniBoard, SniState, Part>;
extern const Behaviours<Row> kBehaviours[5];
Place place_at(unsigned window, uint64_t offset);  // window: enum Window

// inject.cc: errors on purpose
bool inject_once(SniBoard& b, uint32_t& left, unsigned which);  // true: this one, too

// deliberate.cc
void start_deliberate(SniBoard& b, uint64_t now);  // DUWC was written
struct Update {
  uint32_t source;
  uint16_t to;  // coordinate
  uint32_t address, key, words;
};
// The engine is idle, and all is legal but perhaps the source. False: no memory is there.
bool begin_update(SniBoard& b, uint64_t now, const Update& u);

// access.cc: around an access of software's
void enter(SniBoard& b);  // it sees the board as it is at the access's time
void leave(SniBoard& b);

// sni.cc
bool active(const SniState& s);  // SBCR.ENABLE and SCR.EN
void raise(SniBoard& b, uint32_t sisr_bits);
void rearm(SniBoard& b);      // from any entry point: asks for the timer if needed
void drive_irq(SniBoard& b);  // from machine entry points: sets the line
void global_reset(SniBoard& b, uint64_t now);

}  // namespace perfboard::sni
