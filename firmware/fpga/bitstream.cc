// SPDX-License-Identifier: GPL-2.0-or-later
#include "firmware/fpga/bitstream.h"

#include <fmt/format.h>

#include "hw/surfboard/xc4000.h"

namespace perfboard::has {
namespace {

namespace xc = xc4000;

class BitWriter {
 public:
  void put(bool bit) {
    if (count_ % 8 == 0) bytes_.push_back(0xff);  // ones fill the last byte: clocks after the end
    if (!bit) bytes_.back() &= static_cast<uint8_t>(~(0x80 >> count_ % 8));
    count_++;
  }
  void put(uint32_t value, uint32_t bits) {
    for (uint32_t i = bits; i-- > 0;) put((value >> i & 1) != 0);
  }
  std::vector<uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<uint8_t> bytes_;
  size_t count_ = 0;
};

class BitReader {
 public:
  explicit BitReader(const std::vector<uint8_t>& bytes) : bytes_(bytes) {}
  size_t at() const { return at_; }
  bool get(std::string_view what) {
    if (at_ / 8 >= bytes_.size()) throw StreamError(fmt::format("bit {}: the stream ends in {}", at_, what));
    const bool bit = (bytes_[at_ / 8] >> (7 - at_ % 8) & 1) != 0;
    at_++;
    return bit;
  }
  uint32_t get(uint32_t bits, std::string_view what) {
    uint32_t value = 0;
    for (uint32_t i = 0; i < bits; i++) value = value << 1 | uint32_t{get(what)};
    return value;
  }

 private:
  const std::vector<uint8_t>& bytes_;
  size_t at_ = 0;
};

// Frame k < 24 holds the switches of address bit k; the other frames are empty.
uint64_t switches(const Mapping& mapping, uint32_t frame) {
  if (frame >= HAS_OUTPUTS || mapping[frame] == kZero) return 0;
  return uint64_t{1} << (mapping[frame] == kOne ? xc::kVcc : mapping[frame]);
}

void put_frame(BitWriter& out, uint64_t closed, uint32_t frame, uint16_t& crc) {
  out.put(false);
  for (uint32_t i = 0; i < xc::data_bits(frame); i++) {
    const bool bit = i < xc::kSwitches && (closed >> i & 1) != 0;
    crc = xc::crc_step(crc, bit);
    out.put(bit);
  }
  for (uint32_t i = 0; i < xc::check_bits(frame); i++) out.put(xc::check_bit(crc, i));
}

uint64_t get_frame(BitReader& in, uint32_t frame, uint16_t& crc) {
  const std::string what = fmt::format("frame {}", frame);
  uint64_t closed = 0;
  if (in.get(what)) throw StreamError(fmt::format("bit {}: {}: the start bit is 1", in.at() - 1, what));
  for (uint32_t i = 0; i < xc::data_bits(frame); i++) {
    const bool bit = in.get(what);
    crc = xc::crc_step(crc, bit);
    if (i < xc::kSwitches) closed |= uint64_t{bit} << i;
  }
  for (uint32_t i = 0; i < xc::check_bits(frame); i++) {
    if (in.get(what) != xc::check_bit(crc, i))
      throw StreamError(
          fmt::format("bit {}: {}: the check does not agree with the data before it", in.at() - 1, what));
  }
  return closed;
}

uint8_t source_of(uint64_t closed, uint32_t output) {
  if (closed == 0) return kZero;
  if (closed & (closed - 1))
    throw StreamError(fmt::format("frame {}: address[{}] has several inputs", output, output));
  const auto input = static_cast<uint32_t>(__builtin_ctzll(closed));
  return input == xc::kVcc ? kOne : static_cast<uint8_t>(input);
}

}  // namespace

std::vector<uint8_t> assemble(const Mapping& mapping) {
  BitWriter out;
  uint16_t crc = xc::kCrcPreset;
  out.put(0xff, xc::kDummyBits);
  out.put(xc::kPreamble, xc::kPreambleBits);
  out.put(xc::kLengthCount, xc::kLengthBits);
  out.put(0xf, xc::kFillBits);
  for (uint32_t frame = 0; frame < xc::kFrames; frame++) put_frame(out, switches(mapping, frame), frame, crc);
  out.put(xc::kPostamble, xc::kPostambleBits);
  out.put(0xff, xc::kStartupBits);
  return out.take();
}

Mapping disassemble(const std::vector<uint8_t>& bytes) {
  BitReader in(bytes);
  uint32_t last = 0xf;
  do {
    last = (last << 1 | uint32_t{in.get("the search for the preamble 0010")}) & 0xf;
  } while (last != xc::kPreamble);
  const auto lead = static_cast<uint32_t>(in.at()) - xc::kDummyBits - xc::kPreambleBits;
  const uint32_t length = in.get(xc::kLengthBits, "the length count");
  if (length != xc::kLengthCount + lead)
    throw StreamError(fmt::format("bit {}: the length count is {}, not {}: the part would not start up",
                                  in.at() - xc::kLengthBits, length, xc::kLengthCount + lead));
  in.get(xc::kFillBits, "the header");
  uint16_t crc = xc::kCrcPreset;
  Mapping mapping = all_zero();
  for (uint32_t frame = 0; frame < xc::kFrames; frame++) {
    const uint64_t closed = get_frame(in, frame, crc);
    if (frame < HAS_OUTPUTS) mapping[frame] = source_of(closed, frame);
  }
  in.get(xc::kPostambleBits, "the postamble");
  in.get(1, "the start-up clocks");  // the length count is reached 7 clocks before the end
  return mapping;
}

}  // namespace perfboard::has
