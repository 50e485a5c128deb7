// SPDX-License-Identifier: GPL-2.0-or-later
//
// The parts of the SurfBoard model, as they see each other.
//
// Every entry point of surfboard.h has three steps. present() brings the board to the present: packets
// whose Stage 3 is over take effect. Then the entry does its work. settle() tells the world outside what
// has changed: the wire, the interrupt line, the timer. So an entry sees the effects of all packets that
// are done, and a part that changes state need not drive a line.
#pragma once

#include <array>

#include "hw/model/bank.h"
#include "hw/model/behaviour.h"
#include "hw/model/log.h"
#include "hw/surfboard/registers.h"
#include "hw/surfboard/surfboard.h"
#include "hw/surfboard/surfboard_state.h"
#include "hw/surfboard/view.h"

// The histogram index FIFO: 4096 slots of 9 bits, three to a bin address, least significant byte
// first and flagged in the ninth bit (A.6: HFCR, HFDR, HTCR.FRS; ISCR.FNE, FPF, FAF, FF).
//
// Its offset port is four bytes in rotation, one step per access: Empty LSB, Empty MSB, Full LSB,
// Full MSB. INFERRED: reads and writes share the pointer, because the paper says "the control
// register pointer"; offsets have 12 bits, so the upper half of each MSB reads 0.

namespace perfboard::surf {

inline constexpr uint16_t kFifoLsb = 1 << 8;

void fifo_reset(SurfFifo& f);
bool fifo_push(SurfFifo& f, uint16_t slot);  // false: it was full, nothing is stored
// Removes the oldest slot and returns it. INFERRED: 0 when empty; the paper leaves that undefined.
uint16_t fifo_pop(SurfFifo& f);
uint16_t fifo_front(const SurfFifo& f);
// A bin address, as three slots. INFERRED: each byte is written by itself, so with one or two
// slots free that many bytes are stored; the LSB flag lets software find the next address.
bool fifo_push_address(SurfFifo& f, uint32_t address);

uint8_t fifo_offset(const SurfFifo& f);  // the byte that the pointer shows
void fifo_set_offset(SurfFifo& f, uint8_t byte);
void fifo_step(SurfFifo& f);

uint32_t fifo_conditions(const SurfFifo& f);  // ISCR's FF, FAF, FPF, FNE

// What Stage 2 makes of a packet: the 126 bits of the Trace Register (A.1), and from them the 50
// inputs of the histogram address selector and the four words of a trace entry (A.7).

inline constexpr uint64_t kTimeMask = (uint64_t{1} << 44) - 1;

// Latency generator: transmit time subtracted from receive time, in 44 bits of 100 ns, and of that
// the window that LAT_S and LAT_N choose (p. 55).
struct Latency {
  uint32_t value;  // 24 bits
  bool over;       // V: more than the window holds; all 24 bits are 1
  bool under;      // U: received before it was sent; value is 0
};
Latency latency_window(uint64_t receive_time, uint64_t transmit_time, uint32_t lat_s, uint32_t lat_n);

// The 6-bit Sender ID of a 12-bit sender (Y in 11..6, X in 5..0).
uint32_t sender_id(uint32_t sender, uint32_t sendid);

struct Record {
  Latency latency;
  uint64_t receive_time;
  uint32_t sender;
  uint32_t category;
  uint32_t size;  // 10 bits
  uint32_t color;
  uint32_t address;
  uint32_t byte_enables;
  bool interrupt;
};
Record make_record(const SurfPipePacket& p, uint32_t shift_register);
uint64_t has_inputs(const Record& r);
std::array<uint32_t, 4> trace_words(const Record& r);

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

// memory.cc: counts a packet; true if its bin overflowed
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
