// SPDX-License-Identifier: GPL-2.0-or-later
//
// The pieces of an access: each is one transaction.
//
// A piece has the largest power of two of bytes, 8 at most, that divides both its address and the bytes that
// are left. An access of more than 8 bytes is two, one of which has 8: the last one of a load, the first one
// of a store. INFERRED: these are the accesses that QEMU makes if the window is an I/O region (latency=on),
// so both modes count the same.
#pragma once

#include <bit>
#include <cstdint>

namespace perfboard::sci {

inline constexpr uint32_t kMostPiece = 8;

// f(offset, bytes) of each piece, ascending.
template <typename F>
void each_piece(uint64_t offset, uint32_t bytes, bool store, F&& f) {
  const uint32_t half = bytes <= kMostPiece ? bytes : store ? kMostPiece : bytes - kMostPiece;
  for (uint32_t done = 0, n; done < bytes; done += n, offset += n) {
    const uint32_t left = (done < half ? half : bytes) - done;
    n = 1u << std::countr_zero(static_cast<uint32_t>(offset) | left | kMostPiece);
    f(offset, n);
  }
}

constexpr uint8_t enables_of(uint64_t offset, uint32_t bytes) {
  return static_cast<uint8_t>(((1u << bytes) - 1) << (offset % 8));
}

}  // namespace perfboard::sci
