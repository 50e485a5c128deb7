// SPDX-License-Identifier: GPL-2.0-or-later
//
// The dynamic part: mask, range table, simplified LRU (Sec. IV.B, Fig. 9). What happens with each event is
// here, so that it becomes part of smile_packet(); dynamic.cc has what happens now and then.
#pragma once

#include <bit>

#include "hw/smile/match.h"
#include "hw/smile/model.h"

namespace perfboard::smile {

// dynamic.cc
Outcome overflow_entry(SmileHwm* m, int entry);  // it has counted FFFF events, and here is one more
// a free entry, or one that is replaced, takes the event
Outcome new_entry(SmileHwm* m, const Event& e);

// An entry that is similar, the lowest; -1: none. An entry that the table lacks is never valid.
inline int find_similar(const SmileHwm* m, const Event& e) {
  const SmileTarget& t = m->state.target;
  for (unsigned group = 0; group < m->config.entries; group += kGroup)
    if (const uint32_t hits =
            similar(t.pair + group, t.address + group, e.pair, e.address - t.maxr, 2 * t.maxr))
      return static_cast<int>(group) + std::countr_zero(hits);
  return -1;
}

// INFERRED: one bit an entry; the bits are cleared rather than all be set, so that a victim is there.
inline void use(SmileHwm* m, int entry) {
  const uint64_t bit = uint64_t{1} << entry, used = m->state.target.used | bit;
  m->state.target.used = used == m->all ? bit : used;
}

[[gnu::always_inline]] inline Outcome dynamic_event(SmileHwm* m, const Event& e) {
  SmileTarget& t = m->state.target;
  if (e.filter & ~t.mask) return {SMILE_FORWARD, SMILE_NO_ENTRY, 0};
  const int entry = find_similar(m, e);
  if (entry < 0) return new_entry(m, e);
  if (t.count[entry] == UINT16_MAX) return overflow_entry(m, entry);
  ++t.count[entry];
  use(m, entry);
  return {SMILE_BUSY, static_cast<uint8_t>(entry), 0};
}

}  // namespace perfboard::smile
