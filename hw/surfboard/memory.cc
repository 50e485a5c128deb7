// SPDX-License-Identifier: GPL-2.0-or-later
//
// The guest's accesses to the trace and histogram memories.
//
// An access must be announced (surfboard.h) for two reasons: while HTCR.HEN or TEN is 1, packets that
// are done must have reached the memory first; and LED 6 lights at an access that finds it dark. While
// neither can happen, which is for the rest of LED 6's flash, the guest may have plain RAM.
#include "hw/surfboard/model.h"

namespace perfboard::surf {
namespace {

// A broken SIMM is no plain RAM.
bool collecting(const SurfState& s) {
  return s.htcr & (bits("HTCR.HEN") | bits("HTCR.TEN")) || simm_broken(s);
}

void watch(SurfBoard* b, bool on) {
  if (b->state.lines.memory_free == !on) return;
  b->state.lines.memory_free = !on;
  b->config.watch_memory(b->config.opaque, on);
}

}  // namespace

// INFERRED: an access while LED 6 shines does not prolong its light. So nothing is missed between the
// access that lights LED 6 and the end of its light.
void flash_access(SurfState& s, uint64_t now) {
  if (now >= s.led_access_until_ns) s.led_access_until_ns = now + kLedFlashNs;
}

void memory_settle(SurfBoard* b, uint64_t now) {
  const SurfState& s = b->state;
  if (collecting(s) || now >= s.led_access_until_ns) watch(b, true);
}

uint64_t memory_deadline(const SurfState& s) {
  return s.lines.memory_free ? s.led_access_until_ns : PB_NEVER;
}

}  // namespace perfboard::surf

using namespace perfboard::surf;

void surf_memory_access(SurfBoard* b) {
  const uint64_t now = present(b);
  flash_access(b->state, now);
  if (!collecting(b->state)) watch(b, false);
  settle(b, now);
}
