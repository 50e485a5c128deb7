// SPDX-License-Identifier: GPL-2.0-or-later
//
// The outgoing FIFO: exact occupancy, both marks, and what is lost when it is full (paper 4.4.2).
#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

constexpr uint32_t kAhw = 4, kBlw = 8, kEmpty = 16, kFull = 2;

struct SniFifo : testing::Test {
  SniBench bench{{.fifo_words = SNI_FIFO_MIN}};
  void SetUp() override {
    bench.map(3, {.page = 7});
    bench.map(4, {.page = 8, .comb = true});
    bench.write("SISR", ~0u);
  }
  uint32_t count() { return bench.read("FCNT"); }
  uint32_t status() { return bench.read("SSR"); }
  uint32_t events() { return bench.read("SISR") & 0xff; }
  void store() { bench.store32(0x3000, 1); }  // a one-word packet: 3 words with a timestamp
};

TEST_F(SniFifo, WordsOfAPacket) {
  struct {
    uint32_t words;
    bool stamped;
    uint32_t fifo;
  } const cases[] = {{1, true, 3},  {2, true, 3},  {3, true, 4},  {1024, true, 514},
                     {1, false, 2}, {2, false, 2}, {3, false, 3}, {1024, false, 513}};
  for (const auto& c : cases) {
    bench.write("SCR", 3 | uint32_t{c.stamped} << 2);
    for (uint32_t i = 0; i < c.words; i++) bench.store32(0x4000 + 4 * i, i);
    EXPECT_EQ(count(), c.fifo) << c.words << " words";
    bench.write("SCR", 3 | uint32_t{c.stamped} << 2 | bit::kFlush);
    EXPECT_EQ(count(), c.fifo);
    bench.run_for(1'000'000);
    EXPECT_EQ(count(), 0u);
    EXPECT_TRUE(status() & kEmpty);
  }
}

TEST_F(SniFifo, OpenPacketGrowsByAWordForEveryOtherStore) {
  for (uint32_t i = 0; i < 9; i++) {
    bench.store32(0x4000 + 4 * i, i);
    EXPECT_EQ(count(), 2 + i / 2 + 1);
  }
}

TEST_F(SniFifo, AResetGivesTheMarksTheirPlaces) {
  EXPECT_EQ(bench.read("FSIZE"), 1100u);
  EXPECT_EQ(bench.read("FHWM"), 1100u - 137);
  EXPECT_EQ(bench.read("FLWM"), 137u);
}

TEST_F(SniFifo, FillsToTheLastWordAndLosesTheNext) {
  bench.write("SIER", bit::kOvf);
  for (int i = 0; i < 366; i++) store();  // 1098 words, at one instant
  EXPECT_EQ(count(), 1098u);
  EXPECT_FALSE(status() & kFull);
  EXPECT_FALSE(events() & bit::kOvf);
  store();  // 3 words do not fit into 2
  EXPECT_EQ(count(), 1098u);
  EXPECT_TRUE(events() & bit::kOvf);
  EXPECT_EQ(bench.counter(OVFC), 1u);
  EXPECT_EQ(bench.counter(AUS), 367u);
  EXPECT_EQ(bench.counter(AUW), 366u);
  bench.write("SCR", 3);  // without timestamps it fits exactly
  store();
  EXPECT_EQ(count(), 1100u);
  EXPECT_TRUE(status() & kFull);
  store();
  EXPECT_EQ(bench.counter(OVFC), 2u);
  bench.run_for(10'000'000);
  EXPECT_EQ(bench.packets.size(), 367u);
  EXPECT_EQ(count(), 0u);
}

TEST_F(SniFifo, AWordLostInsideAPacketLeavesItOpenWhereItWas) {
  for (int i = 0; i < 365; i++) store();                              // 1095
  for (uint32_t i = 0; i < 6; i++) bench.store32(0x4000 + 4 * i, i);  // 2 + 3: full
  EXPECT_EQ(count(), 1100u);
  bench.store32(0x4018, 6);
  EXPECT_EQ(bench.counter(OVFC), 1u);
  EXPECT_TRUE(status() & 1) << "still open";
  bench.store32(0x401c, 7);  // not the address that continues it: ends it, and finds no room
  EXPECT_EQ(bench.counter(ENDN), 1u);
  EXPECT_EQ(bench.counter(OVFC), 2u);
  bench.run_for(10'000'000);
  ASSERT_EQ(bench.packets.size(), 366u);
  EXPECT_EQ(bench.packets.back().payload, (std::vector<uint32_t>{0, 1, 2, 3, 4, 5}));
}

