// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bank - one access of 1, 2 or 4 bytes, applied to a 32-bit register as its table says.
//
//   Lanes lanes = Lanes::of(offset & 3, size);      // which bytes the access touches
//   uint32_t fresh = bank_write(reg, old, lanes, value);
//   uint32_t data  = bank_read(reg, raw, lanes);
//
// An access never crosses a register: a bus shim splits one that does.
// The board adds only side effects; it stores and recomputes ro bits itself.
#pragma once

#include "hw/core/register.h"

namespace perfboard {

struct Lanes {
  uint32_t shift;  // bits by which the access is displaced in the register
  uint32_t mask;   // bits of the register that it touches
  uint32_t bytes;  // width of the access

  static constexpr Lanes of(uint32_t byte, uint32_t size) {
    const uint32_t wide = size >= 4 ? 0xffffffffu : (1u << (8 * size)) - 1;
    return {8 * byte, wide << (8 * byte), size};
  }
};

// The register after a write; a write narrower than the register takes leaves it as it was.
constexpr uint32_t bank_write(const Register& reg, uint32_t old, Lanes lanes, uint32_t value) {
  if (lanes.bytes < reg.min_write_bytes) return old;
  const uint32_t data = value << lanes.shift;
  const uint32_t writable = (reg.mask(Access::rw) | reg.mask(Access::wo)) & lanes.mask;
  const uint32_t cleared = reg.mask(Access::w1c) & lanes.mask & data;
  return ((old & ~writable) | (data & writable)) & ~cleared;
}

// What the access reads of a register that holds raw.
constexpr uint32_t bank_read(const Register& reg, uint32_t raw, Lanes lanes) {
  return (raw & reg.readable() & lanes.mask) >> lanes.shift;
}

}  // namespace perfboard
