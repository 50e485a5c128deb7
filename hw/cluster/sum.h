// SPDX-License-Identifier: GPL-2.0-or-later
//
// FNV-1a, by which what comes from another process is known to be whole.
#pragma once

#include <cstddef>
#include <cstdint>

namespace perfboard::cluster {

inline constexpr uint32_t kSumOfNothing = 0x811c9dc5;

inline uint32_t add_to_sum(uint32_t sum, const uint8_t* at, size_t n) {
  for (; n; --n) sum = (sum ^ *at++) * 0x01000193;
  return sum;
}

}  // namespace perfboard::cluster
