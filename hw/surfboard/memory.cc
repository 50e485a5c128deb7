// SPDX-License-Identifier: GPL-2.0-or-later
//
// The guest's accesses to the trace and histogram memories.
//
// An access must be announced (surfboard.h) for two reasons: while HTCR.HEN or TEN is 1, packets that
// are done must have reached the memory first; and LED 6 lights at an access that finds it dark. While
// neither can happen, which is for the rest of LED 6's flash, the guest may have plain RAM.
#include "hw/model/bytes.h"
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

// Histogram memory: 32-bit little-endian counts, one per bin address (A.8).

namespace perfboard::surf {

bool histogram_count(SurfBoard* b, uint32_t address) {
  SurfState& s = b->state;
  // INFERRED: with no SIMM there is nothing to increment, and nothing overflows.
  const uint32_t bytes = surf_memory_bytes(b, SURF_MEM_HIST);
  if (bytes == 0) return false;
  // A bin beyond the SIMM's end is another name of one inside.
  const uint32_t offset = address * 4 & (bytes - 1);
  uint8_t* bin = b->config.hist + offset;
  const uint32_t count = load_le32(bin) + 1;
  store_le32(bin, count);
  b->config.wrote(b->config.opaque, SURF_MEM_HIST, offset, 4);
  tell_effect(b, effect("bin-counted"), address);
  if (count != 0) return false;
  s.iscr |= bits("ISCR.BV");
  tell_effect(b, effect("bin-overflow"), address);
  // INFERRED: a FIFO held in reset takes nothing, and is not full either.
  if (s.htcr & bits("HTCR.FRS")) return true;
  const bool pushed = !inject_once(b, s.injected.fifo_overflow, injection("inject-fifo-overflow")) &&
                      fifo_push_address(s.fifo, address);
  if (!pushed) s.iscr |= bits("ISCR.FV");
  tell_effect(b, pushed ? effect("address-pushed") : effect("fifo-overflow"), address);
  return true;
}

}  // namespace perfboard::surf
