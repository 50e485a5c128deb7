// SPDX-License-Identifier: GPL-2.0-or-later
//
// The daughter board (Sec. V.C): an XC4085XLA with B-Link interface and either half of the F.R.L., which is
// configured over a serial cable. The card keeps PCI core, bridge and PCI_Target, so that exchanging designs
// leaves it on the bus.
//
//   daughter.cc   the FPGA: its configuration memory, what a design is when it is there
//   xchecker.cc   the cable, in virtual time
//
//   daughter_power_on(m)     the machine begins: what `daughter=` names is in it
//   daughter_clear(m)        PROG* was low, or power is lost: unconfigured
//   daughter_clock(m, ...)   bytes of a bitstream, one CCLK a bit
//   daughter_load(m, design) a whole design of ours, at once
//   design_there(state)      what of the monitor is there, with the FPGAs as they are
//
// What belongs to which FPGA, and what an exchange leaves: CARD.md, The daughter board.
#pragma once

#include "hw/model/state_check.h"
#include "hw/smile/smile.h"

namespace perfboard::smile {

void daughter_power_on(SmileHwm* m);
void daughter_clear(SmileHwm* m);
void daughter_clock(SmileHwm* m, const uint8_t* bytes, uint32_t count);
void daughter_load(SmileHwm* m, enum smile_design design);
bool daughter_done(const SmileDaughter& daughter);   // pin DONE
bool daughter_error(const SmileDaughter& daughter);  // pin INIT* is low
// One byte of the configuration memory, as it is read back.
uint8_t daughter_byte(const SmileHwm* m, uint32_t at);
void check_daughter(StateCheck& check, const SmileHwm* m, const SmileState& image);

inline enum smile_design design_there(const SmileState& state) {
  if (state.card.loaded != SMILE_TARGET) return static_cast<enum smile_design>(state.card.loaded);
  return state.daughter.loaded ? static_cast<enum smile_design>(state.daughter.loaded) : SMILE_TARGET;
}

// xchecker.cc
void xchecker_stop(SmileHwm* m);  // a whole design that is under way ends; a command goes on
// of the command that has begun, as far as its bytes tell
uint32_t xchecker_command_bytes(const SmileDaughter& daughter);
void xchecker_timer(SmileHwm* m, uint64_t now);
// somebody loads a whole design; SMILE_NONE: clears the FPGA
void xchecker_begin(SmileHwm* m, enum smile_design design);

// The serial cable to the daughter board (Sec. V.C: "loaded and verified over a serial cable (Xchecker)").
//
// INFERRED: its protocol, which is not public; this one is ours. The host sends a command and gets its
// answer, then the next:
//
//   P                  PROG* goes low for a moment: the FPGA is unconfigured, its memory clear     answer: status
//   D n, n + 1 bytes   a part of the bitstream: bit 7 of each byte first, one CCLK a bit           answer: status
//   S                  nothing                                                                     answer: status
//   R high low         reads the configuration memory back                                         answer: block 256 high + low
//   anything else                                                                                  answer: ?
//
//   status   1 0 0 0 0 0 INIT DONE, the two pins, with 40 added: '@' INIT* is low, a frame was wrong; 'B' takes bits; 'C' configured
//   block    256 bytes of the frames as they were loaded, start bits and check bits with them; ones behind the last one. Before DONE
//            it is ones
//
// Time: a byte of either direction takes ten bits at xchecker-rate= (a start and a stop bit). What a command
// does happens when its answer comes. No reset of machine or bus reaches cable and FPGA.

inline constexpr uint8_t kXcheckerProg = 'P', kXcheckerData = 'D', kXcheckerStatus = 'S', kXcheckerRead = 'R';
inline constexpr uint8_t kXcheckerUnknown = '?';
inline constexpr uint8_t kXcheckerBase = 0x40, kXcheckerInit = 2, kXcheckerDone = 1;
inline constexpr uint32_t kXcheckerBlock = 256;
inline constexpr uint32_t kXcheckerByteBits = 10;
static_assert(2 + kXcheckerBlock == SMILE_XCHECKER_COMMAND && kXcheckerBlock == SMILE_XCHECKER_ANSWER);

// ns that so many bytes take.
uint64_t xchecker_ns(const SmileHwm* m, uint64_t bytes);

}  // namespace perfboard::smile
