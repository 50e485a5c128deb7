// SPDX-License-Identifier: GPL-2.0-or-later
//
// A HAS on a bench: a bitstream written down from the data book's numbers (not from xc4000.h, so
// that the two check each other), clocked in bit by bit, and the pins.
//
//   Part part;                          // powered on, PROG still 1
//   part.load(stream(switches));        // PROG 1, PROG 0, every bit
//   part.done(), part.address(inputs)
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "hw/surfboard/has.h"

namespace perfboard::has {

using Bits = std::vector<bool>;
using Switches = std::array<uint64_t, 24>;  // of each address bit: 49..0 inputs, 50 VCC

inline void append(Bits& bits, uint32_t value, uint32_t count) {
  while (count-- > 0) bits.push_back((value >> count & 1) != 0);
}

inline constexpr uint32_t kFrame0 = 40, kFrameBits = 126, kFrames = 428;
inline constexpr uint32_t kPostambleAt = 53968, kStreamBits = 53984, kLengthCount = 53977;
inline constexpr uint32_t kFull = kPostambleAt + 5;  // clocks until the memory is full

inline Bits stream(const Switches& switches, uint32_t length = kLengthCount) {
  Bits bits;
  append(bits, 0xff, 8);
  append(bits, 0b0010, 4);
  append(bits, length, 24);
  append(bits, 0xf, 4);
  uint32_t crc = 0xffff;
  for (uint32_t frame = 0; frame < kFrames; ++frame) {
    const uint32_t data = frame == kFrames - 1 ? 114 : 121;
    bits.push_back(false);
    for (uint32_t i = 0; i < data; ++i) {
      const bool bit = frame < 24 && i < 51 && (switches[frame] >> i & 1) != 0;
      bits.push_back(bit);
      const bool out = (crc & 0x8000) != 0;
      crc = (crc << 1 & 0xffff) ^ (out != bit ? 0x8005 : 0);  // x^16 + x^15 + x^2 + 1
    }
    const uint32_t check = frame == kFrames - 1 ? 11 : 4;
    append(bits, crc >> (16 - check), check);
  }
  append(bits, 0b01111111, 8);
  append(bits, 0xff, 8);
  return bits;
}

struct Part {
  HasState state;

  Part() { has_power_on(&state); }
  void program() {
    has_prog(&state, true);
    has_prog(&state, false);
  }
  void clock(const Bits& bits, size_t first, size_t end) {
    for (size_t i = first; i < end; ++i) has_clock(&state, bits[i]);
  }
  void load(const Bits& bits) {
    program();
    clock(bits, 0, bits.size());
  }
  bool done() const { return has_done(&state); }
  bool error() const { return has_error(&state); }
  bool hdc() const { return has_hdc(&state); }
  uint32_t address(uint64_t inputs) const { return has_address(&state, inputs); }
};

// What closed switches mean: low wins, and an output without a source is low.
inline uint32_t meaning(const Switches& switches, uint64_t inputs) {
  uint32_t address = 0;
  for (uint32_t k = 0; k < 24; ++k) {
    bool high = false, low = switches[k] == 0;
    for (uint32_t i = 0; i < 50; ++i)
      if (switches[k] >> i & 1) (inputs >> i & 1 ? high : low) = true;
    if (switches[k] >> 50 & 1) high = true;
    if (high && !low) address |= 1u << k;
  }
  return address;
}

// Each output from one input, from VCC, or from nothing.
inline Switches random_switches(std::mt19937_64& random) {
  Switches switches{};
  for (uint64_t& closed : switches)
    if (const uint64_t source = random() % 52; source < 51) closed = uint64_t{1} << source;
  return switches;
}

}  // namespace perfboard::has
