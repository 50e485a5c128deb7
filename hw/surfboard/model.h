// SPDX-License-Identifier: GPL-2.0-or-later
//
// The parts of the SurfBoard model, as they see each other.
//
// Every entry point of surfboard.h has three steps. present() brings the board to the present: packets
// whose Stage 3 is over take effect. Then the entry does its work. settle() tells the world outside what
// has changed: the wire, the interrupt line, the timer. So an entry sees the effects of all packets that
// are done, and a part that changes state need not drive a line.
#pragma once

#include "hw/core/bank.h"
#include "hw/core/behaviour.h"
#include "hw/core/log.h"
#include "hw/surfboard/record.h"
#include "hw/surfboard/registers.h"
#include "hw/surfboard/surfboard.h"
#include "hw/surfboard/view.h"

namespace perfboard::surf {

// pipeline.cc: packets through Stages 1 to 3, and the receive clock
inline constexpr uint64_t kMinPeriodNs = 1080;  // start to start (3.1)
inline constexpr uint64_t kMinGapNs = 240;      // end to start (3.1)
inline constexpr uint64_t kStage2Ns = 240;      // INFERRED: 6 clocks of 25 MHz, 3 of them the ALU's (A.1)
inline constexpr uint64_t kStage3Ns = 600;      // INFERRED: the rest of the period
inline constexpr uint64_t kTickNs = 100;        // 10 MHz

void advance(SurfBoard* b, uint64_t now);
void pipeline_accept(SurfBoard* b, ShrimpPacket p);
void pipeline_reset(SurfState& s);
uint64_t receive_ticks(const SurfState& s, uint64_t t);  // not yet cut to 44 bits
void category_changed(SurfState& s, uint64_t now, uint32_t before);

// inject.cc: errors on purpose
bool inject_packet(SurfBoard* b, ShrimpPacket& p);               // changes it; false: it is lost
bool inject_once(SurfBoard* b, uint32_t& left, unsigned which);  // true: this one, too
bool simm_broken(const SurfState& s);

// histogram.cc: counts a packet; true if its bin overflowed
bool histogram_count(SurfBoard* b, uint32_t address);

// trace.cc
uint32_t trace_entries(const SurfState& s);  // as TSIZE says
struct Qualifiers {
  bool ext_input;  // TRUE when the packet came
  bool bin_overflow;
};
void trace_packet(SurfBoard* b, const Record& r, Qualifiers q);
void trace_set_triggered(SurfState& s, bool trace_was_enabled);  // HTCR.TRG went from 0 to 1
bool trace_complete(const SurfState& s);                         // the condition underlying TC
void trace_latch_complete(SurfBoard* b);                         // sets TC if it holds and TEN is 1

// external.cc
bool ext_input(const SurfState& s);  // logical value now
bool ext_input_at(const SurfState& s, uint64_t t);
void ext_write_ttcr(SurfBoard* b, uint32_t value, uint64_t now);
void ext_drive(SurfBoard* b);    // drives the wire as the output equation says
void ext_settle(SurfBoard* b);   // the same, until the wire and the equation agree
void ext_restore(SurfBoard* b);  // after a load: says what the board drives, and hears no answer

// registers.cc
struct Part {  // of an access: what lies in one register
  Place place;
  Lanes lanes;
  uint64_t now;
  uint32_t old;  // of a write: what the register held

  bool data() const { return lanes.mask & 1; }
};
using Row = Behaviour<SurfBoard, SurfState, Part>;
extern const Behaviours<Row> kBehaviours[2];
Place place_at(unsigned window, uint64_t offset);  // window: enum Window
void set_ebcr(SurfBoard* b, uint32_t value, uint64_t now);

// memory.cc: when the guest's accesses to the memories must be seen
void memory_settle(SurfBoard* b, uint64_t now);  // asks for announcements if they are needed
uint64_t memory_deadline(const SurfState& s);    // when they will be needed: surf_timer() must come
void flash_access(SurfState& s, uint64_t now);   // LED 6

// lines.cc
bool enabled(const SurfState& s);
uint32_t iscr_conditions(const SurfState& s);  // bits 13..0, all of them
bool irq_wanted(const SurfState& s);
void irq_release(SurfBoard* b);  // call it before EBCR changes, which names the line
void settle(SurfBoard* b, uint64_t now);
void settle_machine(SurfBoard* b, uint64_t now);  // the same without the wire: interrupt and timer
uint64_t present(SurfBoard* b);                   // advances and settles; returns the time

// How long the LED of a short event shines. INFERRED: a tenth of a second is easily seen.
inline constexpr uint64_t kLedFlashNs = 100'000'000;

}  // namespace perfboard::surf
