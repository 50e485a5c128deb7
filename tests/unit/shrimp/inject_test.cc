// SPDX-License-Identifier: GPL-2.0-or-later
//
// Each error on purpose shows as the manual says, and only as often as asked.
#include "hw/shrimp/view.h"
#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

struct SniInject : testing::Test {
  SniBench bench;
  SniInject() { bench.map(3, {.page = 4}); }
  struct Which {
    consteval Which(const char* name) : number(injection(name)) {}
    unsigned number;
  };
  void inject(Which which, uint32_t value) { sni_view().inject(bench.board(), which.number, value); }
  uint64_t left(Which which) { return sni_view().injected(bench.board(), which.number); }
  void store(uint32_t value = 1) { bench.send(value, 3, 20'000); }
};

TEST_F(SniInject, DroppedPacketsLeaveAndDoNotArrive) {
  inject("inject-drop", 8);  // more than there are credits
  for (int i = 0; i < 10; ++i) store();
  EXPECT_EQ(bench.counter(TXP), 10u);
  EXPECT_EQ(bench.counter(RXP), 2u);
  EXPECT_EQ(bench.counter(TXU), 0u);
  EXPECT_EQ(bench.packets.size(), 2u);
  EXPECT_EQ(bench.read("SISR"), 0u) << "no register says why";
  EXPECT_EQ(left("inject-drop"), 0u);
}

TEST_F(SniInject, LatePacketsAreLongerInTheBackplane) {
  store();
  inject("inject-late", 50'000);
  store();
  EXPECT_EQ(bench.packets.size(), 1u);
  bench.run_for(50'000);
  ASSERT_EQ(bench.packets.size(), 2u);
  EXPECT_EQ(bench.packets[1].terms[BACK] - bench.packets[0].terms[BACK], 50'000u);
  inject("inject-late", 0);
  store();
  EXPECT_EQ(bench.packets[2].terms[BACK], bench.packets[0].terms[BACK]);
}

TEST_F(SniInject, APacketBehindALateOneWaitsForIt) {
  inject("inject-late", 50'000);
  bench.store32(0x3000, 1);
  bench.run_for(5000);
  inject("inject-late", 0);
  bench.store32(0x3000, 2);
  bench.run_for(100'000);
  ASSERT_EQ(bench.packets.size(), 2u);
  EXPECT_EQ(bench.packets[0].payload[0], 1u);
  EXPECT_EQ(bench.packets[1].payload[0], 2u);
}

TEST_F(SniInject, ADamagedPacketIsSeenButNotWritten) {
  bench.write("SIER", bit::kRxe);
  inject("inject-damage", 1);
  store(42);
  ASSERT_EQ(bench.packets.size(), 1u) << "the monitor sees it";
  EXPECT_FALSE(bench.packets[0].write);
  EXPECT_EQ(bench.memory32(0x4000), 0u);
  EXPECT_EQ(bench.counter(RXD), 1u);
  EXPECT_EQ(bench.read("RXEP") & 0x7fff, 4u);
  EXPECT_TRUE(bench.irq);
  store(43);
  EXPECT_EQ(bench.memory32(0x4000), 43u);
}

TEST_F(SniInject, AStoreFindsTheFifoFull) {
  bench.write("SIER", bit::kOvf);
  inject("inject-fifo-overflow", 2);
  for (int i = 0; i < 3; ++i) store();
  EXPECT_EQ(bench.counter(AUS), 3u);
  EXPECT_EQ(bench.counter(OVFC), 2u);
  EXPECT_EQ(bench.counter(RXP), 1u);
  EXPECT_TRUE(bench.irq);
}

TEST_F(SniInject, AStoppedNetworkFillsTheFifo) {
  bench.write("SIER", bit::kHw);
  inject("inject-network-stop", 1);
  for (int i = 0; i < 1300; ++i) store();  // 3 words each
  EXPECT_EQ(bench.counter(TXP), 0u);
  EXPECT_TRUE(bench.irq);
  EXPECT_NE(bench.read("SSR") & 1 << 2, 0u) << "AHW";
  for (int i = 0; i < 100; ++i) store();
  EXPECT_NE(bench.read("SISR") & bit::kOvf, 0u);
  const uint64_t stopped = bench.now;
  inject("inject-network-stop", 0);
  bench.run_for(20'000'000);
  EXPECT_EQ(bench.read("FCNT"), 0u);
  EXPECT_EQ(bench.counter(RXP), bench.counter(TXP));
  EXPECT_NE(bench.read("SISR") & bit::kLw, 0u);
  for (const SniBench::Packet& p : bench.packets) EXPECT_GE(p.p.start_ns, stopped) << "none left in the past";
}

TEST_F(SniInject, TheClockWrapsWhenAsked) {
  bench.write("SIER", bit::kCkv);
  inject("inject-clock-wrap", 5000);
  EXPECT_EQ(left("inject-clock-wrap"), 5000u);
  bench.run_for(4999);
  EXPECT_FALSE(bench.irq);
  bench.run_for(1);
  EXPECT_TRUE(bench.irq);
  EXPECT_LT(sni_clock(bench.board(), bench.now), 10u);
}

TEST_F(SniInject, PowerOnEndsThem) {
  inject("inject-drop", 9);
  sni_power_on(bench.board());
  EXPECT_EQ(left("inject-drop"), 0u);
}

TEST_F(SniInject, ASnapshotHoldsLatePacketsUnderWay) {
  inject("inject-late", 70'000);
  for (int i = 0; i < 3; ++i) store();  // on their way
  const auto saved = std::make_unique<SniState>(bench.state());
  sni_power_on(bench.board());
  bench.load(*saved);
  EXPECT_EQ(left("inject-late"), 70'000u);
  bench.run_for(200'000);
  EXPECT_EQ(bench.counter(RXP), 3u);
}

}  // namespace
}  // namespace perfboard::sni
