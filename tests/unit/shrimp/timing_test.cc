// SPDX-License-Identifier: GPL-2.0-or-later
//
// Virtual time: the paper's numbers, and that every packet's latency is the sum of its terms.
#include <algorithm>
#include <random>

#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

struct SniTiming : testing::Test {
  SniBench bench;
  void SetUp() override {
    bench.map(3, {.page = 7});
    bench.map(4, {.page = 8, .comb = true});
  }
  const SniBench::Packet& only() {
    EXPECT_EQ(bench.packets.size(), 1u);
    return bench.packets.at(0);
  }
  double bandwidth() {  // MB/s from the first packet's first word to the end of the last DMA
    uint64_t bytes = 0;
    for (const auto& p : bench.packets) bytes += 4 * p.payload.size();
    return double(bytes) * 1000 / double(bench.packets.back().popped - bench.packets.front().p.start_ns);
  }
};

TEST_F(SniTiming, UnloadedOneWordLatencyInEveryPhaseOfTheBusClock) {
  const uint64_t start = bench.now;
  uint64_t least_eisa = UINT64_MAX, most_eisa = 0;
  for (uint64_t phase = 0; phase < 240; phase++) {
    bench.run_until(start + phase * (100'000 + 1));
    bench.packets.clear();
    bench.send();
    const auto& terms = only().terms;
    EXPECT_GE(terms[TOTAL], 4500u);
    EXPECT_LE(terms[TOTAL], 4700u);
    EXPECT_EQ(terms[COMB], 0u);
    EXPECT_EQ(terms[FIFO], 0u);
    least_eisa = std::min(least_eisa, terms[EISA]);
    most_eisa = std::max(most_eisa, terms[EISA]);
  }
  EXPECT_EQ(least_eisa, 3 * kBclk) << "3 BCLK";
  EXPECT_EQ(most_eisa, 4 * kBclk - 1) << "4 BCLK, the request just after an edge";
}

TEST_F(SniTiming, TermsOfOnePacket) {
  bench.store32(0x4000, 1);
  bench.run_for(1150);
  bench.store32(0x4000, 1);
  bench.run_for(100'000);
  const auto& t = only().terms;
  EXPECT_EQ(t[COMB], 1150u);
  EXPECT_EQ(t[FIFO], 0u);
  EXPECT_EQ(t[BACK], kBackplane + kHop * 2 + 3 * kLinkWord) << "node 1 of a 2x2 mesh to node 2: two hops";
  EXPECT_EQ(t[XFER], kSnoop + kSend + kReceive + kSStart);
  EXPECT_EQ(t[COMB] + t[FIFO] + t[BACK] + t[EISA] + t[XFER], t[TOTAL]);
}

TEST_F(SniTiming, BoardsAgreeOnTheLatencyInTicks) {
  const uint64_t first = bench.now;
  bench.send();
  const uint64_t base = bench.state().clock_base;
  const ShrimpPacket& p = only().p;
  EXPECT_EQ(p.timestamp, (first - base) / 100);
  const uint64_t ticks = (p.start_ns - base) / 100 - p.timestamp;
  EXPECT_NEAR(double(ticks), double(only().terms[TOTAL]) / 100, 1.0);
}

TEST_F(SniTiming, MachineGetsAPacketExactlyWhenItsDmaEnds) {
  for (int i = 0; i < 20; i++) bench.store32(0x3000, 1), bench.run_for(700 + 61 * i);
  bench.run_for(100'000);
  ASSERT_EQ(bench.packets.size(), 20u);
  for (const auto& p : bench.packets) EXPECT_EQ(p.popped, p.p.start_ns + 2 * kSCycle + kEisaWord);
  EXPECT_LE(bench.timers, 60) << "about a timer for each packet, not for each of its stages";
}

TEST_F(SniTiming, WithoutTimestampsItIsAWordShorter) {
  bench.write("SCR", 3);
  bench.send();
  EXPECT_EQ(only().terms[BACK], kBackplane + kHop * 2 + 2 * kLinkWord);
  EXPECT_EQ(only().p.timestamp, 0u);
  EXPECT_EQ(only().p.end_ns, only().p.start_ns + kSCycle);
}

TEST_F(SniTiming, ACombinedPageIsSampledByTheSurfBoardWordByWord) {
  for (uint32_t at = 0; at < 4096; at += 4) bench.store32(0x4000 + at, at);
  bench.run_for(1'000'000);
  const auto& p = only();
  // 1024 words and a wait after each of the first 127 lines; the last 64-bit word two words before the end.
  EXPECT_EQ(p.popped - p.p.start_ns, 2 * kSCycle + 1024 * kEisaWord + 127 * kLineWait);
  EXPECT_EQ(p.p.end_ns, p.popped - 2 * kEisaWord);
}

TEST_F(SniTiming, LargeMessagesRunAt23MegabytesASecond) {
  for (int page = 0; page < 8; page++) {
    for (uint32_t at = 0; at < 4096; at += 4) bench.store32(0x4000 + at, at);
    bench.run_for(100'000);  // 41 MB/s offered: the receiver is the limit
  }
  bench.run_for(10'000'000);
  ASSERT_EQ(bench.packets.size(), 8u);
  EXPECT_NEAR(bandwidth(), 23.0, 0.5);
}

TEST_F(SniTiming, DeliberateUpdatesBackToBackToo) {
  bench.update_pages(8);
  ASSERT_EQ(bench.packets.size(), 8u);
  EXPECT_NEAR(bandwidth(), 23.0, 0.5);
}

TEST_F(SniTiming, DeliberateLatencyDoesNotGrowWithSize) {
  std::vector<uint64_t> totals;
  for (uint32_t words : {1u, 16u, 256u, 1024u}) {
    bench.packets.clear();
    bench.update(0, 0x7000, words);
    bench.run_for(1'000'000);
    totals.push_back(only().terms[TOTAL]);
  }
  EXPECT_LE(*std::max_element(totals.begin(), totals.end()) - *std::min_element(totals.begin(), totals.end()),
            200u);
}

TEST_F(SniTiming, ACpuStoreDelaysTheGrantOnce) {
  bench.send();
  const uint64_t quiet = only().terms[EISA];
  const uint64_t granted = only().p.start_ns - kSStart;
  // The same packet at the same phase, with a store to the bus at the moment of its grant.
  const uint64_t period = 120 * 1000;
  bench.packets.clear();
  bench.run_until(1'000'000'020 + period);
  bench.store32(0x3000, 1);
  bench.run_until(granted + period - 1);
  bench.store32(0x3000, 2);
  for (int i = 0; i < 5; i++)
    bench.run_for(100), bench.store32(0x3000, 3);  // the CPU goes on: no second delay
  bench.run_for(50'000);
  EXPECT_EQ(bench.packets[0].terms[EISA], quiet + kBclk);
  bench.packets.clear();  // after the grant: nothing
  bench.run_until(1'000'000'020 + 2 * period);
  bench.store32(0x3000, 1);
  bench.run_until(granted + 2 * period);
  bench.send(2);
  EXPECT_EQ(bench.packets[0].terms[EISA], quiet);
}

TEST_F(SniTiming, OnePacketEvery1080Nanoseconds) {
  for (int i = 0; i < 200; i++) bench.store32(0x3000, 1);
  bench.run_for(1'000'000);
  ASSERT_EQ(bench.packets.size(), 200u);
  for (size_t i = 1; i < 200; i++)
    EXPECT_EQ(bench.packets[i].p.start_ns - bench.packets[i - 1].p.start_ns, kMinPeriod) << i;
}

// The paper's minimum (3.1) behind a packet that takes longer than 1080 ns.
TEST_F(SniTiming, AtLeast240NanosecondsFromEndToStart) {
  for (uint32_t at = 0; at < 4096; at += 4) bench.store32(0x4000 + at, at);
  for (int i = 0; i < 5; i++) bench.store32(0x3000, 1);
  bench.run_for(1'000'000);
  ASSERT_EQ(bench.packets.size(), 6u);
  for (size_t i = 1; i < 6; i++)
    EXPECT_GE(bench.packets[i].p.start_ns, bench.packets[i - 1].p.end_ns + kMinGap) << i;
  for (uint32_t t = 0; t < SNI_TERMS; t++) {
    uint64_t sum = 0;
    for (const auto& p : bench.packets) sum += p.terms[t];
    EXPECT_EQ(bench.term_sum(TermIndex(t)), sum);
  }
  for (const CounterIndex words : {TXW, RXW}) EXPECT_EQ(bench.counter(words), 1029u);
}

// When somebody looks must not matter: the same stores, watched every nanosecond or not at all.
TEST(SniLaziness, ResultsDoNotDependOnWhenTimePasses) {
  std::vector<uint64_t> starts[2];
  for (int watched = 0; watched < 2; watched++) {
    SniBench bench;
    bench.map(3, {.page = 7});
    bench.map(4, {.page = 8, .comb = true, .timed = true});
    std::mt19937 rng(5);
    for (int i = 0; i < 400; i++) {
      bench.store32((rng() & 1 ? 0x3000 : 0x4000) + 4 * (rng() % 8), 1);
      const uint64_t until = bench.now + rng() % 1500;
      if (watched)
        for (; bench.now < until; bench.run_until(std::min(bench.now + 7, until))) bench.read("FCNT");
      bench.run_until(until);
    }
    bench.run_for(1'000'000);
    for (const auto& p : bench.packets) starts[watched].push_back(p.p.start_ns);
  }
  EXPECT_GT(starts[0].size(), 300u);
  EXPECT_EQ(starts[0], starts[1]);
}

}  // namespace
}  // namespace perfboard::sni
