// SPDX-License-Identifier: GPL-2.0-or-later
//
// Floats - where an instruction takes its floating-point operands from, and whether a value is a special
// number: denormal, infinite, or not a number.
//
//   const Floats f = isa->floats(code, size, mode, address);     no operands: it does not compute with floating-point numbers
//   for each of f.registers() and f.memory: any_special(f.format, f.lanes, words)
//
// Computing is arithmetic, comparison, conversion from floating point, rounding, estimates, minima and
// maxima; no moves, signs, selections, conversions of integers, and no decimal or half precision.
#ifndef PERFBOARD_PLUGINS_ISA_FLOATS_H
#define PERFBOARD_PLUGINS_ISA_FLOATS_H

#include <cstdint>
#include <span>

namespace perfboard {

enum class FloatFormat : uint8_t {
  kDouble,     // lanes of 64 bits, the first in words[0]
  kSingle,     // of 32 bits, the first in words[0]'s low half
  kSingleTop,  // one, in words[0]'s high half
  // single precision's numbers in double's format: denormal are those that are so in single precision
  kSingleAsDouble,
  kExtended,  // x87: words[0] the significand, words[1] sign and exponent
  kQuad,      // POWER: words[0] has sign and exponent
};

// An address that an instruction makes of registers (isa/<isa>/cpu.h numbers them; -1: none).
struct FloatMemory {
  int8_t base = -1, index = -1, segment = -1;
  uint8_t scale = 1;
  uint8_t address_bits = 64;  // of the sum without the segment
  uint8_t linear_bits = 64;
  uint64_t displacement = 0;

  uint64_t at(const uint64_t* registers) const {
    const auto cut = [](uint64_t value, unsigned bits) {
      return bits < 64 ? value & ((uint64_t{1} << bits) - 1) : value;
    };
    uint64_t sum = displacement;
    if (base >= 0) sum += registers[base];
    if (index >= 0) sum += registers[index] * scale;
    sum = cut(sum, address_bits);
    if (segment >= 0) sum += registers[segment];
    return cut(sum, linear_bits);
  }
  bool operator==(const FloatMemory&) const = default;
};

struct Floats {
  static constexpr unsigned kMostRegisters = 3;

  FloatFormat format = FloatFormat::kDouble;
  uint8_t lanes = 1;
  uint8_t count = 0;
  uint8_t reg[kMostRegisters] = {};  // ModelRegister - kFloat0
  bool has_memory = false;           // one more operand
  FloatFormat memory_format = FloatFormat::kDouble;
  FloatMemory memory;

  std::span<const uint8_t> registers() const { return {reg, count}; }
  bool any() const { return count || has_memory; }
  void add(unsigned number) {
    if (count < kMostRegisters) reg[count++] = static_cast<uint8_t>(number);
  }
  bool operator==(const Floats&) const = default;
};

constexpr unsigned bytes_of(FloatFormat format) {
  return format == FloatFormat::kSingle || format == FloatFormat::kSingleTop ? 4
         : format == FloatFormat::kExtended || format == FloatFormat::kQuad  ? 16
                                                                             : 8;
}

namespace floats {

constexpr bool special_double(uint64_t bits, unsigned least_exponent = 1) {
  const unsigned exponent = bits >> 52 & 0x7ff;
  return exponent == 0x7ff || (exponent < least_exponent && (bits << 1) != 0);
}
constexpr bool special_single(uint32_t bits) {
  const unsigned exponent = bits >> 23 & 0xff;
  return exponent == 0xff || (exponent == 0 && (bits << 1) != 0);
}
// Pseudo-denormals and what the x87 takes for no number (no integer bit) are special, too.
constexpr bool special_extended(uint64_t significand, uint16_t top) {
  const unsigned exponent = top & 0x7fff;
  return exponent == 0x7fff || (exponent == 0 ? significand != 0 : !(significand >> 63));
}
constexpr bool special_quad(uint64_t high, uint64_t low) {
  const unsigned exponent = high >> 48 & 0x7fff;
  return exponent == 0x7fff || (exponent == 0 && ((high << 1) != 0 || low != 0));
}

}  // namespace floats

// words: as many as the lanes take, at least two.
constexpr bool any_special(FloatFormat format, unsigned lanes, const uint64_t* words) {
  constexpr unsigned kLeastOfSingle = 1023 - 126;
  bool any = false;
  for (unsigned i = 0; i < lanes; ++i) switch (format) {
      case FloatFormat::kDouble:
        any |= floats::special_double(words[i]);
        break;
      case FloatFormat::kSingleAsDouble:
        any |= floats::special_double(words[i], kLeastOfSingle);
        break;
      case FloatFormat::kSingle:
        any |= floats::special_single(static_cast<uint32_t>(words[i / 2] >> (i % 2 * 32)));
        break;
      case FloatFormat::kSingleTop:
        any |= floats::special_single(static_cast<uint32_t>(words[i] >> 32));
        break;
      case FloatFormat::kExtended:
        any |= floats::special_extended(words[0], static_cast<uint16_t>(words[1]));
        break;
      case FloatFormat::kQuad:
        any |= floats::special_quad(words[0], words[1]);
        break;
    }
  return any;
}

}  // namespace perfboard
#endif
