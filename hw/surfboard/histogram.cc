// SPDX-License-Identifier: GPL-2.0-or-later
//
// Histogram memory: 32-bit little-endian counts, one per bin address (A.8).
#include "hw/core/bytes.h"
#include "hw/surfboard/fifo.h"
#include "hw/surfboard/model.h"

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
