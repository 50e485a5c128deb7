// SPDX-License-Identifier: GPL-2.0-or-later
//
// The parts of the SMiLE model, as they see each other.
//
//   packet.cc    a packet: decoder (Fig. 3, 4), then the part that is loaded
//   dynamic.h    range table (Fig. 8, 9)
//   static.cc    page table, event table, counters, timer and global events (Fig. 7)
//   ring.cc      records, ring, swap queue, losses, the interrupt's condition
//   access.cc    registers
//   daughter.h   the daughter board, if there is one
//   smile.cc     life, time
//
// An entry point does three things. It brings the timer's events up to the present (run_timer), then does its
// work, all of it at that one moment. Last comes settle(): interrupt line and deadline.
#pragma once

#include "hw/model/log.h"
#include "hw/smile/card.h"
#include "hw/smile/registers.h"
#include "hw/smile/smile.h"
#include "hw/smile/view.h"

namespace perfboard::smile {

inline constexpr uint32_t kValid = 1u << 31;
inline constexpr uint32_t kAddressBits = (1u << 26) - 1;
inline constexpr uint32_t kAwaited = 1u << 26;  // of a row of the transaction table: its response is to come
inline constexpr uint32_t kRun = bits("MCR.RUN");
inline constexpr unsigned kTimerEvent = 16;

// An event, as the decoder hands it to the F.R.L.
struct Event {
  uint32_t address;  // page in bits 25-10, offset in 9-0
  uint32_t pair;     // as RANGE: source, destination, VALID
  uint32_t filter;   // as MASK: the bits of its type, kind and direction
};
constexpr uint32_t source_of(uint32_t pair) { return field("RANGE0.SOURCE").get(pair); }
constexpr uint32_t destination_of(uint32_t pair) { return field("RANGE0.DESTINATION").get(pair); }

// How far the F.R.L. went with an event.
struct Outcome {
  uint8_t last;  // enum smile_frl_state
  uint8_t entry;
  uint16_t records;
};

// What MSR shows of it by the clock.
inline void remember(SmileTarget& t, uint64_t ns, Outcome o) {
  const uint32_t i = ns / SCI_BLINK_CLOCK_NS % SMILE_STEPS;
  t.frl_ns[i] = ns;
  t.frl_seen[i] = 1;
  t.frl_last[i] = o.last;
  t.frl_records[i] = o.records;
}

// dynamic.cc
uint16_t swap_all(SmileHwm* m);  // records stored

// static.cc
Outcome static_event(SmileHwm* m, const Event& e);
uint16_t count_event(SmileHwm* m, unsigned event);  // records stored
uint16_t store_counters(SmileHwm* m);
void run_timer(SmileHwm* m, uint64_t now);    // the timer's events up to now
void start_timer(SmileHwm* m, uint64_t now);  // the first period begins, or the timer stops
// when the timer makes a counter overflow
uint64_t timer_deadline(const SmileState& s, const SmileWires& wires);
SmileWires wires_of(const SmileTarget& t);  // as START, STOP, COUNT say

// ring.cc, and ring.h
void latch_interrupt(SmileHwm* m);  // sets the CCM's latch if the PCI_Target's condition holds

// access.cc
uint32_t read(SmileHwm* m, uint64_t now, uint32_t offset, uint32_t size);  // of BAR 0
void write(SmileHwm* m, uint64_t now, uint32_t offset, uint32_t size, uint32_t value);
Place place_at(const SmileConfig& c, uint64_t offset);
uint32_t word_at(const SmileHwm* m, const Place& place, uint64_t now);  // whoever looks; place.reg is there

// inject.cc: errors on purpose (smile.h: smile_inject)
// Whether heard() is to be asked.
inline bool hears_badly(const SmileHwm* m) { return m->state.inject.drop | m->state.inject.damage; }
bool heard(SmileHwm* m, SciPacket& packet);  // false: the packet is not heard at all. It may be damaged

// view.cc: for log lines
struct Name {
  char text[32];
};
Name name_of(const Place& place);  // "COUNTER7_STOP"; place.reg is there

// smile.cc
SmileTarget powered_on(uint8_t design);
void derive(SmileHwm* m);  // what is worked out of the state
void monitor_reset(SmileHwm* m);
void settle(SmileHwm* m);
void arm_by(SmileHwm* m, uint64_t deadline);  // smile_timer() is to come at that time, or before

}  // namespace perfboard::smile
