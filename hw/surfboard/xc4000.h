// SPDX-License-Identifier: GPL-2.0-or-later
//
// xc4000 - the container of an XC4000 bitstream, as the part (has.cc) and the tools
// (firmware/fpga) both see it; and what our design, the HAS, keeps in it.
//
//   11111111 0010 <length count, 24 bits, MSB first> 1111     header, 40 bits
//   0 <121 data bits> <4 check bits>                          frame, 428 times
//   01111111                                                  postamble
//   11111111                                                  start-up clocks
//
// Device: XC4003 (10 x 10 CLBs, 80 IOBs). INFERRED: the paper does not name the device; this is
// the smallest of the plain family whose pins suffice for 50 inputs and 24 outputs.
//
// Check (INFERRED): the family knows two kinds. One is a constant 0110 in every frame. The other is a
// running CRC (x^16 + x^15 + x^2 + 1): four bits of it end each frame, and eleven bits end the last frame,
// where they take the place of seven data bits. The HAS uses the CRC, because with the constant a flipped
// data bit would give a wrong histogram and no error. Three things about the CRC are not documented and
// are ours: it is preset to ones, or else an all-zero stream would pass at every alignment; it is fed with
// the data bits in their order; it is sent from its most significant bit on.
//
// What the CRC finds: damage to switches is always found if it is one flip, two, an odd number, or lies
// within 16 bits; of other damage 1 in 65536 passes. Five bits of the CRC are never sent. So two single
// flips pass, those of data bits 8 and 9 of frame 426, which mean nothing.
//
// Data (INFERRED; the real layout is not public, this one is ours): frame k, for k < 24, holds the switches
// of address bit k. In a frame, data bit i, for i < 50, closes the switch from input i, and data bit 50
// the one from VCC. All other data bits are zeros that do nothing. An output with no switch closed is
// low. An output with several switches closed is low if one of their inputs is.
#pragma once

#include <cstdint>

#include "hw/surfboard/has_state.h"

namespace perfboard::xc4000 {

inline constexpr uint32_t kDummyBits = 8;
inline constexpr uint32_t kPreamble = 0b0010;
inline constexpr uint32_t kPreambleBits = 4;
inline constexpr uint32_t kLengthBits = 24;
inline constexpr uint32_t kFillBits = 4;
inline constexpr uint32_t kHeaderBits = kDummyBits + kPreambleBits + kLengthBits + kFillBits;

inline constexpr uint32_t kFrames = 428;
inline constexpr uint32_t kFrameBits = 126;
inline constexpr uint32_t kCheckBits = 4;
inline constexpr uint32_t kLastCheckBits = 11;

inline constexpr uint32_t kPostamble = 0b01111111;
inline constexpr uint32_t kPostambleBits = 8;
inline constexpr uint32_t kStartupBits = 8;

inline constexpr uint32_t kPromBits = kHeaderBits + kFrames * kFrameBits + kPostambleBits;
inline constexpr uint32_t kStreamBits = kPromBits + kStartupBits;
static_assert(kPromBits == 53976, "the data book's PROM size of the XC4003");

// The count includes every CCLK since INIT* rose, and is 7 less than the stream with its
// start-up bits (Xilinx answer record 7912).
inline constexpr uint32_t kLengthCount = kStreamBits - 7;

// CCLKs after the last frame until the memory is full. INFERRED: as many as the 01111 of the postamble
// takes. That leaves the four clocks of slack that Xilinx answer record 176 grants before the data.
inline constexpr uint32_t kWriteClocks = 5;

// Start-up, counted from the length count's match (the family's default): DONE at C1, outputs
// active and HDC released at C2.
inline constexpr uint32_t kDoneClock = 1;
inline constexpr uint32_t kActiveClock = 2;
inline constexpr uint32_t kFinishedClock = 4;

inline constexpr uint32_t kSwitches = HAS_INPUTS + 1;
inline constexpr uint32_t kVcc = HAS_INPUTS;  // data bit of the switch from VCC

constexpr uint32_t check_bits(uint32_t frame) { return frame == kFrames - 1 ? kLastCheckBits : kCheckBits; }
constexpr uint32_t data_bits(uint32_t frame) { return kFrameBits - 1 - check_bits(frame); }

inline constexpr uint16_t kCrcPreset = 0xffff;
constexpr uint16_t crc_step(uint16_t crc, bool bit) {
  const bool feedback = ((crc >> 15) & 1) != bit;
  return static_cast<uint16_t>((crc << 1) ^ (feedback ? 0x8005 : 0));
}
// Check bit i, counted in the order in which they are sent.
constexpr bool check_bit(uint16_t crc, uint32_t i) { return (crc >> (15 - i)) & 1; }

}  // namespace perfboard::xc4000
