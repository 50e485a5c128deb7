// SPDX-License-Identifier: GPL-2.0-or-later
//
// BAR 0.
#include <string>
#include <utility>

#include "tests/unit/sci/fixture.h"

namespace perfboard::sci {
namespace {

TEST(SciRegisters, WhatTheyAreAtFirst) {
  SciBench b({.nodes = 3, .size = 8 * SCI_PAGE_BYTES, .enable = false});
  EXPECT_EQ(b.read(kId), 0x49435353u);
  EXPECT_EQ(b.read(kVersion), 1u);
  EXPECT_EQ(b.read(kNodes), 3u);
  EXPECT_EQ(b.read(kPages), 8u);
  EXPECT_EQ(b.read(kCtrl), 0u);
  EXPECT_EQ(b.read(kStatus), 0u);
  for (uint32_t page = 0; page < 8; ++page) EXPECT_EQ(b.read(kAtt + 4 * page), 0u);
  EXPECT_TRUE(b.log.empty());
}

TEST(SciRegisters, NodeIsWhoReads) {
  SciBench b({.nodes = 3});
  EXPECT_EQ(b.read(kNode, 0), 0u);
  EXPECT_EQ(b.read(kNode, 2), 2u);
  EXPECT_EQ(b.read(kNode, 3), UINT32_MAX);
  EXPECT_EQ(b.read(kNode), UINT32_MAX);
}

TEST(SciRegisters, AHomeThatIsNoNodeIsRefused) {
  SciBench b({.nodes = 3});
  b.home(15, 2);
  b.home(15, 3);
  EXPECT_EQ(b.read(kAtt + 4 * 15), 2u);
  EXPECT_EQ(b.log, (Lines{"ATT[15]: home 3 is no node: legal are 0 to 2; ignored"}));
}

TEST(SciRegisters, StatisticsCountAndClear) {
  SciBench b;
  b.home(3, 1);
  b.load(0, 0x3000);
  b.store(0, 0x3000);
  b.store(0, 0x3004);
  b.load(2, 0x3000, 4, true);
  b.store(2, 0x3000, 4, true);
  EXPECT_EQ(b.count(0, kReads), 1u);
  EXPECT_EQ(b.count(0, kWrites), 2u);
  EXPECT_EQ(b.count(0, kPackets), 4u);
  EXPECT_EQ(b.count(2, kLocks), 1u);
  EXPECT_EQ(b.count(2, kUnlocks), 1u);
  EXPECT_EQ(b.count(1, kReceived), 5u);
  EXPECT_EQ(b.count(1, kPackets), 7u);
  EXPECT_EQ(b.count(0, kReceived), 0u);
  b.write(kCtrl, 3);
  for (unsigned node = 0; node < 4; ++node)
    for (unsigned i = 0; i < SCI_COUNTS; ++i) EXPECT_EQ(b.count(node, Count(i)), 0u);
  EXPECT_EQ(b.read(kCtrl), 1u);
}

TEST(SciRegisters, LowerHalfLatchesTheUpperOneForEachReader) {
  SciBench b;
  const uint32_t low = kStatisticsBase + 8 * kReads;
  b.state().node[0].count[kReads] = 0x1'ffff'ffff;
  EXPECT_EQ(b.read(low, 0), 0xffffffffu);
  b.state().node[0].count[kReads] = 0x2'0000'0000;
  EXPECT_EQ(b.read(low, 1), 0u);
  EXPECT_EQ(b.read(low + 4, 0), 1u) << "as node 0 has latched it";
  EXPECT_EQ(b.read(low + 4, 1), 2u);
  EXPECT_EQ(b.read(low + 4, 2), 2u) << "node 2 has latched nothing";
  b.read(low + 8, 0);
  EXPECT_EQ(b.read(low + 4, 0), 2u) << "and node 0 something else";
}

TEST(SciRegisters, AccessesOfOtherWidths) {
  SciBench b;
  b.state().node[3].count[kWait] = 0x1122334455667788;
  const uint32_t at = kStatisticsBase + 3 * kStatisticsStep + 8 * kWait;
  EXPECT_EQ(sci_register_read(b.adapter(), at, 8, 0), 0x1122334455667788u);
  EXPECT_EQ(sci_register_read(b.adapter(), at + 2, 2, 0), 0x5566u);
  sci_register_write(b.adapter(), kCtrl, 0, 1, 0);
  EXPECT_EQ(b.read(kCtrl), 1u);
  EXPECT_EQ(b.log, Lines{"8-bit write to offset 0x14: registers take 32 bits; ignored"});
}

TEST(SciRegisters, WhereNothingIs) {
  SciBench b;
  EXPECT_EQ(b.read(kStatisticsBase + 4 * kStatisticsStep), UINT32_MAX) << "there are four nodes";
  b.write(kId, 0);
  b.write(kStatisticsBase, 5);
  b.write(0x1c, 5);
  EXPECT_EQ(b.log[1], "write to ID (offset 0x0): read only");
  EXPECT_EQ(b.log[2], "write to READS (offset 0x1000): read only");
  EXPECT_EQ(b.log[3], "write to offset 0x1c: no register is there");
  EXPECT_EQ(b.count(0, kReads), 0u);
}

// The other properties' ranges: unit-board-sci.
TEST(SciRegisters, Size) {
  for (const auto& [size, legal] : {std::pair(2048u, false), std::pair(4096u, true), std::pair(12288u, false),
                                    std::pair(256u << 20, true), std::pair(512u << 20, false)}) {
    const SciConfig c = {.nodes = 1, .size = size, .ringlet = 8};
    char why[200] = "";
    EXPECT_EQ(sci_config_ok(&c, why, sizeof why), legal) << size;
    EXPECT_EQ(std::string(why), legal ? ""
                                      : "size=" + std::to_string(size) +
                                            ": legal are powers of two from 4096 to 268435456 bytes");
  }
}

TEST(SciRegisters, ResetIsAsAtFirst) {
  SciBench b;
  b.home(3, 1);
  b.load(0, 0x3000);
  sci_reset(b.adapter());
  EXPECT_EQ(b.read(kCtrl), 0u);
  EXPECT_EQ(b.read(kAtt + 12), 0u);
  EXPECT_EQ(b.count(0, kReads), 0u);
}

}  // namespace
}  // namespace perfboard::sci
