// SPDX-License-Identifier: GPL-2.0-or-later
//
// The parts of the monitor's model, as they see each other.
#pragma once

#include <optional>

#include "hw/core/log.h"
#include "hw/power2/events.h"
#include "hw/power2/power2.h"
#include "hw/power2/registers.h"
#include "hw/power2/view.h"

namespace perfboard::p2 {

// table1.cc: the contexts (P2_USER ...) in which the counters count.
unsigned counting(uint32_t mmcr);

// counters.cc
// now: what it held when it was settled, and all since
uint64_t total_of(const P2Monitor* m, unsigned counter);
void settle(P2Monitor* m);  // call it before MMCR or SPE changes
void settle_one(P2Monitor* m, unsigned counter, uint32_t value);
// call it after: tells the shim what is watched, and takes the sums from which counting goes on
void follow(P2Monitor* m);
void sources_of(const P2Monitor* m, uint32_t mmcr, uint64_t* sources);  // adds what counts by this MMCR
unsigned present_context(const P2Monitor* m);                           // one of P2_USER ...

// power2.cc: what it holds, without side effects; nothing: no such register
std::optional<uint32_t> peek_register(const P2Monitor* m, uint32_t offset);

// inject.cc: what was to happen when the monitor wakes
void inject_due(P2Monitor* m);

// names.cc: for log lines
const char* name_of(uint32_t offset);  // in a monitor's window: "MMCR"; "no register"

}  // namespace perfboard::p2
