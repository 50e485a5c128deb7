// SPDX-License-Identifier: GPL-2.0-or-later
//
// Errors on purpose (view.h lists them). They are the world's, not the monitor's: a reset ends none of them.
#include <algorithm>

#include "hw/power2/model.h"

using namespace perfboard::p2;

namespace perfboard::p2 {

void inject_due(P2Monitor* m) {
  P2State& s = m->state;
  const uint32_t errors = s.errors_due, roll_over = s.roll_over_due;
  s.errors_due = s.roll_over_due = 0;
  if (roll_over) p2_inject_roll_over(m, roll_over);
  if (errors) p2_correctable_errors(m, errors);
}

}  // namespace perfboard::p2

void p2_inject_silent(P2Monitor* m, bool silent) { m->state.silent = silent; }

void p2_inject_errors(P2Monitor* m, uint32_t n) {
  if (m->state.awake)
    p2_correctable_errors(m, n);
  else
    m->state.errors_due += n;
}

void p2_inject_roll_over(P2Monitor* m, uint32_t n) {
  if (!m->state.awake) {
    m->state.roll_over_due = n;
  } else if (n) {
    settle(m);
    for (unsigned i = 0; i < kCounters; ++i) settle_one(m, i, 0 - n);
  }
}

namespace {
constexpr unsigned kMostSilent = 64;  // processors that a set can name
}

uint64_t p2_injected(const P2Card* card, unsigned which) {
  uint64_t set = 0;
  for (unsigned i = 0; which == injection("inject-silent") && i < std::min(card->count, kMostSilent); ++i)
    set |= uint64_t{card->monitors[i].state.silent} << i;
  return set;
}

void p2_inject(P2Card* card, unsigned which, uint64_t value) {
  if (which == injection("inject-errors"))
    return p2_inject_errors(&card->monitors[card->errors_cpu], static_cast<uint32_t>(value));
  for (unsigned i = 0; i < card->count; ++i) {
    if (which == injection("inject-roll-over"))
      p2_inject_roll_over(&card->monitors[i], static_cast<uint32_t>(value));
    else
      p2_inject_silent(&card->monitors[i], i < kMostSilent && value >> i & 1);
  }
}
