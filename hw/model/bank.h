// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bank - one access, applied to a register as its table says.
//
//   Lanes lanes = Lanes::of(offset & 3, size);      // which bytes the access touches
//   uint32_t fresh = bank_write(reg, old, lanes, value);
//   uint32_t data  = bank_read(reg, raw, lanes);
//
// An access never crosses a register: a bus shim splits one that does.
// The board adds only side effects; it stores and recomputes ro bits itself. In place of reg: its bits,
// worked out before, which may be 64.
#pragma once

#include "hw/model/register.h"

namespace perfboard {

template <typename Word>
struct LanesOf {
  uint32_t shift;  // bits by which the access is displaced in the register
  Word mask;       // bits of the register that it touches
  uint32_t bytes;  // width of the access

  static constexpr LanesOf of(uint32_t byte, uint32_t size) {
    const Word wide = size >= sizeof(Word) ? ~Word{0} : (Word{1} << (8 * size)) - 1;
    return {8 * byte, wide << (8 * byte), size};
  }
};
using Lanes = LanesOf<uint32_t>;

// What accesses do to a register's bits.
template <typename Word>
struct Bits {
  Word readable = 0;
  Word written = 0;  // they become what is written
  Word cleared = 0;  // by ones
  Word taken = 0;    // a write does something: those, and those that act

  constexpr void add(const Register& reg, unsigned shift = 0) {
    written |= Word{reg.mask(Access::rw) | reg.mask(Access::wo)} << shift;
    cleared |= Word{reg.mask(Access::w1c)} << shift;
    taken |= written | cleared | Word{reg.mask(Access::wa)} << shift;
    readable |= Word{reg.readable()} << shift;
  }
};
constexpr Bits<uint32_t> bits_of(const Register& reg) {
  Bits<uint32_t> bits;
  bits.add(reg);
  return bits;
}

template <typename Word>
constexpr Word bank_write(const Bits<Word>& bits, Word old, LanesOf<Word> lanes, Word value) {
  const Word data = value << lanes.shift;
  const Word written = bits.written & lanes.mask;
  const Word cleared = bits.cleared & lanes.mask & data;
  return ((old & ~written) | (data & written)) & ~cleared;
}

// What the access reads of a register that holds raw.
template <typename Word>
constexpr Word bank_read(const Bits<Word>& bits, Word raw, LanesOf<Word> lanes) {
  return (raw & bits.readable & lanes.mask) >> lanes.shift;
}

// The register after a write; a write narrower than the register takes leaves it as it was.
constexpr uint32_t bank_write(const Register& reg, uint32_t old, Lanes lanes, uint32_t value) {
  return lanes.bytes < reg.min_write_bytes ? old : bank_write(bits_of(reg), old, lanes, value);
}

constexpr uint32_t bank_read(const Register& reg, uint32_t raw, Lanes lanes) {
  return bank_read(bits_of(reg), raw, lanes);
}

}  // namespace perfboard
