// SPDX-License-Identifier: GPL-2.0-or-later
//
// Packets through the three stages in virtual time; the receive clock; PV; PRS; PCLR.
#include "tests/unit/surfboard/fixture.h"

namespace perfboard::surf {
namespace {

class Pipeline : public testing::Test {
 protected:
  Pipeline() {
    bench.shift_in(shift_value(1));
    bench.put("HTCR.WEN", "HTCR.TEN");
  }
  uint32_t category(uint32_t entry) { return bench.entry(entry).word[1] >> 28; }
  uint32_t size(uint32_t entry) { return bench.entry(entry).word[1] >> 18 & 0x3ff; }
  bool pv() { return bench.is("ISCR.PV"); }
  SurfBench bench{{.trace = 4 * kMiB, .hist = 0}};
};

TEST_F(Pipeline, APacketIsVisibleFromTheEndOfStage3) {
  const uint64_t start = bench.now;
  bench.deliver({.words = 7, .length_ns = 300}, start);
  bench.pass_until(start + 300 + kAfterEnd - 1);
  EXPECT_EQ(bench.read("WCDR"), 0u);
  EXPECT_EQ(bench.read("TICR"), 0u);
  bench.pass(1);
  EXPECT_EQ(bench.read("WCDR"), 7u);
  EXPECT_EQ(bench.read("TICR"), 1u);
}

TEST_F(Pipeline, HandedOverLateItIsDoneAtOnce) {
  const ShrimpPacket p = bench.make({.words = 7}, bench.now);
  bench.pass(1'000'000);
  surf_packet(&bench.board, &p);
  EXPECT_EQ(bench.read("WCDR"), 7u);
  EXPECT_EQ(bench.entry(0).word[2], p.start_ns / 100);
}

// No interrupt and no wire waits for a packet: it costs the host no timer, and whoever looks at a memory
// finds it there.
TEST_F(Pipeline, MemoriesAreWrittenWhenSomebodyLooks) {
  bench.deliver({}, bench.now);
  EXPECT_EQ(bench.armed, PB_NEVER);
  bench.pass(kAfterEnd - 1);
  surf_memory_access(&bench.board);
  EXPECT_EQ(bench.stored, 0u);
  bench.pass(1);
  surf_memory_access(&bench.board);
  EXPECT_EQ(bench.stored, 16u);
}

TEST_F(Pipeline, DropsAPacketBelowTheMinimumPeriod) {
  const uint64_t start = bench.now;
  bench.deliver({.words = 1}, start);
  bench.deliver({.words = 2}, start + kMinPeriodNs - 1);
  EXPECT_TRUE(pv());
  bench.deliver({.words = 4}, start + kMinPeriodNs);  // the dropped one delays nothing
  bench.pass(kAfterEnd);
  EXPECT_EQ(bench.read("WCDR"), 5u);
  EXPECT_EQ(bench.read("TECR"), 2u);
  bench.put("ISCR.PV");
  EXPECT_FALSE(pv());
}

TEST_F(Pipeline, DropsAPacketBelowTheMinimumGap) {
  const uint64_t start = bench.now;
  bench.deliver({.words = 1, .length_ns = 5000}, start);
  bench.deliver({.words = 2}, start + 5000 + kMinGapNs - 1);
  EXPECT_TRUE(pv());
  bench.put("ISCR.PV");
  bench.deliver({.words = 4}, start + 5000 + kMinGapNs);
  EXPECT_FALSE(pv());
  bench.pass(2 * kAfterEnd);
  EXPECT_EQ(bench.read("WCDR"), 5u);
}

TEST_F(Pipeline, AShortPacketBehindALongOneWaitsForStage3) {
  const uint64_t start = bench.now;
  bench.deliver({.words = 1, .length_ns = 5000}, start);
  const uint64_t first_done = start + 5000 + kAfterEnd;
  const uint64_t next = start + 5000 + kMinGapNs;
  bench.deliver({.words = 2, .length_ns = 60},
                next);  // its end plus Stages 2 and 3 is before first_done + Stage 3
  ASSERT_LT(next + 60 + kAfterEnd, first_done + kStage3Ns);
  bench.pass_until(first_done + kStage3Ns - 1);
  EXPECT_EQ(bench.read("WCDR"), 1u);
  bench.pass(1);
  EXPECT_EQ(bench.read("WCDR"), 3u);
}

TEST_F(Pipeline, CallerAheadOfTimeLosesNothing) {
  const uint64_t start = bench.now;
  for (int i = 0; i < 50; ++i) {
    const ShrimpPacket p = bench.make({.words = 3}, start + i * 2000);
    surf_packet(&bench.board, &p);
  }
  bench.pass(200'000);
  EXPECT_EQ(bench.read("WCDR"), 150u);
}

// p. 57: packets in the pipeline keep the category from before a change of PCLR.
TEST_F(Pipeline, PacketsInTheStagesKeepTheCategoryFromBefore) {
  bench.write("TTCR", 1 << 2);  // MIDDLE, any packet: records all
  bench.write("PCLR", 5);
  const uint64_t start = bench.now;
  bench.deliver({.length_ns = 1500}, start);
  const uint64_t second = start + 1500 + kMinGapNs, third = second + kMinPeriodNs;
  bench.deliver({.length_ns = 60}, second);
  bench.pass_until(second + 100);
  ASSERT_LT(bench.state().pipe[0].stage3_ns, bench.now);  // the first is in Stage 3,
  ASSERT_GT(bench.state().pipe[0].done_ns, bench.now);
  ASSERT_EQ(bench.state().pipe_count, 2);  // the second in Stage 2
  ASSERT_GT(bench.state().pipe[1].stage3_ns, bench.now);
  bench.write("PCLR", 6);
  bench.deliver({}, third);
  bench.pass(kAfterEnd + 500);
  bench.send();
  for (uint32_t i : {0u, 1u}) EXPECT_EQ(category(i), 5u) << i;
  for (uint32_t i : {2u, 3u}) EXPECT_EQ(category(i), 6u) << i;
}

TEST_F(Pipeline, CategoryHistoryReachesEightChangesBack) {
  bench.write("PCLR", 1);
  const uint64_t start = bench.now + 10;
  bench.pass_until(start + 10);
  for (uint32_t c = 2; c <= 9; ++c) {
    bench.write("PCLR", c);
    bench.pass(10);
  }
  bench.deliver({.length_ns = 500}, start);
  bench.pass(kAfterEnd);
  EXPECT_EQ(category(0), 1u);
}

TEST_F(Pipeline, PipelineResetDropsWhatIsInIt) {
  bench.deliver({.words = 9}, bench.now);
  bench.put("HTCR.WEN", "HTCR.PRS");
  bench.pass(10'000);
  bench.deliver({.words = 9}, bench.now);
  bench.pass(10'000);
  EXPECT_EQ(bench.read("WCDR"), 0u);
  bench.put("HTCR.WEN");
  EXPECT_FALSE(pv());
  bench.send({.words = 2});
  EXPECT_EQ(bench.read("WCDR"), 2u);
}

TEST_F(Pipeline, APacketUnderWayAtTheReleaseIsNotSeen) {
  bench.put("HTCR.WEN", "HTCR.PRS");
  const ShrimpPacket p = bench.make({.words = 9, .length_ns = 1000}, bench.now);
  bench.pass(1);
  bench.put("HTCR.WEN");
  bench.pass(999);
  surf_packet(&bench.board, &p);
  bench.pass(10'000);
  EXPECT_EQ(bench.read("WCDR"), 0u);
  EXPECT_FALSE(pv());
}

TEST_F(Pipeline, WithoutEndOfDataTheNextPacketJoins) {
  bench.deliver({.words = 3, .sender = 1, .eod = false}, bench.now);
  bench.pass(100'000);
  EXPECT_EQ(bench.read("WCDR"), 0u);
  bench.send({.words = 5, .sender = 2});
  EXPECT_EQ(bench.read("WCDR"), 3u + 4 + 5);  // header and timestamp count as payload
  EXPECT_EQ(bench.read("TECR"), 1u);
  EXPECT_EQ(size(0), 12u);
  EXPECT_EQ(bench.entry(0).word[0] >> 26, 1u);
  bench.send({.words = 5});
  EXPECT_EQ(size(1), 5u);
}

TEST_F(Pipeline, JoinedPacketsWrapTheSizeCounter) {
  bench.deliver({.words = 1000, .eod = false}, bench.now);
  bench.pass(10'000);
  bench.send({.words = 30});
  EXPECT_EQ(bench.read("WCDR"), 10u);  // 1034 in ten bits
}

TEST_F(Pipeline, PipelineResetRecoversFromADamagedPacket) {
  bench.deliver({.words = 3, .eod = false}, bench.now);
  bench.put("HTCR.WEN", "HTCR.TEN", "HTCR.PRS");
  bench.put("HTCR.WEN", "HTCR.TEN");
  bench.pass(100);
  bench.send({.words = 5, .sender = 2});
  EXPECT_EQ(bench.read("WCDR"), 5u);
  EXPECT_EQ(bench.entry(0).word[0] >> 26, 2u);
}

TEST_F(Pipeline, DisabledItMonitorsNothing) {
  bench.deliver({.words = 9}, bench.now);
  bench.disable();
  bench.send({.words = 9});
  const ShrimpPacket across = bench.make({.words = 9, .length_ns = 1000}, bench.now);
  bench.pass(500);
  bench.enable();
  bench.pass(500);
  surf_packet(&bench.board, &across);
  bench.pass(10'000);
  EXPECT_EQ(bench.read("WCDR"), 0u);
  bench.send({.words = 2});
  EXPECT_EQ(bench.read("WCDR"), 2u);
  EXPECT_FALSE(pv());
}

TEST_F(Pipeline, EnablesAreIndependent) {
  bench.write("HTCR", 0);
  bench.send();
  EXPECT_EQ(bench.read("WCDR"), 0u);
  EXPECT_EQ(bench.read("TICR"), 0u);
  bench.put("HTCR.TEN");
  bench.send();
  EXPECT_EQ(bench.read("WCDR"), 0u);
  EXPECT_EQ(bench.read("TICR"), 1u);
  bench.put("HTCR.WEN");
  bench.send();
  EXPECT_EQ(bench.read("WCDR"), 1u);
  EXPECT_EQ(bench.read("TICR"), 1u);
}

TEST_F(Pipeline, WordCountAddsTheSizeAndWraps) {
  bench.send({.words = 1});
  bench.send({.words = 1023});
  bench.send({.words = 1024});
  EXPECT_EQ(bench.read("WCDR"), 2048u);
  EXPECT_EQ(size(2), 0u);  // ten bits
  bench.write("WCDR", 0xfffffffe);
  bench.send({.words = 1});
  EXPECT_EQ(bench.read("WCDR"), 0xffffffffu);
  EXPECT_FALSE(bench.is("ISCR.WCV"));
  bench.send({.words = 1});
  EXPECT_EQ(bench.read("WCDR"), 0u);
  EXPECT_TRUE(bench.is("ISCR.WCV"));
  bench.put("ISCR.WCV");
  bench.write("WCDR", 0xfffffffe);
  bench.send({.words = 5});
  EXPECT_EQ(bench.read("WCDR"), 3u);
  EXPECT_TRUE(bench.is("ISCR.WCV"));
}

TEST_F(Pipeline, LatencyFlagsOfAPacketAreLatched) {
  constexpr uint32_t kLatency = bits("ISCR.LU") | bits("ISCR.LV");
  surf_set_receive_time(&bench.board, 1000);
  bench.send({.timestamp = 1001});
  EXPECT_EQ(bench.read("ISCR") & kLatency, bits("ISCR.LU"));
  bench.put("ISCR.LU");
  surf_set_receive_time(&bench.board, 1 << 24);
  bench.send({.timestamp = 0});
  EXPECT_EQ(bench.read("ISCR") & kLatency, bits("ISCR.LV"));
  EXPECT_EQ(bench.entry(1).word[0], bits("TRACE0.V") | 0xffffff);
  bench.put("ISCR.LV");
  surf_set_receive_time(&bench.board, (1 << 24) - 1);
  bench.send({.timestamp = 0});
  EXPECT_EQ(bench.read("ISCR") & kLatency, 0u);
  EXPECT_EQ(bench.entry(2).word[0], 0xffffffu);
}

TEST(ReceiveClock, Is44BitsOf100NsSinceTheGlobalReset) {
  SurfBench bench;
  surf_global_reset(&bench.board);
  EXPECT_EQ(surf_receive_time(&bench.board), 0u);
  bench.pass(99);
  EXPECT_EQ(surf_receive_time(&bench.board), 0u);
  bench.pass(1);
  EXPECT_EQ(surf_receive_time(&bench.board), 1u);
  surf_set_receive_time(&bench.board, kTimeMask);
  EXPECT_EQ(surf_receive_time(&bench.board), kTimeMask);
  bench.pass(99);
  EXPECT_FALSE(bench.is("ISCR.RTV"));
  bench.pass(1);
  EXPECT_EQ(surf_receive_time(&bench.board), 0u);
  EXPECT_TRUE(bench.is("ISCR.RTV"));
}

TEST(ReceiveClock, WrapInterruptsOnTimeAndStaysUntilTheGlobalReset) {
  SurfBench bench;
  bench.put("IEMR.RTV");
  surf_set_receive_time(&bench.board, kTimeMask - 9);
  const uint64_t wrap = bench.now + 1000;
  EXPECT_EQ(bench.armed, wrap);
  bench.pass_until(wrap - 1);
  EXPECT_FALSE(bench.irq);
  bench.pass(1);
  EXPECT_TRUE(bench.irq);
  bench.write("ISCR", 0xffffffff);
  EXPECT_TRUE(bench.irq);
  surf_set_receive_time(&bench.board, 5);
  EXPECT_TRUE(bench.irq);
  surf_global_reset(&bench.board);
  EXPECT_FALSE(bench.irq);
  EXPECT_FALSE(bench.is("ISCR.RTV"));
}

TEST(ReceiveClock, RunsWhileDisabled) {
  SurfBench bench;
  surf_set_receive_time(&bench.board, kTimeMask);
  bench.disable();
  bench.pass(100);
  bench.enable();
  EXPECT_TRUE(bench.is("ISCR.RTV"));
}

}  // namespace
}  // namespace perfboard::surf
