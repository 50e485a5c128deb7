// SPDX-License-Identifier: GPL-2.0-or-later
#include "firmware/fpga/bitstream.h"

#include <fmt/format.h>

#include "hw/surfboard/xc4000.h"

namespace xc = perfboard::xc4000;

namespace perfboard::has {
namespace {

constexpr uint32_t ones(uint32_t count) { return (1u << count) - 1; }

class Writer {
 public:
  void bit(bool b) {
    if (count_ % 8 == 0) bytes_.push_back(0xff);
    if (!b) bytes_.back() = static_cast<uint8_t>(bytes_.back() & ~(0x80u >> count_ % 8));
    ++count_;
  }
  void field(uint32_t value, uint32_t width) {
    while (width-- > 0) bit((value >> width) & 1);
  }
  std::vector<uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<uint8_t> bytes_;
  size_t count_ = 0;
};

class Reader {
 public:
  explicit Reader(const std::vector<uint8_t>& bytes) : bytes_(bytes) {}
  size_t at() const { return at_; }
  bool at_end() const { return at_ == bytes_.size() * 8; }

  bool bit(const std::string& where) {
    if (at_end())
      throw StreamError(at_, fmt::format("{}: expected {} bits in all, found the end after {}", where,
                                         uint32_t{xc::kStreamBits}, at_));
    const bool b = (bytes_[at_ / 8] >> (7 - at_ % 8)) & 1;
    ++at_;
    return b;
  }
  void expect(bool wanted, const std::string& where, std::string_view because = "") {
    const size_t here = at_;
    const bool found = bit(where);
    if (found != wanted)
      throw StreamError(here, fmt::format("{}: expected {:d}, found {:d}{}", where, wanted, found, because));
  }
  void expect_field(uint32_t value, uint32_t width, std::string_view name, std::string_view because = "") {
    for (uint32_t i = 0; i < width; ++i)
      expect((value >> (width - 1 - i)) & 1, fmt::format("bit {} of the {}", i, name), because);
  }

 private:
  const std::vector<uint8_t>& bytes_;
  size_t at_ = 0;
};

// Whether switch i is closed when an address bit shows this source.
bool closes(uint8_t source, uint32_t i) {
  return source == kOne ? i == xc::kVcc : source == i && i < HAS_INPUTS;
}

std::string switch_name(uint32_t i) {
  return i == xc::kVcc ? std::string("VCC") : fmt::format("input {}", i);
}

// Reads a frame and returns what its switches connect to the address bit of the same number. Frames behind
// those of the address bits have no switches: kZero.
uint8_t read_frame(Reader& in, uint32_t frame, uint16_t& crc) {
  const std::string of_frame = fmt::format("frame {}", frame);
  in.expect(false, fmt::format("start bit of {}", of_frame));
  const size_t begin = in.at();
  std::vector<uint32_t> closed;
  for (uint32_t i = 0; i < xc::data_bits(frame); ++i) {
    const bool b = in.bit(of_frame);
    crc = xc::crc_step(crc, b);
    if (b) closed.push_back(i);
  }
  for (uint32_t i = 0; i < xc::check_bits(frame); ++i)
    in.expect(xc::check_bit(crc, i), fmt::format("check bit {} of {}", i, of_frame),
              ": this frame or one before it is damaged");

  for (const uint32_t i : closed)
    if (frame >= HAS_OUTPUTS || i >= xc::kSwitches)
      throw StreamError(
          begin + i, fmt::format("data bit {} of {}: expected 0, found 1: no switch is there", i, of_frame));
  if (closed.size() > 1)
    throw StreamError(begin + closed[1],
                      fmt::format("data bit {} of {}: expected 0, found 1: address[{}] shows {} already",
                                  closed[1], of_frame, frame, switch_name(closed[0])));
  if (closed.empty()) return kZero;
  return closed[0] == xc::kVcc ? kOne : static_cast<uint8_t>(closed[0]);
}

}  // namespace

StreamError::StreamError(size_t at_bit, const std::string& message)
    : std::runtime_error(fmt::format("bit {}: {}", at_bit, message)), bit(at_bit) {}

std::vector<uint8_t> assemble(const Mapping& mapping) {
  Writer out;
  out.field(ones(xc::kDummyBits), xc::kDummyBits);
  out.field(xc::kPreamble, xc::kPreambleBits);
  out.field(xc::kLengthCount, xc::kLengthBits);
  out.field(ones(xc::kFillBits), xc::kFillBits);
  uint16_t crc = xc::kCrcPreset;
  for (uint32_t frame = 0; frame < xc::kFrames; ++frame) {
    out.bit(false);
    for (uint32_t i = 0; i < xc::data_bits(frame); ++i) {
      const bool closed = frame < HAS_OUTPUTS && closes(mapping[frame], i);
      crc = xc::crc_step(crc, closed);
      out.bit(closed);
    }
    for (uint32_t i = 0; i < xc::check_bits(frame); ++i) out.bit(xc::check_bit(crc, i));
  }
  out.field(xc::kPostamble, xc::kPostambleBits);
  out.field(ones(xc::kStartupBits), xc::kStartupBits);
  return out.take();
}

Mapping disassemble(const std::vector<uint8_t>& bytes) {
  constexpr std::string_view unseen = " (the part does not look at it)";
  Reader in(bytes);
  Mapping mapping = all_zero();
  in.expect_field(ones(xc::kDummyBits), xc::kDummyBits, "dummy bits");
  in.expect_field(xc::kPreamble, xc::kPreambleBits, "preamble");
  in.expect_field(xc::kLengthCount, xc::kLengthBits, "length count");
  in.expect_field(ones(xc::kFillBits), xc::kFillBits, "header's end", unseen);
  uint16_t crc = xc::kCrcPreset;
  for (uint32_t frame = 0; frame < xc::kFrames; ++frame) {
    const uint8_t source = read_frame(in, frame, crc);
    if (frame < HAS_OUTPUTS) mapping[frame] = source;
  }
  in.expect_field(xc::kPostamble, xc::kPostambleBits, "postamble", unseen);
  in.expect_field(ones(xc::kStartupBits), xc::kStartupBits, "start-up clocks", unseen);
  while (!in.at_end()) in.expect(true, "padding behind the stream", unseen);
  return mapping;
}

}  // namespace perfboard::has
