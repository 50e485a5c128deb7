// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bitstreams of the histogram address selector (HAS): from a description and back.
//
//   Mapping m = parse_description(text, "a.has");   // DescriptionError: file:line:column: message
//   std::vector<uint8_t> s = assemble(m);           // first bit in bit 7 of byte 0, padded with ones
//   Mapping again = disassemble(s);                 // StreamError: bit N: place: message
//   std::string text = describe(m);                 // parse_description(describe(m)) == m
//
// disassemble() takes exactly what assemble() writes, with any number of ones behind that. It also complains
// of wrong bits that the part does not look at, so that assemble(disassemble(s)) is always s.
//
// The language of descriptions: README.md.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/fpga/stream.h"
#include "hw/surfboard/has.h"

namespace perfboard::has {

// What an address bit shows: an input bit, 0 to HAS_INPUTS - 1, or a constant.
inline constexpr uint8_t kZero = HAS_INPUTS;
inline constexpr uint8_t kOne = HAS_INPUTS + 1;
using Mapping = std::array<uint8_t, HAS_OUTPUTS>;  // of each address bit

constexpr Mapping all_zero() {
  Mapping mapping{};
  mapping.fill(kZero);
  return mapping;
}

struct DescriptionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
using xc4000::StreamError;

Mapping parse_description(std::string_view text, std::string_view file);
std::string describe(const Mapping& mapping);
std::vector<uint8_t> assemble(const Mapping& mapping);
Mapping disassemble(const std::vector<uint8_t>& bytes);

}  // namespace perfboard::has
