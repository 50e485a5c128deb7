// SPDX-License-Identifier: GPL-2.0-or-later
//
// The sixteen resource counters. Nothing is done at a clock edge: count() adds what each input has had since
// the last call. Whoever changes what a counter counts calls count() first.
#include <algorithm>

#include "hw/multikron/model.h"

namespace perfboard::mk {
namespace {

uint16_t external_pins(const MkState& s) {
  uint16_t pins = 0;
  for (unsigned i = 0; i < MK_COUNTERS; ++i)
    if (!s.test_mode && s.enable >> i & 1 && input_of(s, i) == Input::kExternal) pins |= uint16_t(1u << i);
  return pins;
}

}  // namespace

Input input_of(const MkState& s, unsigned counter) {
  return static_cast<Input>((s.mux_sel >> (32 + counter) & 1) << 1 | (s.mux_sel >> counter & 1));
}

void add(MultiKron* m, unsigned counter, uint64_t n) {
  uint32_t& c = m->state.counter[counter];
  const bool was_full = c == UINT32_MAX;
  c = static_cast<uint32_t>(std::min<uint64_t>(UINT32_MAX, c + std::min<uint64_t>(n, UINT32_MAX)));
  if (c == UINT32_MAX && !was_full) tell_effect(m, kCounterFull, counter);
}

void count(MultiKron* m, const Moment& t) {
  MkState& s = m->state;
  const uint32_t prescaler = s.csr & bits("CSR.SLOW10") ? 100 : 10;
  // An instruction may read a counter and then be given up (MOVS to a sample page): it is earlier again.
  const uint64_t tick = std::max(t.tick, s.counted_tick), cycle = std::max(t.cycle, s.counted_cycle);
  const uint64_t slow = tick / prescaler - s.counted_tick / prescaler;
  const uint64_t node = cycle - s.counted_cycle;
  s.counted_tick = tick;
  s.counted_cycle = cycle;
  if (s.test_mode) return;  // "normal incrementing of all counters is disabled" (appendix C)
  for (unsigned i = 0; i < MK_COUNTERS; ++i) {
    if (!(s.enable >> i & 1)) continue;
    switch (input_of(s, i)) {
      case Input::kSlow:
        add(m, i, slow);
        break;
      case Input::kNode:
        add(m, i, node);
        break;
      case Input::kExternal:
        if (m->config.external) {
          const uint64_t total = m->config.external(m->config.opaque, i);
          add(m, i, total - m->external_seen[i]);
          m->external_seen[i] = total;
        }
        break;
      case Input::kSoftware:
        break;
    }
  }
}

void copy_to_shadow(MkState& s) { std::copy(std::begin(s.counter), std::end(s.counter), s.shadow); }

void update_watch(MultiKron* m) {
  const uint16_t pins = external_pins(m->state);
  const uint16_t fresh = pins & ~m->watched;
  if (pins == m->watched) return;
  m->watched = pins;
  if (m->config.watch) m->config.watch(m->config.opaque, pins);
  for (unsigned i = 0; m->config.external && i < MK_COUNTERS; ++i)
    if (fresh >> i & 1) m->external_seen[i] = m->config.external(m->config.opaque, i);
}

}  // namespace perfboard::mk
