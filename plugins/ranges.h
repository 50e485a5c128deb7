// SPDX-License-Identifier: GPL-2.0-or-later
//
// Ranges - the event source "pages": loads and stores that touch a range of guest-physical addresses. Io -
// "io-loads" and "io-stores": those that devices answer.
//
//   int r = range_open(low, high);       both included; -1: there are too many different ones (big lock held)
//   range_use(r, true);                  from now on it counts (big lock held); as many users as have said so
//   uint64_t n = range_count(r, vcpu, privileged);
//   io_use(true);  io_count(vcpu, privileged, store);     the same
#ifndef PERFBOARD_PLUGINS_RANGES_H
#define PERFBOARD_PLUGINS_RANGES_H

#include "plugins/layer.h"

namespace perfboard {

int range_open(uint64_t low, uint64_t high);
void range_use(int range, bool on);
uint64_t range_count(unsigned range, unsigned vcpu, bool privileged);

void io_use(bool on);
bool io_used();
uint64_t io_count(unsigned vcpu, bool privileged, bool store);

// For the pass. Which ranges these bytes touch, a bit for each; which are in use, so that these count.
uint64_t ranges_touched(uint64_t addr, unsigned bytes);
// They count for the vCPU. several: the instruction may be given up, and they are then taken back.
void ranges_add(Vcpu& cpu, uint64_t ranges, bool privileged, bool several);
void ranges_done(Vcpu& cpu);  // what was counted is not taken back any more
void ranges_take_back(Vcpu& cpu, bool privileged);

}  // namespace perfboard
#endif
