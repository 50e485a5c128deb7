// SPDX-License-Identifier: GPL-2.0-or-later
//
// Write-combining buffers: when they leave, in which order, as what.
#include <algorithm>

#include "tests/unit/sci/fixture.h"

namespace perfboard::sci {
namespace {

class SciBuffers : public testing::TestWithParam<bool> {
 protected:
  SciBuffers() : b({.latency = GetParam()}) { b.home(3, 1); }
  void combined(uint64_t offset, uint32_t bytes = 4, uint32_t vcpu = 0) { b.combined(vcpu, offset, bytes); }
  // A buffer for each of n lines.
  void lines(uint32_t n, uint64_t first = kAway) {
    for (uint32_t i = 0; i < n; ++i) combined(first + 64 * i);
  }
  // What node 0 has sent: offset in the page, and byte enables.
  std::vector<std::pair<uint32_t, uint32_t>> sent() {
    std::vector<std::pair<uint32_t, uint32_t>> out;
    for (const SciPacket& p : b.seen())
      if (p.node == 0) out.emplace_back(p.bd2 & 0xfff, p.bd2 >> 32);
    b.seen().clear();
    return out;
  }
  using Sent = std::vector<std::pair<uint32_t, uint32_t>>;
  SciBench b;
};
INSTANTIATE_TEST_SUITE_P(Latency, SciBuffers, testing::Values(false, true),
                         [](const auto& p) { return p.param ? "On" : "Off"; });

TEST_P(SciBuffers, AFullBufferLeavesAtOnceAsOnePacket) {
  for (uint32_t i = 0; i < 15; ++i) combined(kAway + 4 * i);
  EXPECT_TRUE(b.seen().empty());
  EXPECT_TRUE(sci_holds(b.adapter()));
  combined(kAway + 60);
  ASSERT_EQ(b.seen().size(), 2u);
  EXPECT_EQ(b.seen()[0].bd1, 0x0000'0001'0009'0000u) << "a write of 64 bytes";
  EXPECT_EQ(b.seen()[0].bd2, 0x0000'00ff'0000'3000u);
  EXPECT_EQ(b.seen()[0].words, 10);
  EXPECT_EQ(b.count(0, kWrites), 1u);
  EXPECT_FALSE(sci_holds(b.adapter()));
}

TEST_P(SciBuffers, APartOfOneLeavesAsItsPiecesOf8Bytes) {
  combined(kAway + 60);
  combined(kAway + 3, 1);
  combined(kAway + 16, 8);
  combined(kAway + 8, 2);
  combined(kAway + 12, 2);
  sci_drain(b.adapter(), b.now, 0);
  EXPECT_EQ(sent(), (Sent{{0x00, 0x08}, {0x08, 0x33}, {0x10, 0xff}, {0x38, 0xf0}}));
  EXPECT_EQ(b.count(0, kWrites), 4u);
  EXPECT_FALSE(sci_holds(b.adapter()));
}

TEST_P(SciBuffers, TheFifthLineDrivesOutTheOldest) {
  lines(4);
  combined(kAway + 4);  // the first line's buffer stays the oldest
  EXPECT_TRUE(b.seen().empty());
  combined(kAway + 4 * 64);
  EXPECT_EQ(sent(), (Sent{{0, 0xff}}));
  combined(kAway + 5 * 64);
  EXPECT_EQ(sent(), (Sent{{0x40, 0x0f}}));
  sci_drain(b.adapter(), b.now, 0);
  EXPECT_EQ(sent(), (Sent{{0x80, 0x0f}, {0xc0, 0x0f}, {0x100, 0x0f}, {0x140, 0x0f}})) << "the oldest first";
}

TEST_P(SciBuffers, AFullBufferBetweenOthersLeavesItsPlace) {
  lines(3);
  for (uint32_t i = 4; i < 64; i += 4) combined(kAway + 64 + i);
  EXPECT_EQ(sent(), (Sent{{0x40, 0xff}}));
  combined(kAway + 3 * 64);
  combined(kAway + 4 * 64);
  EXPECT_TRUE(b.seen().empty());
  combined(kAway + 5 * 64);
  EXPECT_EQ(sent(), (Sent{{0, 0x0f}}));
}

TEST_P(SciBuffers, WhatDoesNot) {
  combined(kAway);
  b.load(1, kAway);
  b.store(2, kAway);
  sci_drain(b.adapter(), b.now, 1);
  sci_drain(b.adapter(), b.now, 7);
  b.write(kCtrl, 1, 1);
  b.write(kCtrl, 1);
  b.read(kCtrl, 0);
  EXPECT_EQ(sent(), Sent{});
  EXPECT_TRUE(sci_holds(b.adapter()));
}

TEST_P(SciBuffers, ThePageIsWhereItIsWhenABufferLeaves) {
  combined(0x5000);
  combined(kAway);
  b.home(5, 2);
  b.home(3, 0);
  sci_drain(b.adapter(), b.now, 0);
  EXPECT_EQ(b.take(), (Lines{"0: 0>2 write #0 5.000", "2: 0>2 write #0 5.000"}))
      << "and what is at home stays there";
}

TEST(SciBuffer, DrainedWritesAreQueuedWhileSixtyFourAreOutstanding) {
  SciBench b({.latency = true});
  b.home(3, 1);
  for (int i = 0; i < 64; ++i) b.store(0, kAway);
  const uint64_t first_echo = b.now - 7 + 1260;
  b.seen().clear();
  b.combined(0, kAway, 8);
  sci_drain(b.adapter(), b.now, 0);
  ASSERT_EQ(b.seen().size(), 2u);
  EXPECT_GE(b.seen()[0].ns, first_echo + 700);
  EXPECT_EQ(b.count(0, kOutstanding), 64u);
}

TEST(SciPayload, IsThereIfAskedFor) {
  SciBench b;
  b.home(3, 1);
  for (int i = 0; i < 64; ++i) b.memory[kAway + i] = static_cast<uint8_t>(i + 1);
  sci_want_payload(b.adapter(), true);
  b.load(0, kAway + 4);
  EXPECT_EQ(b.seen()[2].payload[0], 0x0807'0605'0000'0000u);
  EXPECT_EQ(b.seen()[3].payload[0], 0x0807'0605'0000'0000u);
  b.seen().clear();
  const uint8_t data[2] = {0xaa, 0xbb};
  b.access({.offset = kAway + 2, .bytes = 2, .vcpu = 0, .store = true, .data = data});
  EXPECT_EQ(b.seen()[0].payload[0], 0xbbaa'0000u);
  b.seen().clear();
  for (uint32_t i = 0; i < 64; i += 8) b.combined(0, kAway + i, 8);
  for (uint32_t i = 0; i < 8; ++i) {
    uint64_t want = 0;
    for (uint32_t k = 0; k < 8; ++k) want |= uint64_t{8 * i + k + 1} << 8 * k;
    EXPECT_EQ(b.seen()[0].payload[i], want);
  }
  b.seen().clear();
  b.combined(0, kAway + 9, 1);
  sci_drain(b.adapter(), b.now, 0);
  EXPECT_EQ(b.seen()[0].payload[0], 0x0a00u);
}

}  // namespace
}  // namespace perfboard::sci
