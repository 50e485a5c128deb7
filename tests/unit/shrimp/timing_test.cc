// SPDX-License-Identifier: GPL-2.0-or-later
//
// Virtual time: the paper's numbers, and that every packet's latency is the sum of its terms.
#include <algorithm>
#include <numeric>
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
    bench.store32(0x3000, 1);
    bench.run_for(50'000);
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
  bench.store32(0x3000, 1);
  bench.run_for(50'000);
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
  bench.store32(0x3000, 1);
  bench.run_for(50'000);
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
  bench.write("DUDN", coordinate(bench.board()->config, 2));
  bench.write("DUDA", 0x7000);
  std::vector<uint64_t> totals;
  for (uint32_t words : {1u, 16u, 256u, 1024u}) {
    bench.packets.clear();
    bench.write("DUWC", words);
    bench.run_for(1'000'000);
    totals.push_back(only().terms[TOTAL]);
  }
  EXPECT_LE(*std::max_element(totals.begin(), totals.end()) - *std::min_element(totals.begin(), totals.end()),
            200u);
}

TEST_F(SniTiming, ACpuStoreDelaysTheGrantOnce) {
  bench.store32(0x3000, 1);
  bench.run_for(50'000);
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
  bench.store32(0x3000, 2);
  bench.run_for(50'000);
  EXPECT_EQ(bench.packets[0].terms[EISA], quiet);
}

TEST_F(SniTiming, OnePacketEvery1080Nanoseconds) {
  for (int i = 0; i < 200; i++) bench.store32(0x3000, 1);
  bench.run_for(1'000'000);
  ASSERT_EQ(bench.packets.size(), 200u);
  for (size_t i = 1; i < 200; i++)
    EXPECT_EQ(bench.packets[i].p.start_ns - bench.packets[i - 1].p.start_ns, kMinPeriod) << i;
}

// The paper's minima (3.1), order, and conservation, for traffic of every kind.
struct SniTraffic : testing::TestWithParam<uint32_t> {};

TEST_P(SniTraffic, MinimaOrderAndConservation) {
  SniBench bench{{.fifo_words = GetParam() % 2 ? 1100u : 4096u}};
  std::mt19937 rng(GetParam());
  const auto below = [&](uint32_t n) { return uint32_t(rng() % n); };
  bench.write("CTOR", 20 + below(50));
  for (uint32_t page = 0; page < 8; page++)
    bench.map(16 + page, {.page = 64 + page,
                          .comb = page % 2 == 0,
                          .bound = below(5),
                          .timed = below(2) != 0,
                          .node = int(below(5) == 0 ? 3 : 2)});
  bench.map(24, {.page = 0x48});  // where deliberate updates go
  uint64_t words_in = 0;
  uint32_t value = 0;
  for (int i = 0; i < 4000; i++) {
    const uint64_t page = (16 + below(8)) * 4096;
    switch (below(12)) {
      case 0:
        bench.bus_read(page);
        break;
      case 1:
        bench.bus_write(0x900000, nullptr, 4);
        break;
      case 2:
        bench.write("DUSA", 0x200000);
        bench.write("DUDA", 0x48000);
        bench.write("DUDN", coordinate(bench.board()->config, 2));
        if (!(bench.read("SSR") & 32)) bench.write("DUWC", 1 + below(1024)), words_in += bench.state().duwc;
        break;
      default: {
        uint32_t at = below(1024), n = below(3) ? 1 + below(4) : 1 + below(1024 - at);
        const bool fast = below(2);
        for (n = std::min(n, 1024 - at); n; n--, at++) {
          bench.store32(page + 4 * at, value++), words_in++;
          if (!fast) bench.run_for(below(600));
        }
      }
    }
    bench.run_for(below(4) ? below(3000) : 0);
  }
  bench.write("SCR", 7 | bit::kFlush);
  bench.run_for(1'000'000'000);
  const auto& p = bench.packets;
  ASSERT_GT(p.size(), 1000u);
  uint64_t words_out = 0, sums[SNI_TERMS] = {};
  for (size_t i = 0; i < p.size(); i++) {
    words_out += p[i].p.words;
    for (int t = 0; t < SNI_TERMS; t++) sums[t] += p[i].terms[t];
    ASSERT_EQ(std::accumulate(p[i].terms.begin(), p[i].terms.begin() + TOTAL, uint64_t{0}),
              p[i].terms[TOTAL]);
    ASSERT_GE(p[i].terms[EISA], kAcquire);
    ASSERT_LT(p[i].p.start_ns, p[i].p.end_ns);
    ASSERT_GE(p[i].popped, p[i].p.end_ns);
    if (i == 0) continue;
    ASSERT_GE(p[i].p.start_ns - p[i - 1].p.start_ns, 1080u) << i;
    ASSERT_GE(p[i].p.start_ns - p[i - 1].p.end_ns, 240u) << i;
  }
  EXPECT_EQ(words_in, words_out + bench.counter(OVFC)) << "nothing lost but what is counted, nothing twice";
  EXPECT_EQ(bench.counter(TXP), p.size());
  EXPECT_EQ(bench.counter(RXP), p.size());
  EXPECT_EQ(bench.counter(TXW), words_out);
  EXPECT_EQ(bench.counter(RXW), words_out);
  uint64_t closed = 0;
  for (const auto& [name, n] : bench.causes()) closed += n;
  EXPECT_EQ(closed + bench.counter(DUP), p.size()) << "every packet has one cause";
  for (uint32_t t = 0; t < SNI_TERMS; t++) EXPECT_EQ(bench.term_sum(TermIndex(t)), sums[t]);
  // Order: automatic-update words carry an increasing number; one sender's come in that order.
  uint32_t last = 0;
  for (const auto& q : p)
    if (!(q.p.address >> 12 == 0x48))
      for (uint32_t v : q.payload) {
        ASSERT_TRUE(v >= last);
        last = v;
      }
}
INSTANTIATE_TEST_SUITE_P(Seeds, SniTraffic, testing::Range(1u, 9u));

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
