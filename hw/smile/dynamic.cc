// SPDX-License-Identifier: GPL-2.0-or-later
//
// The dynamic part where the range table changes: entries are filled, swapped, freed (Sec. IV.B).
#include "hw/smile/dynamic.h"

#include <bit>

#include "hw/smile/ring.h"

namespace perfboard::smile {
namespace {

void store_entry(SmileHwm* m, int entry, Why why) {
  const SmileTarget& t = m->state.target;
  const uint32_t pair = t.pair[entry];
  const uint32_t word1 = t.count[entry] | source_of(pair) << field("RECORD1.SOURCE").lsb |
                         destination_of(pair) << field("RECORD1.DESTINATION").lsb |
                         static_cast<uint32_t>(entry) << field("RECORD1.ENTRY").lsb;
  store_record(m, record_word(Kind::kRange, why, t.address[entry]), word1);
}

void free_entry(SmileHwm* m, int entry) {
  SmileTarget& t = m->state.target;
  t.pair[entry] = 0;
  t.address[entry] = 0;
  t.count[entry] = 0;
  t.used &= ~(uint64_t{1} << entry);
  m->free |= uint64_t{1} << entry;
}

}  // namespace

Outcome overflow_entry(SmileHwm* m, int entry) {
  if (m->state.inject.saturate) {
    tell_effect(m, effect("counter-stuck"), static_cast<unsigned>(entry));
    use(m, entry);
    return {SMILE_BUSY, static_cast<uint8_t>(entry), 0};
  }
  tell_effect(m, effect("counter-overflow"), static_cast<unsigned>(entry));
  m->state.target.count[entry] = 0;
  store_entry(m, entry, Why::kOverflow);
  free_entry(m, entry);
  return {SMILE_SWAP, static_cast<uint8_t>(entry), 1};
}

Outcome new_entry(SmileHwm* m, const Event& e) {
  SmileTarget& t = m->state.target;
  const bool full = m->free == 0;
  const int entry = std::countr_zero(full ? m->all & ~t.used : m->free);
  if (full) store_entry(m, entry, Why::kReplaced);
  tell_effect(m, full ? effect("region-replaced") : effect("region-filled"), static_cast<unsigned>(entry));
  t.pair[entry] = e.pair;
  t.address[entry] = e.address;
  t.count[entry] = 1;
  m->free &= ~(uint64_t{1} << entry);
  use(m, entry);
  return {full ? uint8_t{SMILE_SWAP} : uint8_t{SMILE_BUSY}, static_cast<uint8_t>(entry), full};
}

uint16_t swap_all(SmileHwm* m) {
  uint16_t records = 0;
  for (uint64_t valid = m->all & ~m->free; valid; valid &= valid - 1, ++records) {
    const int entry = std::countr_zero(valid);
    store_entry(m, entry, Why::kDemand);
    free_entry(m, entry);
  }
  return records;
}

}  // namespace perfboard::smile
