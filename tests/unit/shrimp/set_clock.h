// SPDX-License-Identifier: GPL-2.0-or-later
//
// The 45-bit global clock, set as a snapshot that was taken then would set it: no test can wait 40 days.
#pragma once

#include "hw/shrimp/sni.h"
#include "hw/shrimp/timing.h"

namespace perfboard::sni {

inline void set_clock(SniBoard* b, uint64_t ticks) {
  b->state.clock_base = b->host.now(b->host.opaque);
  b->state.clock_start = ticks & kClockMask;
  sni_post_load(b);
}

}  // namespace perfboard::sni
