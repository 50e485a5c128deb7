// SPDX-License-Identifier: GPL-2.0-or-later
//
// Errors on purpose: what the backplane does to packets, and a FIFO that is full too early. They are the
// world's, so no reset of the board ends one.
#include <algorithm>

#include "hw/shrimp/pipeline.h"
#include "hw/shrimp/timing.h"

namespace perfboard::sni {
bool inject_once(SniBoard& b, uint32_t& left, unsigned which) {
  if (left == 0) return false;
  --left;
  tell_effect(&b, effect("injected-here"), which);
  return true;
}

}  // namespace perfboard::sni

using namespace perfboard::sni;

void sni_inject(SniBoard* board, unsigned which, uint32_t value) {
  SniBoard& b = *board;
  SniState& s = b.state;
  s.now = std::max(s.now, b.host.now(b.host.opaque));
  advance(b, s.now);
  // What waited leaves from now on, not in the past.
  if (which == injection("inject-network-stop") && s.injected.network_stop && !value)
    s.link_free = std::max(s.link_free, s.now);
  if (!inject_in(&s.injected, kInjections[which], value)) {  // inject-clock-wrap
    s.clock_base = s.now;
    s.clock_start = kClockMask + 1 - std::max<uint64_t>(1, value / kTick);
  }
  s.next_event = 0;
  drive_irq(b);
  rearm(b);
}

uint32_t sni_injected(SniBoard* b, unsigned which) {
  SniState& s = b->state;
  if (const auto left = injected_in(&s.injected, kInjections[which])) return uint32_t(*left);
  const uint64_t now = std::max(s.now, b->host.now(b->host.opaque));
  const uint64_t left = (kClockMask + 1 - sni_clock(b, now)) * kTick;
  return left <= UINT32_MAX ? uint32_t(left) : 0;
}
