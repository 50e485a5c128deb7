// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/core/state_check.h"
#include "hw/lan/lan.h"

namespace perfboard::lan {
#define STATE_LIST "hw/lan/state.def"
#include "hw/core/state_legal.h"
}  // namespace perfboard::lan

using namespace perfboard::lan;

bool lan_state_ok(const LanState* image, uint64_t now, char* why, uint32_t why_size) {
  perfboard::StateCheck check(why, why_size, now);
  members_ok(check, *image);
  uint64_t before = 0;
  for (uint32_t n = 0; n < image->held && check.ok(); n++) {
    const int at = static_cast<int>((image->first + n) % LAN_HELD);
    const LanFrame& frame = image->frame[at];
    const perfboard::StateCheck::Part part(check, "frame", at);
    members_ok(check, frame);
    check.in("due", frame.due, before, image->downlink_free);
    before = frame.due;
  }
  return check.ok();
}
