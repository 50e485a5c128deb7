// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/core/state_check.h"
#include "hw/lan/lan.h"

bool lan_state_ok(const LanState* image, uint64_t now, char* why, uint32_t why_size) {
  const auto& [uplink_free, downlink_free, sent_frames, sent_bytes, received_frames, received_bytes,
               dropped_outside, dropped_long, dropped_not_joined, dropped_uplink, dropped_downlink,
               dropped_receiver, dropped_adapter, first, held, frame] = *image;
  const uint64_t latest = now + perfboard::kSoonNs;
  perfboard::StateCheck check(why, why_size);
  check.in("uplink_free", uplink_free, 0, latest);
  check.in("downlink_free", downlink_free, 0, latest);
  check.any(sent_frames, sent_bytes, received_frames, received_bytes, dropped_outside, dropped_long,
            dropped_not_joined, dropped_uplink, dropped_downlink, dropped_receiver, dropped_adapter);
  check.in("first", first, 0, LAN_HELD - 1);
  check.in("held", held, 0, LAN_HELD);
  uint64_t before = 0;
  for (uint32_t n = 0; n < held && check.ok(); n++) {
    const int at = static_cast<int>((first + n) % LAN_HELD);
    const auto& [due, bytes, spare, data, spare1] = frame[at];
    check.part("frame", at);
    check.in("due", due, before, downlink_free);
    check.in("bytes", bytes, LAN_LEAST_BYTES, LAN_MOST_BYTES);
    check.any(spare, data, spare1);
    before = due;
  }
  return check.ok();
}
