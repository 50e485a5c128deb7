// SPDX-License-Identifier: GPL-2.0-or-later
//
// Histogram: bins, sizes, overflow; and everything at once.
#include "tests/unit/surfboard/fixture.h"

namespace perfboard::surf {
namespace {

class Histogram : public testing::Test {
 protected:
  Histogram() {
    bench.shift_in(shift_value(0));
    bench.select(HAS_SIZE_SHIFT, 10);
    bench.write("HTCR", bits("HTCR.HEN"));
  }
  SurfBench bench;
};

TEST_F(Histogram, CountsInLittleEndianBins) {
  bench.set_bin(300, 0x1ff);
  bench.send({.words = 300});
  EXPECT_EQ(bench.bin(300), 0x200u);
  EXPECT_EQ(bench.hist_memory[300 * 4 + 1], 2);
  EXPECT_EQ(bench.stored, 4u);
}

TEST_F(Histogram, EveryVariableReachesItsInputs) {
  bench.shift_in(shift_value(0, 12, 0, 2));
  bench.write("PCLR", 0xb);
  const SurfBench::Packet p = {.words = 0x155, .sender = 0b000'110'000'101, .color = 0x29};
  const std::tuple<uint32_t, uint32_t, uint32_t> variables[] = {{HAS_SENDER_SHIFT, 6, 0b110101},
                                                                {HAS_COLOR_SHIFT, 6, 0x29},
                                                                {HAS_CATEGORY_SHIFT, 4, 0xb},
                                                                {HAS_SIZE_SHIFT, 10, 0x155}};
  for (const auto& [first, count, value] : variables) {
    bench.select(first, count);
    const uint32_t before = bench.bin(value);
    bench.send(p);
    EXPECT_EQ(bench.bin(value), before + 1) << first;
  }
}

TEST_F(Histogram, LatencyReachesItsInputs) {
  bench.select(HAS_LATENCY_SHIFT, 20);
  surf_set_receive_time(&bench.board, 0x54321 + 7);
  bench.send({.timestamp = 7});
  EXPECT_EQ(bench.bin(0x54321), 1u);
}

TEST_F(Histogram, BeyondTheSimmItAliases) {
  for (uint32_t mib : {4u, 16u, 64u}) {
    SurfBench other({.trace = 0, .hist = mib * kMiB});
    other.shift_in(shift_value(0));
    other.select(HAS_LATENCY_SHIFT, 24);
    other.write("HTCR", bits("HTCR.HEN"));
    surf_set_receive_time(&other.board, 0xfedcba);
    other.send({.timestamp = 0});
    EXPECT_EQ(other.bin(0xfedcba & (mib * kMiB / 4 - 1)), 1u) << mib;
  }
}

TEST_F(Histogram, OverflowAtTheWrapOnly) {
  bench.set_bin(5, 0xfffffffe);
  bench.send({.words = 5});
  EXPECT_EQ(bench.read("ISCR") & bits("ISCR.BV"), 0u);
  EXPECT_EQ(bench.bin(5), 0xffffffffu);
  bench.send({.words = 5});
  EXPECT_NE(bench.read("ISCR") & bits("ISCR.BV"), 0u);
  EXPECT_EQ(bench.bin(5), 0u);
  bench.write("ISCR", bits("ISCR.BV"));
  bench.send({.words = 5});
  EXPECT_EQ(bench.read("ISCR") & bits("ISCR.BV"), 0u);
  EXPECT_EQ(bench.bin(5), 1u);
}

// HEN is 1 and nobody has looked at a register since: what is done comes before the guest's store.
TEST_F(Histogram, APreloadComesAfterThePacketsThatAreDone) {
  bench.set_bin(1, 0xffffffff);
  bench.deliver({}, bench.now);
  bench.pass(kAfterEnd);
  bench.set_bin(1, 0xfffffff0);
  EXPECT_NE(bench.read("ISCR") & bits("ISCR.BV"), 0u);
  EXPECT_EQ(bench.bin(1), 0xfffffff0u);
}

TEST_F(Histogram, APreloadComesBeforeThePacketsThatAreNotDone) {
  bench.deliver({}, bench.now);
  bench.pass(kAfterEnd - 1);
  bench.set_bin(1, 0xffffffff);
  bench.pass(1);
  EXPECT_NE(bench.read("ISCR") & bits("ISCR.BV"), 0u);
  EXPECT_EQ(bench.bin(1), 0u);
}

TEST_F(Histogram, ThresholdOfSixteen) {
  bench.set_bin(1, 0xfffffff0);
  bench.write("IEMR", bits("IEMR.BV"));
  for (int i = 0; i < 15; ++i) bench.send();
  EXPECT_FALSE(bench.irq);
  bench.send();
  EXPECT_TRUE(bench.irq);
}

TEST_F(Histogram, EmptySocketCountsNothing) {
  SurfBench empty({.trace = 0, .hist = 0});
  empty.select(HAS_SIZE_SHIFT, 10);
  empty.write("HTCR", bits("HTCR.HEN"));
  empty.send();
  EXPECT_EQ(empty.read("ISCR") & (bits("ISCR.BV") | bits("ISCR.FNE")), 0u);
  EXPECT_EQ(empty.stored, 0u);
}

TEST_F(Histogram, UnconfiguredSelectorPullsTheAddressHigh) {
  bench.write("FCCR", 1);
  bench.send();
  EXPECT_EQ(bench.bin(0xfffff), 1u);  // 0xFFFFFF in a 4 MB SIMM
}

TEST_F(Histogram, OverflowFillsTheFifoTriggersAndInterruptsInOnePacket) {
  bench.set_bin(5, 0xffffffff);
  bench.write("TTCR", 2 << 2 | 2 | bits("TTCR.MBV"));
  bench.write("IEMR", bits("IEMR.BV"));
  bench.write("HTCR", bits("HTCR.HEN") | bits("HTCR.TEN") | bits("HTCR.WEN"));
  bench.deliver({.words = 5}, bench.now);
  bench.pass(kAfterEnd - 1);
  EXPECT_FALSE(bench.irq);
  EXPECT_FALSE(bench.driven_low);
  bench.pass(1);
  EXPECT_TRUE(bench.irq);
  EXPECT_TRUE(bench.driven_low);
  const uint32_t expected = bits("ISCR.PEND") | bits("ISCR.BV") | bits("ISCR.TP") | bits("ISCR.TC") |
                            bits("ISCR.FNE") | bits("ISCR.EXT");  // EXT: the wire is its own input, too
  EXPECT_EQ(bench.read("ISCR"), expected);
  EXPECT_EQ(bench.read("WCDR"), 5u);
  EXPECT_EQ(bench.read("TICR"), 1u);
  EXPECT_NE(bench.read("HTCR") & bits("HTCR.TRG"), 0u);
  EXPECT_EQ(bench.read("HFDR"), 0x105u);
}

TEST_F(Histogram, WordCountHistogramAndTraceAgree) {
  bench.shift_in(shift_value(1));
  bench.write("HTCR", bits("HTCR.HEN") | bits("HTCR.TEN") | bits("HTCR.WEN"));
  uint32_t words = 0, seed = 1;
  for (int i = 0; i < 2000; ++i) {
    seed = seed * 1664525 + 1013904223;
    const uint16_t n = 1 + (seed >> 16) % 1023;
    words += n;
    bench.send({.words = n});
  }
  uint32_t packets = 0, in_bins = 0, in_trace = 0;
  EXPECT_EQ(bench.read("WCDR"), words);
  for (uint32_t n = 1; n < 1024; ++n) {
    packets += bench.bin(n);
    in_bins += n * bench.bin(n);
  }
  for (uint32_t i = 0; i < 2000; ++i) in_trace += bench.entry(i).word[1] >> 18 & 0x3ff;
  EXPECT_EQ(packets, 2000u);
  EXPECT_EQ(bench.read("TECR"), 2000u);
  EXPECT_EQ(in_bins, words);
  EXPECT_EQ(in_trace, words);
}

}  // namespace
}  // namespace perfboard::surf
