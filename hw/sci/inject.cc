// SPDX-License-Identifier: GPL-2.0-or-later
//
// Errors on purpose: transactions that the ring loses, delivers late, or damages. All nodes' are taken in the
// order in which they are made. A transaction that is given up (an access that is never made again) takes its
// fate along.
//
// What the memories hold is right all the same: they are one memory, and the packets only tell of it.
#include "hw/sci/model.h"

namespace perfboard::sci {
namespace {

bool taken(uint32_t& count) { return count && count--; }

}  // namespace

Fate next_fate(SciAdapter* a) {
  SciInject& i = a->state.inject;
  if (i.stop || taken(i.drop)) return Fate::kLost;
  if (taken(i.late)) return Fate::kLate;
  return taken(i.damage) ? Fate::kDamaged : Fate::kPasses;
}

}  // namespace perfboard::sci

using namespace perfboard::sci;

uint64_t sci_injected(const SciAdapter* a, unsigned which) {
  return injected_in(&a->state.inject, kInjections[which]).value_or(0);
}

void sci_inject(SciAdapter* a, unsigned which, uint64_t value) {
  inject_in(&a->state.inject, kInjections[which], value);
}