TEST_F(SniFifo, HighWaterComesAtTheMarkAndNotBefore) {
  bench.write("FHWM", 6);
  bench.write("SIER", bit::kHw);
  store();
  EXPECT_FALSE(status() & kAhw);
  EXPECT_EQ(events() & bit::kHw, 0u);
  store();  // 6 words
  EXPECT_EQ(bench.armed, bench.now) << "the interrupt comes by the timer, not in the store";
  EXPECT_FALSE(bench.irq);
  bench.run_for(0);
  EXPECT_TRUE(bench.irq);
  EXPECT_TRUE(status() & kAhw);
  bench.write("SISR", bit::kHw);
  EXPECT_FALSE(bench.irq);
  store();  // above: no new crossing
  EXPECT_EQ(events() & bit::kHw, 0u);
}

TEST_F(SniFifo, HighWaterWithAnOpenPacket) {
  bench.write("FHWM", 5);
  for (uint32_t i = 0; i < 4; i++) bench.store32(0x4000 + 4 * i, i);  // 4 words
  EXPECT_EQ(events() & bit::kHw, 0u);
  bench.store32(0x4010, 4);
  EXPECT_EQ(events() & bit::kHw, bit::kHw);
}

TEST_F(SniFifo, LowWaterComesOnceAfterHighWater) {
  bench.write("FHWM", 30);
  bench.write("FLWM", 9);
  bench.write("SIER", bit::kLw);
  for (int i = 0; i < 9; i++) store();  // 27: below high water
  bench.run_for(100'000);
  EXPECT_EQ(events() & (bit::kHw | bit::kLw), 0u) << "no low water without high water";
  for (int i = 0; i < 12; i++) store();  // 36
  uint32_t at_irq = 0;
  for (int t = 0; t < 2000 && !at_irq; t++) {
    bench.run_for(50);
    if (bench.irq) at_irq = count();
  }
  EXPECT_EQ(at_irq, 9u) << "at the mark, not at 12";
  EXPECT_TRUE(status() & kBlw);
  bench.write("SISR", bit::kLw | bit::kHw);
  bench.run_for(100'000);
  EXPECT_EQ(events(), 0u);
}

TEST_F(SniFifo, MovingAMarkIsACrossingToo) {
  for (int i = 0; i < 4; i++) store();
  bench.write("FHWM", 13);
  EXPECT_EQ(events() & bit::kHw, 0u);
  bench.write("FHWM", 12);
  EXPECT_EQ(events() & bit::kHw, bit::kHw);
  bench.write("FLWM", 11);
  EXPECT_EQ(events() & bit::kLw, 0u);
  bench.write("FLWM", 12);
  EXPECT_EQ(events() & bit::kLw, bit::kLw);
}

TEST_F(SniFifo, PacketsWaitWhileTheNetworkIsOff) {
  store();
  bench.write("SCR", 4);
  bench.run_for(1'000'000);
  EXPECT_EQ(count(), 3u);
  EXPECT_EQ(bench.counter(TXP), 0u);
  const uint64_t on = bench.now;
  bench.write("SCR", 7);
  bench.run_for(1'000'000);
  ASSERT_EQ(bench.packets.size(), 1u);
  EXPECT_GT(bench.packets[0].p.start_ns, on + 3000);
}

// Congestion: more is offered than the receiver takes; few packets are beyond the FIFO.
TEST_F(SniFifo, CongestionStaysInTheFifo) {
  for (int i = 0; i < 300; i++) store();
  for (int t = 0; t < 100; t++) {
    bench.run_for(1000);
    const uint64_t beyond = bench.counter(TXP) - bench.counter(RXP);
    EXPECT_LE(beyond, uint64_t{SNI_CREDITS});
    EXPECT_LE(count(), 900u);
    EXPECT_GE(count(), 900u - 3 * bench.counter(TXP)) << "words leave only as packets do";
  }
}

}  // namespace
}  // namespace perfboard::sni
