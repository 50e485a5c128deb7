// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a snapshot's SmileState is one that the monitor can be in.
//
// What is checked here is what the other files rely on. Every legal operation leads from a state that passes
// to one that passes (tests/fuzz/state_bench.h), so a state that passes stays inside its buffers.
#include <algorithm>

#include "hw/fpga/load.h"
#include "hw/model/state_check.h"
#include "hw/smile/daughter.h"
#include "hw/smile/ring.h"

namespace perfboard::smile {
namespace {

constexpr uint64_t kLatest = INT64_MAX;  // QEMU's clocks are signed

constexpr uint32_t writable(std::string_view name) { return at(kRegisters, name).mask(rw); }

#define STATE_LIST "hw/smile/state.def"
#include "hw/model/state_legal.h"

void check_target(StateCheck& check, const SmileHwm* m, const SmileState& image, uint64_t now) {
  using legal::only;
  const StateCheck::Part part(check, "target");
  const SmileTarget& t = image.target;
  const bool is_static = t.design == SMILE_STATIC, is_dynamic = t.design == SMILE_DYNAMIC;
  const bool two = m->config.two && t.design != SMILE_NONE;

  check.in("exchanged", t.exchanged, 0, two);
  check.in("overflow", t.overflow, 0, is_static ? bits("OVF.VALID") | bits("OVF.INDEX") : 0);
  check.bits("mcr", t.mcr, t.design == SMILE_NONE ? 0 : writable("MCR"));
  check.bits("maxr", t.maxr, is_dynamic || two ? writable("MAXR") : 0);
  check.bits("mask", t.mask, is_dynamic || two ? writable("MASK") : 0);
  check.that(is_static || !t.timer, "timer", t.timer, "legal is 0 without the static part");

  check.in("lost_untold", t.lost_untold, 0, t.lost);
  const bool room = ring_has_room(image);
  check.that(!room || !t.queue_count, "queue_count", t.queue_count,
             "legal is 0 while the ring has room for a record");
  const bool full = !room && (t.queue_count == m->config.queue || image.inject.queue);
  check.that(!t.lost_untold || full, "lost_untold", t.lost_untold,
             "legal is 0 while ring or queue have room for a record");

  check.bits("used", t.used, m->all);
  check.that(t.used != m->all, "used", t.used, "legal are not all bits: no entry could be replaced");
  for (int i = 0; i < SMILE_MAX_ENTRIES; ++i) {
    const bool valid = t.pair[i] & kValid, there = is_dynamic && m->all >> i & 1;
    check.bits("pair", t.pair[i], there ? at(kRegisters, "RANGE0").readable() : 0, i);
    check.that(valid || !t.pair[i], "pair", t.pair[i], "legal is 0 in a free entry", i);
    check.bits("address", t.address[i], valid ? kAddressBits : 0, i);
    check.in("count", t.count[i], valid, valid ? UINT16_MAX : 0, i);
    check.that(valid || !(t.used >> i & 1), "used", t.used, "a free entry has not been used", i);
  }

  check.member("page", t.page, only(is_static ? writable("PAGE0") : 0));
  check.member("event", t.event, only(is_static ? writable("EVENT0") : 0));
  check.member("event_range", t.event_range, only(is_static ? writable("EVENT0_RANGE") : 0));
  check.member("counter_event", t.counter_event, only(is_static ? writable("COUNTER0_START") : 0));
  for (int i = 0; i < SMILE_STATIC_COUNTERS; ++i)
    check.that(is_static || !t.value[i], "value", t.value[i], "legal is 0 without the static part", i);
  check.that(is_static || !t.active, "active", t.active, "legal is 0 without the static part");

  // With lost time behind it the timer would have that many overflows to catch up with.
  const bool ticking = t.timer && (t.mcr & kRun);
  const uint64_t period = uint64_t{t.timer} * SCI_BLINK_CLOCK_NS;
  check.in("timer_next", t.timer_next, ticking ? 0 : PB_NEVER, ticking ? kLatest + period : PB_NEVER);
  if (!check.ok()) return;
  check.that(timer_deadline(image, wires_of(t)) >= now - std::min(now, kSoonNs), "timer_next", t.timer_next,
             "a counter should have overflowed long ago");

  for (int i = 0; i < SMILE_STEPS; ++i) {
    const bool seen = t.frl_seen[i];
    check.in("frl_ns", t.frl_ns[i], 0, seen ? kLatest : 0, i);
    check.that(!seen || t.frl_ns[i] / SCI_BLINK_CLOCK_NS % SMILE_STEPS == static_cast<unsigned>(i), "frl_ns",
               t.frl_ns[i], "legal are times of this place's clocks", i);
    check.in("frl_last", t.frl_last[i], SMILE_IDLE, seen ? SMILE_SWAP_ALL : SMILE_IDLE, i);
    check.in("frl_records", t.frl_records[i], 0, seen ? SMILE_MAX_ENTRIES : 0, i);
  }
}

}  // namespace
}  // namespace perfboard::smile

using namespace perfboard::smile;

bool smile_state_ok(const SmileHwm* m, const SmileState* image, char* why, uint32_t why_size) {
  const uint64_t now = m->host.now(m->host.opaque);
  perfboard::StateCheck check(why, why_size, now);
  members_ok(check, *image, m->config);
  if (check.ok()) check_target(check, m, *image, now);
  if (check.ok()) check_daughter(check, m, *image);
  if (check.ok()) check_card(check, m, *image);
  return check.ok();
}
