// SPDX-License-Identifier: GPL-2.0-or-later
//
// The node's bus with contention=on: who has it, from when on, on both sides of each boundary.
#include <algorithm>
#include <numeric>

#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

struct SniContention : testing::Test {
  SniBench bench{{.acquire = kAcquire, .contention = true}};
  void SetUp() override { bench.map(3, {.page = 7}); }

  // The processor stores a word: it stands still until it has its bus, and for how long is returned.
  uint64_t store() {
    const uint64_t asked = bench.now;
    bench.in_callback = true;
    const uint64_t at = sni_store_at(bench.board(), asked, 0x3000, 4);
    bench.in_callback = false;
    bench.run_until(at);
    bench.store32(0x3000, ++value);
    return at - asked;
  }
  // A packet comes, and the bus was nobody's: when the board asks for it for that packet.
  uint64_t next_request() {
    bench.store32(0x3000, ++value);
    const SniState& s = bench.state();
    for (; s.granted == s.arrived; bench.run_for(1)) bench.read("FCNT");  // brings the board to the present
    return s.flight[s.granted % SNI_FLIGHTS].arrive + kReceive;
  }
  uint32_t value = 0;
};

TEST_F(SniContention, AStoreOnAnIdleBusDoesNotWait) {
  for (int i = 0; i < 20; i++) {
    EXPECT_EQ(store(), 0u);
    bench.run_for(10'007);
  }
  ASSERT_EQ(bench.packets.size(), 20u);
  for (const auto& p : bench.packets) EXPECT_LT(p.terms[EISA], 4 * kBclk) << "and delays nothing";
}

TEST_F(SniContention, WhoAsksFirstIsFirst) {
  const uint64_t asks = next_request();
  const uint64_t granted = bclk_edge(asks) + kAcquire;
  bench.run_until(asks - 1);
  EXPECT_EQ(store(), 0u) << "a nanosecond before the board";
  bench.run_for(50'000);
  EXPECT_EQ(bench.packets.at(0).p.start_ns, bclk_edge(asks - 1 + kCpuBus) + kAcquire + kSStart)
      << "which asks anew behind the store";

  bench.packets.clear();
  const uint64_t again = next_request();
  bench.run_until(again);
  const uint64_t landed = bclk_edge(again) + kAcquire + kDma;
  EXPECT_EQ(store(), bclk_edge(landed) + kAcquire - again) << "with the board: it goes first";
  bench.run_for(50'000);
  EXPECT_EQ(bench.packets.at(0).p.start_ns, bclk_edge(again) + kAcquire + kSStart);
  EXPECT_GT(again, granted);
}

TEST_F(SniContention, TheBusComesBackAfterAChangeOfMaster) {
  for (const bool late : {false, true}) {
    const uint64_t landed = bclk_edge(next_request()) + kAcquire + kDma, back = bclk_edge(landed) + kAcquire;
    bench.run_until(late ? back : back - 1);
    EXPECT_EQ(store(), late ? 0u : 1u);
    bench.run_for(50'000);
  }
}

TEST_F(SniContention, WhoHasWaitedHasATurn) {
  const uint64_t asks = next_request();
  bench.store32(0x3000, ++value);  // a second packet is behind it
  bench.run_until(asks);
  const uint64_t waited = store(), had = asks + waited;
  bench.run_until(had + kCpuTurn - 1);
  EXPECT_EQ(store(), 0u) << "the turn's last nanosecond";
  const uint64_t over = had + kCpuTurn - 1 + kCpuBus;
  bench.run_for(50'000);
  ASSERT_GE(bench.packets.size(), 2u);
  EXPECT_EQ(bench.packets[1].p.start_ns, bclk_edge(over) + kAcquire + kSStart);
}

TEST_F(SniContention, ATurnEnds) {
  const uint64_t asks = next_request();
  bench.store32(0x3000, ++value);
  bench.run_until(asks);
  const uint64_t had = asks + store();
  bench.run_until(had + kCpuTurn);
  const uint64_t granted = bclk_edge(had + kCpuTurn) + kAcquire;
  EXPECT_EQ(store(), bclk_edge(granted + kDma) + kAcquire - (had + kCpuTurn)) << "behind the second packet";
}

TEST_F(SniContention, ARegisterTakesItsAccess) {
  EXPECT_EQ(sni_access_ends(bench.board(), bench.now), bench.now + kCpuEisa);
  const uint64_t asks = next_request();
  bench.run_until(asks);
  const uint64_t landed = bclk_edge(asks) + kAcquire + kDma;
  EXPECT_EQ(sni_access_ends(bench.board(), asks), bclk_edge(landed) + kAcquire + kCpuEisa);
}

TEST(SniNoContention, NobodyWaits) {
  SniBench bench;
  bench.map(3, {.page = 7});
  for (int i = 0; i < 100; i++) {
    EXPECT_EQ(sni_store_at(bench.board(), bench.now, 0x3000, 4), bench.now);
    EXPECT_EQ(sni_access_ends(bench.board(), bench.now), bench.now);
    bench.store32(0x3000, 1);
    bench.run_for(1000);
  }
}

// SIMPLE: a word each `pace` ns, and at once while it is behind (paper 4.2.4).
struct Simple {
  uint64_t period, growth, most;  // ns; of the packets from a quarter of the run on that came while it stored
};
Simple simple(uint32_t acquire, uint64_t pace, int words) {
  constexpr uint64_t kLoop = 160;  // ten instructions of 16 ns
  SniBench bench{{.acquire = acquire, .contention = true}};
  bench.map(3, {.page = 7});
  uint64_t target = bench.now;
  for (int i = 0; i < words; i++) {
    bench.run_until(sni_store_at(bench.board(), bench.now, 0x3000, 4));
    bench.store32(0x3000, uint32_t(i));
    bench.run_until(std::max(bench.now + kLoop, target += pace));
  }
  const size_t last = bench.packets.size() - 1, first = last / 4;
  bench.run_for(10'000'000);
  EXPECT_EQ(bench.packets.size(), size_t(words));
  EXPECT_EQ(bench.counter(OVFC), 0u);
  const auto &a = bench.packets.at(first), &b = bench.packets.at(last);
  const uint64_t n = last - first;
  const auto more = std::max_element(bench.packets.begin(), bench.packets.end(),
                                     [](auto& x, auto& y) { return x.terms[TOTAL] < y.terms[TOTAL]; });
  return {(b.p.start_ns - a.p.start_ns) / n, (b.terms[TOTAL] - a.terms[TOTAL]) / n, more->terms[TOTAL]};
}

// The paper's 500 ns (4.4.2). Its 2 us less these are 1.5 us: what lies between two stores there. Here SIMPLE
// keeps its pace of 1 us.
TEST(SniSimple, At1MicrosecondLatencyGrowsByAnAcquisition) {
  const Simple s = simple(kAcquire, 1000, 1200);
  EXPECT_NEAR(double(s.growth), 500, 100);
  EXPECT_NEAR(double(s.period), 1000 + double(s.growth), 2) << "it keeps its pace";
}

// Two changes of master, one each way, in each period.
TEST(SniSimple, HalfTheAcquisitionTakesBothWaysOff) {
  const Simple whole = simple(kAcquire, 1000, 1200), half = simple(kAcquire / 2, 1000, 1200);
  EXPECT_NEAR(double(whole.period - half.period), double(kAcquire), 60);
}

TEST(SniSimple, At100MicrosecondsNothingWaits) { EXPECT_LT(simple(kAcquire, 100'000, 200).most, 5'000u); }

TEST_F(SniContention, LargeDeliberateUpdatesMove23MegabytesASecond) {
  bench.update_pages(8);
  ASSERT_EQ(bench.packets.size(), 8u);
  const double ns = double(bench.packets.back().popped - bench.packets.front().p.start_ns);
  EXPECT_NEAR(8 * 4096 * 1000 / ns, 23, 0.15 * 23);
}

}  // namespace
}  // namespace perfboard::sni
