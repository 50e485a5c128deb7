// SPDX-License-Identifier: GPL-2.0-or-later
//
// RDY: an access that is delayed until the FIFO or the shadow registers are free, and the Wait
// Counter (Tables 3A and 3B). One access at a time: the processors' bus is taken meanwhile.
#include <algorithm>

#include "hw/multikron/model.h"

namespace perfboard::mk {
namespace {

bool slot_missing(const MultiKron* m) { return m->state.wait_slot && fifo_full(m); }
bool shadow_missing(const MkState& s) { return s.wait_shadow && s.shadow_busy; }

// How many samples must leave until the one with the shadow registers' data has left. If none has them: one
// more than there are.
unsigned shadow_sample(const MkState& s) {
  unsigned i = 0;
  while (i < s.count && !s.fifo[(s.head + i) % MK_FIFO_MAX].resource) ++i;
  return i + 1;
}

uint64_t release_cycle(const MultiKron* m, const Moment& t) {
  uint64_t cycle = t.cycle;
  if (slot_missing(m)) cycle = std::max(cycle, done_cycle(m, 1));
  if (shadow_missing(m->state)) cycle = std::max(cycle, done_cycle(m, shadow_sample(m->state)));
  return cycle;
}

// Why the chip itself will never end the delay; nullptr: it will, or somebody outside who drives the network.
const char* for_ever(const MultiKron* m) {
  if (test_bit(m->state, field("TEST_H.NETOFF"))) return "TEST.NETOFF is 1";
  if (shadow_missing(m->state) && shadow_sample(m->state) > m->state.count)
    return "the shadow registers are full, and after TEST.LOAD no sample in the FIFO frees them";
  return nullptr;
}

// The delay is over. A reset can end it before the time that the shim was told: then the shim is told anew.
void release(MultiKron* m, const Moment& t) {
  if (m->release_cycle > t.cycle) m->config.release_at(m->config.opaque, t.ns);
  m->release_cycle = 0;
}

}  // namespace

mk_result delay(MultiKron* m, const Moment& t, bool slot, bool shadow) {
  MkState& s = m->state;
  s.waiting = 1;
  s.wait_slot = slot;
  s.wait_shadow = shadow;
  s.wait_cycle = t.cycle;
  m->release_cycle = 0;  // not told yet
  tell_effect(m, effect("delayed"), (slot ? 1 : 0) + (shadow ? 2 : 0));
  return MK_WAIT;
}

void tally(MultiKron* m, const Moment& t) {
  MkState& s = m->state;
  if (!s.waiting) return;
  const uint64_t end = std::min(t.cycle, m->release_cycle);
  if (!s.test_mode && end > s.wait_cycle) s.wait_count += static_cast<uint32_t>(end - s.wait_cycle);
  s.wait_cycle = std::max(s.wait_cycle, end);
  s.waiting = t.cycle < m->release_cycle;
  if (!s.waiting) tell_effect(m, effect("delay-over"), s.wait_count);
}

void settle(MultiKron* m, const Moment& t) {
  if (m->state.waiting) {
    const uint64_t cycle = release_cycle(m, t);
    if (cycle != m->release_cycle) {
      m->release_cycle = cycle;
      if (const char* why = cycle == kNever ? for_ever(m) : nullptr)
        log_mistake(m, mistake("held"), "RDY is delayed until a hardware reset: %s", why);
      m->config.release_at(m->config.opaque, ns_of_cycle(m, cycle));
      tally(m, t);
    }
  } else if (m->release_cycle) {
    release(m, t);
  }
  if (!m->armed && (m->pending_count || output_moves(m))) {
    m->armed = true;
    m->host.arm(m->host.opaque, t.ns + MK_HAND_OVER_NS);
  }
}

}  // namespace perfboard::mk
