// SPDX-License-Identifier: GPL-2.0-or-later
//
// xc4000 - the container of an XC4000 bitstream, for every device of the family that a board has. The parts
// (load.h) and the tools (firmware/fpga/stream.h) both take it from here.
//
//   11111111 0010 <length count, 24 bits, MSB first> 1111     header, 40 bits
//   0 <data bits> <4 check bits>                              each frame
//   01111111                                                  postamble; XC4000X: 01111
//   11111111                                                  start-up clocks
//
// Check (INFERRED): the family knows two kinds. One is a constant 0110 in every frame. The other is a
// running CRC (x^16 + x^15 + x^2 + 1): four bits of it end each frame, and eleven bits end the last frame,
// where they take the place of seven data bits. Our boards use the CRC, because with the constant a flipped
// data bit would give a wrong design and no error. Three things about the CRC are not documented and
// are ours: it is preset to ones, or else an all-zero stream would pass at every alignment; it is fed with
// the data bits in their order; it is sent from its most significant bit on.
//
// What the CRC finds: damage to data is found if it is one flip, two, an odd number, or lies
// within 16 bits; of other damage 1 in 65536 passes. Five bits of the CRC are never sent, so this does not
// hold for the last bits before its last eleven: there two single flips can pass.
#pragma once

#include <cstdint>
#include <string_view>

namespace perfboard::xc4000 {

inline constexpr uint32_t kDummyBits = 8;
inline constexpr uint32_t kPreamble = 0b0010;
inline constexpr uint32_t kPreambleBits = 4;
inline constexpr uint32_t kLengthBits = 24;
inline constexpr uint32_t kFillBits = 4;
inline constexpr uint32_t kHeaderBits = kDummyBits + kPreambleBits + kLengthBits + kFillBits;

inline constexpr uint32_t kCheckBits = 4;
inline constexpr uint32_t kLastCheckBits = 11;
inline constexpr uint32_t kStartupBits = 8;

// CCLKs after the last frame until the memory is full. INFERRED: as many as the 01111 of the postamble
// takes. That leaves the four clocks of slack that Xilinx answer record 176 grants before the data.
inline constexpr uint32_t kWriteClocks = 5;

// Start-up, counted from the length count's match (the family's default): DONE at C1, outputs
// active and HDC released at C2.
inline constexpr uint32_t kDoneClock = 1;
inline constexpr uint32_t kActiveClock = 2;
inline constexpr uint32_t kFinishedClock = 4;

struct Device {
  std::string_view name;
  uint32_t frames;
  uint32_t frame_bits;      // with the start bit and the check bits
  uint32_t postamble_bits;  // a zero, then ones

  constexpr uint32_t check_bits(uint32_t frame) const {
    return frame == frames - 1 ? kLastCheckBits : kCheckBits;
  }
  constexpr uint32_t data_bits(uint32_t frame) const { return frame_bits - 1 - check_bits(frame); }
  constexpr uint32_t postamble() const { return (1u << (postamble_bits - 1)) - 1; }
  constexpr uint32_t prom_bits() const { return kHeaderBits + frames * frame_bits + postamble_bits; }
  constexpr uint32_t stream_bits() const { return prom_bits() + kStartupBits; }
  constexpr uint32_t stream_bytes() const { return (stream_bits() + 7) / 8; }
  // The count includes every CCLK since INIT* rose, and is 7 less than the stream with its
  // start-up bits (Xilinx answer record 7912).
  constexpr uint32_t length_count() const { return stream_bits() - 7; }
};

// Plain XC4000: frame bits 10 rows + 26, frames 36 columns + 68.
constexpr Device plain(std::string_view name, uint32_t rows, uint32_t columns) {
  return {name, 36 * columns + 68, 10 * rows + 26, 8};
}
// XC4000X. INFERRED: the XC4000XLA has the frames of the XC4000XL, whose improved version its data sheet
// calls it.
constexpr Device extended(std::string_view name, uint32_t rows, uint32_t columns) {
  return {name, 47 * columns + 83, 12 * rows + 37, 5};
}

inline constexpr Device kXc4003 = plain("XC4003", 10, 10);
static_assert(kXc4003.prom_bits() == 53'976, "the data book's PROM size of the XC4003");
inline constexpr Device kXc4062xla = extended("XC4062XLA", 48, 48);
static_assert(kXc4062xla.stream_bytes() * 8 == 1'433'864, "the data book's PROM size of the XC4062XL");
inline constexpr Device kXc4085xla = extended("XC4085XLA", 56, 56);
static_assert(kXc4085xla.stream_bytes() * 8 == 1'924'992, "the data book's PROM size of the XC4085XL");

inline constexpr uint16_t kCrcPreset = 0xffff;
constexpr uint16_t crc_step(uint16_t crc, bool bit) {
  const bool feedback = ((crc >> 15) & 1) != bit;
  return static_cast<uint16_t>((crc << 1) ^ (feedback ? 0x8005 : 0));
}
// Check bit i, counted in the order in which they are sent.
constexpr bool check_bit(uint16_t crc, uint32_t i) { return (crc >> (15 - i)) & 1; }

}  // namespace perfboard::xc4000
