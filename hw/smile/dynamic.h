// SPDX-License-Identifier: GPL-2.0-or-later
//
// The dynamic part: mask, range table, simplified LRU (Sec. IV.B, Fig. 9). What happens with each event is
// here, so that it becomes part of smile_packet(); dynamic.cc has what happens now and then.
#pragma once

#include <bit>
#include <cstdint>

#include "hw/smile/model.h"

// The comparators of a table, which look at all of its entries at once: 16 of them at a time, as a bit for
// each.
//
// Plain loops of a fixed length over arrays of 32-bit words, without a branch: GCC 12 and later make vector
// instructions of them at -O2. The bits stand in a table because SSE2 cannot shift each word by a distance of
// its own. The same in GCC's vector extension needs a tenth less instructions a packet, and as much time
// (tests/bench/smile.cc).

namespace perfboard::smile {

inline constexpr unsigned kGroup = 16;

struct EntryBits {
  uint32_t bit[kGroup];
};
inline constexpr EntryBits kEntry = [] {
  EntryBits e{};
  for (unsigned i = 0; i < kGroup; ++i) e.bit[i] = 1u << i;
  return e;
}();

// Entries whose pair is the wanted one and whose address is low ... low + width. low may be below 0:
// everything is modulo 2^32, and addresses, distances and their sums have less than 28 bits. Both sides of
// the comparison are moved by 2^31, because SSE2 compares signed numbers only.
inline uint32_t similar(const uint32_t* pair, const uint32_t* address, uint32_t wanted, uint32_t low,
                        uint32_t width) {
  constexpr uint32_t kMiddle = 1u << 31;
  const uint32_t base = low + kMiddle;
  const auto most = static_cast<int32_t>(width - kMiddle);
  uint32_t hits = 0;
  for (unsigned i = 0; i < kGroup; ++i) {
    const uint32_t same = pair[i] == wanted ? kEntry.bit[i] : 0;
    hits |= static_cast<int32_t>(address[i] - base) > most ? 0 : same;
  }
  return hits;
}

inline uint32_t equal(const uint32_t* word, uint32_t wanted) {
  uint32_t hits = 0;
  for (unsigned i = 0; i < kGroup; ++i) hits |= word[i] == wanted ? kEntry.bit[i] : 0;
  return hits;
}

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
