// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bitstreams of the histogram address selector (HAS): from a description, and back.
//
//   Mapping m = parse_description(text, "size-latency.has");   // DescriptionError: file:line:column
//   std::vector<uint8_t> bits = assemble(m);                   // first bit in bit 7 of byte 0
//   Mapping same = disassemble(bits);                          // StreamError: what, at which bit
//   std::string again = describe(m);
//
// The container and its check bits are those of hw/surfboard/xc4000.h. A description is lines
//
//   address[21:12] = size[9:0]      # a range of a variable of the paper (3.2)
//   address[11:0]  = latency[11:0]
//   address[22]    = category[3]    # one bit
//   address[23]    = 0              # a constant; so are bits that no line names
//
// with the variables latency (24 bits), sender (6), color (6), category (4), size (10). A name alone
// is the whole variable. Ranges are msb:lsb and both sides must be equally wide.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hw/surfboard/has_state.h"

namespace perfboard::has {

// What drives an address bit: an input 0..49, or a constant.
inline constexpr uint8_t kZero = HAS_INPUTS;
inline constexpr uint8_t kOne = HAS_INPUTS + 1;
using Mapping = std::array<uint8_t, HAS_OUTPUTS>;  // index: address bit

constexpr Mapping all_zero() {
  Mapping m{};
  m.fill(kZero);
  return m;
}

struct DescriptionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct StreamError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Mapping parse_description(std::string_view text, std::string_view name);
std::string describe(const Mapping& mapping);
std::vector<uint8_t> assemble(const Mapping& mapping);
Mapping disassemble(const std::vector<uint8_t>& bytes);

}  // namespace perfboard::has
