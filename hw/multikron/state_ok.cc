// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a snapshot's MkState is one that the chip can be in.
//
// What is checked here is what the other files rely on. Every legal operation leads from a state that
// passes to one that passes (tests/fuzz/state_bench.h), so a state that passes stays inside its buffers.
#include "hw/model/state_check.h"
#include "hw/multikron/model.h"

namespace perfboard::mk {
namespace {

#define STATE_LIST "hw/multikron/state.def"
#include "hw/model/state_legal.h"

}  // namespace
}  // namespace perfboard::mk

using namespace perfboard::mk;

bool mk_state_ok(const MultiKron* m, const MkState* image, char* why, uint32_t why_size) {
  const MkState& s = *image;
  const uint64_t now = m->host.now(m->host.opaque);
  perfboard::StateCheck check(why, why_size, now);
  members_ok(check, s, m->config);
  check.that(!s.waiting || s.wait_slot || s.wait_shadow, "waiting", s.waiting,
             "legal is 0 without wait_slot or wait_shadow");

  // Nothing has happened later than now; or a little later, because an access that the chip delays is
  // given up, and with it the time of its instruction.
  check.in("reset_ns", s.reset_ns, 0, now);
  if (!check.ok()) return false;
  const Moment t = moment_since(m, s.reset_ns, check.latest());
  check.in("timestamp_tick", s.timestamp_tick, 0, t.tick);
  check.in("counted_cycle", s.counted_cycle, 0, t.cycle);
  check.in("counted_tick", s.counted_tick, 0, t.tick);
  check.in("wait_cycle", s.wait_cycle, 0, t.cycle);

  // All of a sample's elements sent would be no sample any more.
  const int elements = s.fifo[s.head].resource ? MK_RESOURCE_BYTES : MK_TRACE_BYTES;
  check.in("sent", s.sent, 0, s.count ? elements - 1 : 0);
  check.in("next_edge", s.next_edge, s.count ? 2 : 0, t.cycle + 2);
  check.that(s.next_edge % 2 == 0, "next_edge", s.next_edge, "legal are edges of the network clock: even");
  const bool external = m->config.free == MK_FREE_FIFO;
  check.in("external_count", s.external_count, 0, external ? m->config.free_bytes : 0);
  check.in("external_cycle", s.external_cycle, 0, external ? s.next_edge : 0);
  return check.ok();
}
