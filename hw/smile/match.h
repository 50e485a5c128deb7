// SPDX-License-Identifier: GPL-2.0-or-later
//
// The comparators of a table, which look at all of its entries at once: 16 of them at a time, as a bit for
// each.
//
// Plain loops of a fixed length over arrays of 32-bit words, without a branch: GCC 12 and later make vector
// instructions of them at -O2. The bits stand in a table because SSE2 cannot shift each word by a distance of
// its own. The same in GCC's vector extension needs a tenth less instructions a packet, and as much time
// (tests/bench/smile.cc).
#pragma once

#include <cstdint>

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

}  // namespace perfboard::smile
