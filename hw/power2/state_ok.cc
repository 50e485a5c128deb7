// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a snapshot's P2State is one that a monitor can be in.
#include "hw/core/state_check.h"
#include "hw/power2/model.h"

namespace perfboard::p2 {
#define STATE_LIST "hw/power2/state.def"
#include "hw/core/state_legal.h"
}  // namespace perfboard::p2

using namespace perfboard::p2;

bool p2_state_ok(const P2Monitor* m, const P2State* image, char* why, uint32_t why_size) {
  const P2State& s = *image;
  perfboard::StateCheck check(why, why_size);
  members_ok(check, s);
  const uint32_t most = s.awake ? UINT32_MAX : 0;  // asleep: all is 0
  check.in("spe", s.spe, 0, s.awake ? 1 : 0);
  check.in("mark", s.mark, 0, s.awake && m->config.own_mark ? 1 : 0);
  check.bits("mmcr", s.mmcr, at(kRegisters, "MMCR").mask(rw) & most);
  check.in("imr", s.imr, 0, most);
  check.member("counter", s.counter, perfboard::legal::up_to(most));
  const uint32_t due = s.awake ? 0 : UINT32_MAX;  // awake: it has happened
  check.in("errors_due", s.errors_due, 0, due);
  check.in("roll_over_due", s.roll_over_due, 0, due);
  return check.ok();
}
