// SPDX-License-Identifier: GPL-2.0-or-later
#include "firmware/fpga/stream.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace perfboard::xc4000 {
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
  Reader(const Device& device, const std::vector<uint8_t>& bytes) : device_(device), bytes_(bytes) {}
  size_t at() const { return at_; }
  bool at_end() const { return at_ == bytes_.size() * 8; }

  template <typename Where>  // returns the text that names the place; called for a complaint only
  bool bit(Where&& where) {
    if (at_end())
      throw StreamError(at_, fmt::format("{}: expected {} bits in all, found the end after {}", where(),
                                         device_.stream_bits(), at_));
    const bool b = (bytes_[at_ / 8] >> (7 - at_ % 8)) & 1;
    ++at_;
    return b;
  }
  template <typename Where>
  void expect(bool wanted, std::string_view because, Where&& where) {
    const size_t here = at_;
    const bool found = bit(where);
    if (found != wanted)
      throw StreamError(here,
                        fmt::format("{}: expected {:d}, found {:d}{}", where(), wanted, found, because));
  }
  void expect_field(uint32_t value, uint32_t width, std::string_view name, std::string_view because = "") {
    for (uint32_t i = 0; i < width; ++i)
      expect((value >> (width - 1 - i)) & 1, because,
             [&] { return fmt::format("bit {} of the {}", i, name); });
  }

 private:
  const Device& device_;
  const std::vector<uint8_t>& bytes_;
  size_t at_ = 0;
};

}  // namespace

StreamError::StreamError(size_t at_bit, const std::string& message)
    : std::runtime_error(fmt::format("bit {}: {}", at_bit, message)), bit(at_bit) {}

std::vector<uint8_t> write_stream(const Device& device, const DataBit& data) {
  Writer out;
  out.field(ones(kDummyBits), kDummyBits);
  out.field(kPreamble, kPreambleBits);
  out.field(device.length_count(), kLengthBits);
  out.field(ones(kFillBits), kFillBits);
  uint16_t crc = kCrcPreset;
  for (uint32_t frame = 0; frame < device.frames; ++frame) {
    out.bit(false);
    for (uint32_t i = 0; i < device.data_bits(frame); ++i) {
      const bool b = data(frame, i);
      crc = crc_step(crc, b);
      out.bit(b);
    }
    for (uint32_t i = 0; i < device.check_bits(frame); ++i) out.bit(check_bit(crc, i));
  }
  out.field(device.postamble(), device.postamble_bits);
  out.field(ones(kStartupBits), kStartupBits);
  return out.take();
}

void read_stream(const Device& device, const std::vector<uint8_t>& bytes, const TakeFrame& take) {
  constexpr std::string_view unseen = " (the part does not look at it)";
  Reader in(device, bytes);
  in.expect_field(ones(kDummyBits), kDummyBits, "dummy bits");
  in.expect_field(kPreamble, kPreambleBits, "preamble");
  in.expect_field(device.length_count(), kLengthBits, "length count");
  in.expect_field(ones(kFillBits), kFillBits, "header's end", unseen);
  uint16_t crc = kCrcPreset;
  std::vector<bool> data;
  for (uint32_t frame = 0; frame < device.frames; ++frame) {
    in.expect(false, "", [&] { return fmt::format("start bit of frame {}", frame); });
    const size_t begin = in.at();
    data.resize(device.data_bits(frame));
    for (uint32_t i = 0; i < data.size(); ++i) {
      data[i] = in.bit([&] { return fmt::format("frame {}", frame); });
      crc = crc_step(crc, data[i]);
    }
    for (uint32_t i = 0; i < device.check_bits(frame); ++i)
      in.expect(check_bit(crc, i), ": this frame or one before it is damaged",
                [&] { return fmt::format("check bit {} of frame {}", i, frame); });
    take(frame, begin, data);
  }
  in.expect_field(device.postamble(), device.postamble_bits, "postamble", unseen);
  in.expect_field(ones(kStartupBits), kStartupBits, "start-up clocks", unseen);
  while (!in.at_end()) in.expect(true, unseen, [] { return "padding behind the stream"; });
}

}  // namespace perfboard::xc4000
