// SPDX-License-Identifier: GPL-2.0-or-later
//
// Errors on purpose: what the backplane does to packets, and a FIFO that is full too early. They are the
// world's, so no reset of the board ends one.
#include <algorithm>

#include "hw/shrimp/pipeline.h"
#include "hw/shrimp/timing.h"

namespace perfboard::sni {
namespace {

// Null: it is no member.
uint32_t* member(SniInjected& i, SniInjection what) {
  switch (what) {
    case SNI_INJECT_DROP:
      return &i.drop;
    case SNI_INJECT_LATE:
      return &i.late_ns;
    case SNI_INJECT_DAMAGE:
      return &i.damage;
    case SNI_INJECT_FIFO_OVERFLOW:
      return &i.fifo_overflow;
    default:
      return nullptr;
  }
}

void stop_network(SniState& s, bool stop) {
  // What waited leaves from now on, not in the past.
  if (s.injected.network_stop && !stop) s.link_free = std::max(s.link_free, s.now);
  s.injected.network_stop = stop;
}

}  // namespace

bool inject_once(SniBoard& b, uint32_t& left, SniInjection what) {
  if (left == 0) return false;
  --left;
  tell_effect(&b, effect("injected-here"), what);
  return true;
}

}  // namespace perfboard::sni

using namespace perfboard::sni;

void sni_inject(SniBoard* board, SniInjection what, uint32_t value) {
  SniBoard& b = *board;
  SniState& s = b.state;
  s.now = std::max(s.now, b.host.now(b.host.opaque));
  advance(b, s.now);
  if (uint32_t* count = member(s.injected, what)) {
    *count = value;
  } else if (what == SNI_INJECT_NETWORK_STOP) {
    stop_network(s, value != 0);
  } else {
    s.clock_base = s.now;
    s.clock_start = kClockMask + 1 - std::max<uint64_t>(1, value / kTick);
  }
  s.next_event = 0;
  drive_irq(b);
  rearm(b);
}

uint32_t sni_injected(SniBoard* b, SniInjection what) {
  SniState& s = b->state;
  if (const uint32_t* count = member(s.injected, what)) return *count;
  if (what == SNI_INJECT_NETWORK_STOP) return s.injected.network_stop;
  const uint64_t now = std::max(s.now, b->host.now(b->host.opaque));
  const uint64_t left = (kClockMask + 1 - sni_clock(b, now)) * kTick;
  return left <= UINT32_MAX ? uint32_t(left) : 0;
}
