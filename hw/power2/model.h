// SPDX-License-Identifier: GPL-2.0-or-later
//
// The parts of the monitor's model, as they see each other.
#pragma once

#include "hw/core/log.h"
#include "hw/power2/events.h"
#include "hw/power2/power2.h"
#include "hw/power2/registers.h"

namespace perfboard::p2 {

// table1.cc: the contexts (P2_USER ...) in which the counters count.
unsigned counting(uint32_t mmcr);

// counters.cc
uint32_t count_of(const P2Monitor* m, unsigned counter);  // now
void settle(P2Monitor* m);          // call it before MMCR or SPE changes
void settle_one(P2Monitor* m, unsigned counter, uint32_t value);
void follow(P2Monitor* m);          // call it after: tells the shim what is watched, and takes the sums from which counting goes on
unsigned present_context(const P2Monitor* m);  // one of P2_USER ...

// names.cc: for log lines
const char* name_of(uint32_t offset);  // in a monitor's window: "MMCR"; "no register"

}  // namespace perfboard::p2
