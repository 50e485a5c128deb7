// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a snapshot's P2State is one that a monitor can be in.
#include "hw/core/state_check.h"
#include "hw/power2/model.h"

using namespace perfboard::p2;

bool p2_state_ok(const P2Monitor* m, const P2State* image, char* why, uint32_t why_size) {
  // Every member, by name: a new one does not compile until somebody has said here what is legal.
  const auto& [awake, spe, mark, mmcr, imr, counter, silent, errors_due, roll_over_due] = *image;
  perfboard::StateCheck check(why, why_size);
  const uint32_t most = awake ? UINT32_MAX : 0;  // asleep: all is 0
  check.flag("awake", awake);
  check.in("spe", spe, 0, awake ? 1 : 0);
  check.in("mark", mark, 0, awake && m->config.own_mark ? 1 : 0);
  check.bits("mmcr", mmcr, at(kRegisters, "MMCR").mask(rw) & most);
  check.in("imr", imr, 0, most);
  for (unsigned i = 0; i < kCounters; ++i) check.in("counter", counter[i], 0, most, static_cast<int>(i));
  check.flag("silent", silent);
  const uint32_t due = awake ? 0 : UINT32_MAX;  // awake: it has happened
  check.in("errors_due", errors_due, 0, due);
  check.in("roll_over_due", roll_over_due, 0, due);
  return check.ok();
}
