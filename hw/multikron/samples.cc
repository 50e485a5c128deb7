// SPDX-License-Identifier: GPL-2.0-or-later
//
// Taking samples: filter, overruns, the FIFO's input (Tables 1, 3B, 5, 6).
#include "hw/multikron/model.h"

namespace perfboard::mk {
namespace {

constexpr uint64_t kUserData = (uint64_t{1} << 48) - 1;
constexpr uint64_t kSampleTime = (uint64_t{1} << 40) - 1;

constexpr uint32_t header(unsigned line, bool resource, const MkState& s) {
  uint32_t h = field("HEADER.CPU").set(0, line);
  h = field("HEADER.TYPE").set(h, resource ? MK_TYPE_RESOURCE : MK_TYPE_TRACE);
  if (s.fifo_overrun) h |= bits("HEADER.FOV");
  if (s.shadow_overrun) h |= bits("HEADER.SHOV");
  return h;  // RERR is 0: the flag is cleared at the end of each counter read
}

MkSample sample(const MkState& s, const Moment& t, unsigned line, bool resource, uint64_t data) {
  const uint64_t time = timestamp(s, t) & kSampleTime;
  const uint64_t source = s.source[line];
  return {.high = uint64_t{header(line, resource, s)} << 56 | time << 16 | source >> 16,
          .low = source << 48 | (data & kUserData),
          .resource = resource};
}

}  // namespace

bool fifo_full(const MultiKron* m) { return m->state.count >= m->config.fifo_depth; }

void load_fifo(MultiKron* m, const Moment& t, const MkSample& sample) {
  MkState& s = m->state;
  if (s.count == 0) restart_output(m, t);
  MkSample& level = s.fifo[(s.head + s.count) % MK_FIFO_MAX];
  level = sample;
  ++s.count;
  if (s.to_damage && s.to_damage--) level.damage |= MK_DAMAGE_BIT;
  if (s.to_leave_open && s.to_leave_open--) level.damage |= MK_DAMAGE_OPEN;
  if (level.damage) tell_effect(m, effect("sample-damaged"), level.damage);
}

mk_result trigger(MultiKron* m, const Moment& t, const MkAccess& a, bool resource, unsigned level,
                  uint64_t data) {
  MkState& s = m->state;
  const bool filtered = !(s.filter >> level & 1);
  if (!(s.csr & bits("CSR.SE")) || filtered) {
    tell_effect(m, effect("discarded"), level);
    return MK_DONE;
  }
  if (a.line < 0)
    log_mistake(m, mistake("no-cpu-line"), "%s%u written while no CPU ID line is active: encoded as 0",
                resource ? "RSRC" : "TRACE", level);
  const bool lost = s.to_lose && s.to_lose--;
  const bool slot = fifo_full(m) || lost, shadow = resource && s.shadow_busy;
  if (slot || shadow) {
    if (!lost && s.csr & bits("CSR.WWAIT")) {
      if (a.can_wait) return delay(m, t, slot, shadow);
      log_mistake(m, mistake("cannot-wait"),
                  "a sample by a bus master that cannot be held: overrun in spite of CSR.WWAIT");
    }
    s.fifo_overrun |= slot;
    s.shadow_overrun |= shadow;
    if (!s.test_mode) ++s.overrun_count;
    tell_effect(m, effect("overrun"), (slot ? 1 : 0) + (shadow ? 2 : 0));
    return MK_DONE;
  }
  if (resource) {
    count(m, t);
    copy_to_shadow(s);
    s.shadow_busy = 1;
  }
  if (test_bit(s, field("TEST_H.LOAD"))) {
    const MkSample made_up = test_sample(s);
    if (resource && !made_up.resource)
      log_mistake(
          m, mistake("shadow-kept"),
          "RSRC%u with TEST.LOAD and bit 0 of its data 0: the shadow registers stay full until TEST.SHIFT",
          level);
    load_fifo(m, t, made_up);
  } else
    load_fifo(m, t, sample(s, t, a.line < 0 ? 0 : unsigned(a.line), resource, data));
  s.fifo_overrun = 0;
  s.shadow_overrun = 0;
  tell_effect(m, resource ? effect("resource-sample") : effect("trace-sample"), level);
  if (!resource && m->config.sampled) m->config.sampled(m->config.opaque, data & kUserData);
  return MK_DONE;
}

}  // namespace perfboard::mk
