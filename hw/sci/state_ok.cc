// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a snapshot's SciState is one that the adapters can be in.
#include "hw/core/state_check.h"
#include "hw/sci/model.h"

using namespace perfboard::sci;

bool sci_state_ok(const SciAdapter* a, const SciState* image, char* why, uint32_t why_size) {
  // Every member, by name: a new one does not compile until somebody has said here what is legal.
  const auto& [enabled, home, node, latch, latched] = *image;
  const uint32_t nodes = a->config.nodes;
  const uint64_t soon = a->host.now(a->host.opaque) + perfboard::kSoonNs;
  perfboard::StateCheck check(why, why_size);
  check.any(latch);
  check.flag("enabled", enabled);
  for (uint32_t i = 0; i < SCI_MAX_PAGES; ++i)
    check.in("home", home[i], 0, i < pages(a->config) ? nodes - 1 : 0, static_cast<int>(i));
  for (uint32_t i = 0; i < SCI_MAX_NODES; ++i) {
    const auto& [count, blink_ns, trans] = node[i];
    check.part("node", static_cast<int>(i));
    check.any(count);
    check.in("blink_ns", blink_ns, 0, i < nodes ? soon : 0);
    check.that(blink_ns % SCI_BLINK_CLOCK_NS == 0, "blink_ns", blink_ns,
               "legal are edges of the B-Link clock");
    check.in("trans", trans, 0, i < nodes ? kTransIds - 1 : 0);
  }
  check.part(nullptr);
  for (uint32_t i = 0; i < SCI_READERS; ++i) {
    const auto index = static_cast<int>(i);
    check.in("latched", latched[i], 0, kStatisticsBase + kStatisticsStep * nodes, index);
    check.that(latched[i] == 0 || (latched[i] > kStatisticsBase && latched[i] % 8 == 1), "latched",
               latched[i], "legal are 0 and the offset of a lower half, + 1", index);
  }
  return check.ok();
}
