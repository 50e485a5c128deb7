// SPDX-License-Identifier: GPL-2.0-or-later
//
// The dynamic part: mask, range table, simplified LRU, swapping (Sec. IV.B).
#include <bit>

#include "hw/smile/match.h"
#include "hw/smile/model.h"

namespace perfboard::smile {
namespace {

// An entry that is similar, the lowest; -1: none. Groups of 16: an entry that the table lacks is never valid.
int find_similar(const SmileHwm* m, const SmileTarget& t, const Event& e) {
  for (unsigned group = 0; group < m->config.entries; group += kGroup)
    if (const uint32_t hits =
            similar(t.pair + group, t.address + group, e.pair, e.address - t.maxr, 2 * t.maxr))
      return static_cast<int>(group) + std::countr_zero(hits);
  return -1;
}

// INFERRED: one bit an entry; the bits are cleared rather than all be set, so that a victim is there.
void use(const SmileHwm* m, SmileTarget& t, int entry) {
  t.used |= uint64_t{1} << entry;
  if (t.used == m->all) t.used = uint64_t{1} << entry;
}

void store_entry(SmileHwm* m, int entry, Why why) {
  const SmileTarget& t = m->state.target;
  const uint32_t pair = t.pair[entry];
  const uint32_t word1 = t.count[entry] | source_of(pair) << 16 | destination_of(pair) << 21 |
                         static_cast<uint32_t>(entry) << 26;
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

void fill_entry(SmileHwm* m, int entry, const Event& e) {
  SmileTarget& t = m->state.target;
  t.pair[entry] = e.pair;
  t.address[entry] = e.address;
  t.count[entry] = 1;
  m->free &= ~(uint64_t{1} << entry);
  use(m, t, entry);
}

}  // namespace

Outcome dynamic_event(SmileHwm* m, const Event& e) {
  SmileTarget& t = m->state.target;
  if (!passes(e.filter, t.mask)) return {SMILE_FORWARD, SMILE_NO_ENTRY, 0};
  int entry = find_similar(m, t, e);
  if (entry >= 0) {
    const auto at = static_cast<uint8_t>(entry);
    if (++t.count[entry] == 0) {
      store_entry(m, entry, Why::kOverflow);
      free_entry(m, entry);
      return {SMILE_SWAP, at, 1};
    }
    use(m, t, entry);
    return {SMILE_BUSY, at, 0};
  }
  const bool full = m->free == 0;
  entry = std::countr_zero(full ? m->all & ~t.used : m->free);
  if (full) store_entry(m, entry, Why::kReplaced);
  fill_entry(m, entry, e);
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
