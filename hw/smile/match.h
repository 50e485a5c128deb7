// SPDX-License-Identifier: GPL-2.0-or-later
//
// The comparators of a table, which look at all of its entries at once: 16 of them at a time, as a bit for each.
//
// Plain loops of a fixed length over arrays of 32-bit words, without a branch: GCC 12 and later make vector instructions of
// them at -O2. kBit is a table because SSE2 cannot shift each word by its own distance.
#pragma once

#include <cstdint>

namespace perfboard::smile {

inline constexpr unsigned kGroup = 16;

namespace detail {
struct Bits {
  uint32_t bit[kGroup];
};
constexpr Bits each_bit() {
  Bits b{};
  for (unsigned i = 0; i < kGroup; ++i) b.bit[i] = 1u << i;
  return b;
}
inline constexpr Bits kBit = each_bit();
}  // namespace detail

// Entries whose pair is the wanted one and whose address is low ... low + width. low may be negative: everything is modulo 2^32,
// and addresses, distances and their sums have less than 28 bits.
inline uint32_t similar(const uint32_t* pair, const uint32_t* address, uint32_t wanted, uint32_t low, uint32_t width) {
  uint32_t hits = 0;
  for (unsigned i = 0; i < kGroup; ++i)
    hits |= (pair[i] == wanted) & (address[i] - low <= width) ? detail::kBit.bit[i] : 0;
  return hits;
}

inline uint32_t equal(const uint32_t* word, uint32_t wanted) {
  uint32_t hits = 0;
  for (unsigned i = 0; i < kGroup; ++i) hits |= word[i] == wanted ? detail::kBit.bit[i] : 0;
  return hits;
}

}  // namespace perfboard::smile
