// SPDX-License-Identifier: GPL-2.0-or-later
//
// Little-endian words in a board's byte memory, whatever the host's byte order and alignment.
#pragma once

#include <cstdint>

namespace perfboard {

inline uint32_t load_le32(const uint8_t* p) {
  return p[0] | uint32_t{p[1]} << 8 | uint32_t{p[2]} << 16 | uint32_t{p[3]} << 24;
}

inline void store_le32(uint8_t* p, uint32_t v) {
  p[0] = static_cast<uint8_t>(v);
  p[1] = static_cast<uint8_t>(v >> 8);
  p[2] = static_cast<uint8_t>(v >> 16);
  p[3] = static_cast<uint8_t>(v >> 24);
}

}  // namespace perfboard
