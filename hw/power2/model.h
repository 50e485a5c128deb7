// SPDX-License-Identifier: GPL-2.0-or-later
//
// The parts of the monitor's model, as they see each other.
#pragma once

#include "hw/model/log.h"
#include "hw/power2/events.h"
#include "hw/power2/power2.h"
#include "hw/power2/registers.h"
#include "hw/power2/view.h"

namespace perfboard::p2 {

constexpr uint64_t kIdle = ~uint64_t{0};  // what a bus reads where nothing answers

// counters.cc, Table 1: the contexts (P2_USER ...) in which the counters count.
unsigned counting(uint32_t mmcr);

// counters.cc
// now: what it held when it was settled, and all since
uint64_t total_of(const P2Monitor* m, unsigned counter);
void settle(P2Monitor* m);                                        // call it before MMCR or SPE changes
void settle_one(P2Monitor* m, unsigned counter, uint32_t value);  // it holds this now, without an undercount
// call it after: tells the shim what is watched, and takes the sums from which counting goes on
void follow(P2Monitor* m);
void clear_undercount(P2Monitor* m);  // all counters hold something else now: call it before follow()
void sources_of(const P2Monitor* m, uint32_t mmcr, uint64_t* sources);  // adds what counts by this MMCR
unsigned present_context(const P2Monitor* m);                           // one of P2_USER ...

// power2.cc: what a register of kRegisters holds, without side effects
uint32_t value_of(const P2Monitor* m, const Register* reg);

// access.cc. place_at: of BAR 0; in a monitor's window `unit` is that monitor, whether a register is there or
// not. processor: that makes the access; -1: none
Place place_at(const P2Card* card, uint64_t offset, int processor);
inline bool whole(uint64_t first, uint32_t bytes) {  // only such an access reaches anything
  return (bytes == 4 || bytes == 8) && first % bytes == 0 && first <= P2_WINDOW_BYTES - bytes;
}
uint32_t card_word(const P2Card* card, const Register* reg);  // reg: one of kCard

// inject.cc: what was to happen when the monitor wakes
void inject_due(P2Monitor* m);

}  // namespace perfboard::p2
