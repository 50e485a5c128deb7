// SPDX-License-Identifier: GPL-2.0-or-later
//
// SWAP_OUT into a ring that has room, which is part of each replacement; ring.cc has the rest.
#pragma once

#include "hw/model/bytes.h"
#include "hw/smile/model.h"

namespace perfboard::smile {

inline constexpr uint32_t kPointer = SMILE_RING_WORDS - 1, kRecordWords = 2;

void keep_record(SmileHwm* m, uint32_t word0, uint32_t word1);  // queue, or loss
void set_read_pointer(SmileHwm* m, uint32_t rdp);
bool ring_full(const SmileTarget& t);

inline uint32_t free_words(const SmileTarget& t) { return (uint32_t{t.rdp} - t.wrp - 1) & kPointer; }
// An error on purpose takes words of the ring away.
inline bool ring_has_room(const SmileState& s) {
  const uint32_t taken = s.inject.ring ? kRecordWords * (SMILE_RING_RECORDS - s.inject.ring) : 0;
  return free_words(s.target) >= kRecordWords + taken;
}

inline void to_ring(SmileHwm* m, uint32_t word0, uint32_t word1) {
  SmileTarget& t = m->state.target;
  const uint32_t first = (t.wrp + 1) & kPointer, second = (t.wrp + 2) & kPointer;
  store_le32(m->config.ring + 4 * first, word0);
  store_le32(m->config.ring + 4 * second, word1);
  t.wrp = static_cast<uint16_t>(second);
  tell_effect(m, effect("record-stored"), first);
}

// A ring with room means that nothing waits before this record.
inline void store_record(SmileHwm* m, uint32_t word0, uint32_t word1) {
  if (ring_has_room(m->state))
    to_ring(m, word0, word1);
  else
    keep_record(m, word0, word1);
  if (m->state.target.mcr & (bits("MCR.IEF") | bits("MCR.IED"))) latch_interrupt(m);
}

constexpr uint32_t record_word(Kind kind, Why why, uint32_t address) {
  return static_cast<uint32_t>(kind) << field("RECORD0.KIND").lsb |
         static_cast<uint32_t>(why) << field("RECORD0.WHY").lsb |
         (why == Why::kOverflow ? bits("RECORD0.OVF") : 0) | address;
}

}  // namespace perfboard::smile
