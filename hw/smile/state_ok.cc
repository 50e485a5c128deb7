// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a snapshot's SmileState is one that the monitor can be in.
//
// What is checked here is what the other files rely on. Every legal operation leads from a state that passes
// to one that passes (tests/fuzz/state_bench.h), so a state that passes stays inside its buffers.
#include <algorithm>

#include "hw/core/state_check.h"
#include "hw/smile/daughter.h"
#include "hw/smile/ring.h"

namespace perfboard::smile {
namespace {

constexpr uint64_t kLatest = INT64_MAX;  // QEMU's clocks are signed

constexpr uint32_t writable(std::string_view name) { return at(kRegisters, name).mask(rw); }

}  // namespace
}  // namespace perfboard::smile

using namespace perfboard::smile;
using perfboard::kSoonNs;
using perfboard::StateCheck;

bool smile_state_ok(const SmileHwm* m, const SmileState* image, char* why, uint32_t why_size) {
  const SmileTarget& t = image->target;
  // Every member, by name: a new one does not compile until somebody has said here what is legal.
  const auto& [card, daughter, target, inject] = *image;
  const auto& [design, lost_flag, done, exchanged, overflow, mcr, node, maxr, mask, timer, packets, orphans,
               clashes, rdp, wrp, queue_head, queue_count, lost, lost_untold, transaction, used, pair,
               address, count, page, event, event_range, counter_event, value, active, timer_next, frl_ns,
               frl_seen, frl_last, frl_records] = target;
  StateCheck check(why, why_size);
  check.any(card, daughter);  // check_card(), check_daughter()
  check.any(packets, orphans, clashes, value, active);
  const bool is_static = design == SMILE_STATIC, is_dynamic = design == SMILE_DYNAMIC;
  const bool two = m->config.two && design != SMILE_NONE;

  check.part("target");
  check.in("design", design, SMILE_NONE, m->config.two ? SMILE_TARGET : SMILE_DYNAMIC);
  check.flag("lost_flag", lost_flag);
  check.flag("done", done);
  check.in("exchanged", exchanged, 0, two);
  check.in("overflow", overflow, 0, is_static ? bits("OVF.VALID") | bits("OVF.INDEX") : 0);
  check.bits("mcr", mcr, design == SMILE_NONE ? 0 : writable("MCR"));
  check.bits("node", node, writable("NODE"));
  check.bits("maxr", maxr, is_dynamic || two ? writable("MAXR") : 0);
  check.bits("mask", mask, is_dynamic || two ? writable("MASK") : 0);
  check.that(is_static || !timer, "timer", timer, "legal is 0 without the static part");

  check.bits("rdp", rdp, writable("RDP"));
  check.in("wrp", wrp, 0, SMILE_RING_WORDS - 1);
  const uint32_t queue = m->config.queue;
  check.in("queue_head", queue_head, 0, queue ? queue - 1 : 0);
  check.in("queue_count", queue_count, 0, queue);
  check.in("lost_untold", lost_untold, 0, lost);
  if (!check.ok()) return false;
  const auto& [drop, damage, bad_image, ring, no_queue, saturate] = inject;
  check.part("inject");
  check.any(drop, damage, bad_image);
  check.in("ring", ring, 0, SMILE_RING_RECORDS);
  check.flag("queue", no_queue);
  check.flag("saturate", saturate);
  if (!check.ok()) return false;
  check.part("target");
  const bool room = ring_has_room(*image);
  check.that(!room || !queue_count, "queue_count", queue_count,
             "legal is 0 while the ring has room for a record");
  check.that(!lost_untold || (!room && (queue_count == queue || no_queue)), "lost_untold", lost_untold,
             "legal is 0 while ring or queue have room for a record");

  for (int i = 0; i < SMILE_TRANSACTIONS; ++i)
    check.bits("transaction", transaction[i], kAwaited | kAddressBits, i);
  check.bits("used", used, m->all);
  check.that(used != m->all, "used", used, "legal are not all bits: no entry could be replaced");
  for (int i = 0; i < SMILE_MAX_ENTRIES; ++i) {
    const bool valid = pair[i] & kValid, there = is_dynamic && m->all >> i & 1;
    check.bits("pair", pair[i], there ? at(kRegisters, "RANGE0").readable() : 0, i);
    check.that(valid || !pair[i], "pair", pair[i], "legal is 0 in a free entry", i);
    check.bits("address", address[i], valid ? kAddressBits : 0, i);
    check.in("count", count[i], valid, valid ? UINT16_MAX : 0, i);
    check.that(valid || !(used >> i & 1), "used", used, "a free entry has not been used", i);
  }

  for (int i = 0; i < SMILE_TABLE_PAGES; ++i)
    check.bits("page", page[i], is_static ? writable("PAGE0") : 0, i);
  for (int i = 0; i < SMILE_TABLE_EVENTS; ++i) {
    check.bits("event", event[i], is_static ? writable("EVENT0") : 0, i);
    check.bits("event_range", event_range[i], is_static ? writable("EVENT0_RANGE") : 0, i);
  }
  for (int i = 0; i < SMILE_STATIC_COUNTERS; ++i) {
    for (const uint32_t reg : counter_event[i])
      check.bits("counter_event", reg, is_static ? writable("COUNTER0_START") : 0, i);
    check.that(is_static || !value[i], "value", value[i], "legal is 0 without the static part", i);
  }
  check.that(is_static || !active, "active", active, "legal is 0 without the static part");

  // With lost time behind it the timer would have that many overflows to catch up with.
  const bool ticking = timer && (mcr & kRun);
  const uint64_t period = uint64_t{timer} * SCI_BLINK_CLOCK_NS, now = m->host.now(m->host.opaque);
  check.in("timer_next", timer_next, ticking ? 0 : PB_NEVER, ticking ? kLatest + period : PB_NEVER);
  if (!check.ok()) return false;
  check.that(timer_deadline(*image, wires_of(t)) >= now - std::min(now, kSoonNs), "timer_next", timer_next,
             "a counter should have overflowed long ago");

  for (int i = 0; i < SMILE_STEPS; ++i) {
    const bool seen = frl_seen[i];
    check.in("frl_seen", frl_seen[i], 0, 1, i);
    check.in("frl_ns", frl_ns[i], 0, seen ? kLatest : 0, i);
    check.that(!seen || frl_ns[i] / SCI_BLINK_CLOCK_NS % SMILE_STEPS == static_cast<unsigned>(i), "frl_ns",
               frl_ns[i], "legal are times of this place's clocks", i);
    check.in("frl_last", frl_last[i], SMILE_IDLE, seen ? SMILE_SWAP_ALL : SMILE_IDLE, i);
    check.in("frl_records", frl_records[i], 0, seen ? SMILE_MAX_ENTRIES : 0, i);
  }
  check_daughter(check, m, *image);
  if (!check.ok()) return false;
  check.part(nullptr);
  check_card(check, m, *image);
  return check.ok();
}
