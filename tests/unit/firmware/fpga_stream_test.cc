// SPDX-License-Identifier: GPL-2.0-or-later
//
// The container of the larger device: its numbers as the data book has them, and that the part
// (hw/fpga/load.h) and the tools (firmware/fpga/stream.h) take the same streams. The HAS's tests do the same
// for the XC4003.
#include <gtest/gtest.h>

#include <random>

#include "firmware/fpga/stream.h"
#include "hw/fpga/load.h"

namespace perfboard::xc4000 {
namespace {

using Bytes = std::vector<uint8_t>;

bool bit_of(const Bytes& bytes, size_t i) { return bytes[i / 8] >> (7 - i % 8) & 1; }
void flip(Bytes& bytes, size_t i) { bytes[i / 8] = static_cast<uint8_t>(bytes[i / 8] ^ 0x80 >> i % 8); }

// Data with ones here and there, others for another seed.
DataBit pattern(uint32_t seed) {
  return [seed](uint32_t frame, uint32_t i) { return (frame * 31 + i * 17 + seed) % 97 == 0; };
}

struct Loaded {
  Load load;
  size_t ones = 0;
  uint64_t places = 0;  // a sum that depends on where they are
};
Loaded load(const Bytes& bytes) {
  Loaded l{};
  load_clear(&l.load);
  for (size_t i = 0; i < bytes.size() * 8; ++i)
    load_clock<kXc4062xla>(&l.load, bit_of(bytes, i), [&](uint32_t frame, uint32_t at, bool bit) {
      l.ones += bit;
      if (bit) l.places = l.places * 31 + frame * 1000 + at;
    });
  return l;
}

TEST(FpgaStream, TheXC4062XLAIsAsTheDataBookSays) {
  EXPECT_EQ(kXc4062xla.frame_bits, 12u * 48 + 37);
  EXPECT_EQ(kXc4062xla.frames, 47u * 48 + 83);
  EXPECT_EQ(kXc4062xla.prom_bits() - kHeaderBits, 1433812u);
  EXPECT_EQ(kXc4062xla.stream_bytes(), 1433864u / 8);
  EXPECT_LE(kXc4062xla.stream_bytes(), 256u * 1024) << "two of them fit into the card's 512 KB";
  EXPECT_LT(kXc4062xla.stream_bits(), 1u << kLengthBits);
}

TEST(FpgaStream, HeaderAndEndOfAnEmptyDesign) {
  const Bytes bytes = write_stream(kXc4062xla, [](uint32_t, uint32_t) { return false; });
  ASSERT_EQ(bytes.size(), 179233u);
  // 1433860 bits less 7 are 0x15E0FD.
  EXPECT_EQ((Bytes{bytes.begin(), bytes.begin() + 5}), (Bytes{0xff, 0x21, 0x5e, 0x0f, 0xdf}));
  EXPECT_FALSE(bit_of(bytes, 40)) << "start bit";
  const size_t postamble = 40 + 2339 * 613;
  EXPECT_FALSE(bit_of(bytes, postamble));
  for (size_t i = postamble + 1; i < bytes.size() * 8; ++i) EXPECT_TRUE(bit_of(bytes, i)) << i;
}

TEST(FpgaStream, ThePartTakesWhatTheToolsWrite) {
  const Bytes bytes = write_stream(kXc4062xla, pattern(1));
  const Loaded l = load(bytes);
  EXPECT_TRUE(load_done(&l.load));
  EXPECT_TRUE(load_active(&l.load));
  EXPECT_FALSE(l.load.error);
  size_t ones = 0;
  uint64_t places = 0;
  read_stream(kXc4062xla, bytes, [&](uint32_t frame, size_t at, const std::vector<bool>& data) {
    ASSERT_EQ(at, 41u + frame * 613);
    for (size_t i = 0; i < data.size(); ++i) {
      ASSERT_EQ(data[i], bit_of(bytes, at + i));
      ones += data[i];
      if (data[i]) places = places * 31 + frame * 1000 + i;
    }
  });
  EXPECT_GT(ones, 10000u);
  EXPECT_EQ(l.ones, ones);
  EXPECT_EQ(l.places, places);
}

TEST(FpgaStream, DoneComesSevenClocksBeforeTheEnd) {
  const Bytes bytes = write_stream(kXc4062xla, pattern(2));
  Load l{};
  load_clear(&l);
  size_t clocks = 0;
  while (!load_done(&l) && clocks < bytes.size() * 8)
    load_clock<kXc4062xla>(&l, bit_of(bytes, clocks++), [](uint32_t, uint32_t, bool) {});
  EXPECT_EQ(clocks, 1433860u - 7 + 1);
}

TEST(FpgaStream, AFlippedBitOfAFrameIsFoundByPartAndTool) {
  const Bytes good = write_stream(kXc4062xla, pattern(3));
  std::mt19937 random(3);
  for (int n = 0; n < 4; ++n) {
    const size_t at = 40 + random() % (2339 * 613);
    Bytes bad = good;
    flip(bad, at);
    const Loaded l = load(bad);
    EXPECT_TRUE(l.load.error) << at;
    EXPECT_FALSE(load_done(&l.load)) << at;
    try {
      read_stream(kXc4062xla, bad, [](uint32_t, size_t, const std::vector<bool>&) {});
      ADD_FAILURE() << "bit " << at << " passed";
    } catch (const StreamError& e) {
      EXPECT_GE(e.bit, at);
      EXPECT_LT(e.bit, at + 2 * 613) << e.what();
    }
  }
}

TEST(FpgaStream, AnotherDevicesStreamIsRefused) {
  const Bytes small = write_stream(kXc4003, [](uint32_t, uint32_t) { return false; });
  const Loaded l = load(small);
  EXPECT_FALSE(load_done(&l.load));
  EXPECT_THROW(read_stream(kXc4062xla, small, [](uint32_t, size_t, const std::vector<bool>&) {}),
               StreamError);
}

TEST(FpgaStream, ACutStreamSaysHowLongItShouldBe) {
  Bytes bytes = write_stream(kXc4062xla, pattern(4));
  bytes.resize(1000);
  try {
    read_stream(kXc4062xla, bytes, [](uint32_t, size_t, const std::vector<bool>&) {});
    ADD_FAILURE();
  } catch (const StreamError& e) {
    EXPECT_EQ(std::string(e.what()),
              "bit 8000: frame 12: expected 1433860 bits in all, found the end after 8000");
  }
}

}  // namespace
}  // namespace perfboard::xc4000
