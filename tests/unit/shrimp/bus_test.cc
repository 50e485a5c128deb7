// SPDX-License-Identifier: GPL-2.0-or-later
//
// Several SNIs on one machine's bus, with contention=on: whose turn it is, by hand.
#include <algorithm>
#include <random>

#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

// Two boards, in slots 1 and 2, and one processor. The second one's page 3 is the first one's page 4.
struct Two {
  SniBus bus{};
  SniBench boards[2] = {SniBench{{.acquire = kAcquire, .contention = true, .bus = &bus, .slot = 1}},
                        SniBench{{.acquire = kAcquire, .contention = true, .bus = &bus, .slot = 2}}};
  SniBench &one = boards[0], &other = boards[1];
  uint32_t value = 0;

  Two() {
    one.map(3, {.page = 7});
    other.map(4, {.page = 8});
  }
  uint64_t now() const { return one.now; }
  void run_until(uint64_t t) {
    while (now() < t) {
      const uint64_t next = std::min({t, std::max(now(), one.armed), std::max(now(), other.armed)});
      for (SniBench& b : boards) b.now = std::max(b.now, next);
      for (SniBench& b : boards) b.run_until(next);
    }
  }
  void run_for(uint64_t ns) { run_until(now() + ns); }
  // The processor's store, of which both are told: how long it stands still before.
  uint64_t store(uint64_t addr) {
    const uint64_t asked = now();
    value++;
    for (SniBench& b : boards) {
      b.in_callback = true;
      const uint64_t at = sni_store_at(b.board(), sni_told(b.board(), asked), addr, 4);
      b.in_callback = false;
      for (SniBench& all : boards) all.now = std::max(all.now, at);
      if (sni_page_mapped(b.board(), addr))
        b.store32(addr, value);
      else
        b.bus_write(addr, nullptr, 4);
    }
    return now() - asked;
  }
  // A store that nobody waits for: puts a packet on its way. When its board is to ask for the bus.
  uint64_t asks(SniBench& b) {
    const uint64_t before = b.state().arrived;
    b.store32(&b == &one ? 0x3000 : 0x4000, ++value);
    const SniState& s = b.state();
    while (s.arrived == before) {
      run_for(1);
      b.read("FCNT");
    }
    return s.flight[before % SNI_FLIGHTS].arrive + kReceive;
  }
  uint64_t start(const SniBench& b, size_t i = 0) const { return b.packets.at(i).p.start_ns; }
};

TEST(SniBusShared, TwoThatAskAtOnceGoOneBehindTheOther) {
  Two two;
  const uint64_t at = two.now();
  two.one.store32(0x3000, 1);
  two.other.store32(0x4000, 2);
  two.run_for(50'000);
  // By hand: SNOOP and SEND, BACKPLANE, two hops, three words, RECEIVE. Both ask at 1,000,004,175 ns. The
  // next edge of BCLK is at 1,000,004,280, and three BCLK later the first has the bus.
  constexpr uint64_t kWay = 780 + 480 + 1000 + 2 * 40 + 3 * 45 + 1680;
  ASSERT_EQ(at + kWay, 1'000'004'175u);
  const uint64_t granted = 1'000'004'280 + 360, landed = granted + 60 + 120 + 120;
  EXPECT_EQ(two.start(two.one), granted + 60) << "the lower slot";
  ASSERT_EQ(landed, 1'000'004'940u);
  EXPECT_EQ(two.start(two.other), 1'000'005'000u + 360 + 60)
      << "acquired anew behind it, from the next edge on";
}

TEST(SniBusShared, WhoAsksFirstIsFirstWhateverItsSlot) {
  Two two;
  two.other.store32(0x4000, 2);
  two.run_for(1);
  two.one.store32(0x3000, 1);
  two.run_for(50'000);
  EXPECT_EQ(two.start(two.one), bclk_edge(two.start(two.other) - kSStart + kDma) + kAcquire + kSStart);
}

TEST(SniBusShared, WithoutTheOthersTrafficABoardIsAsIfItWereAlone) {
  Two two;
  SniBench alone{{.acquire = kAcquire, .contention = true}};
  alone.map(3, {.page = 7});
  for (int i = 0; i < 50; i++) {
    two.one.store32(0x3000, 1);
    alone.store32(0x3000, 1);
    two.run_for(1000);
    alone.run_for(1000);
  }
  two.run_for(100'000);
  alone.run_for(100'000);
  ASSERT_EQ(two.one.packets.size(), 50u);
  for (size_t i = 0; i < 50; i++) EXPECT_EQ(two.start(two.one, i), alone.packets.at(i).p.start_ns);
}

TEST(SniBusShared, TheProcessorWaitsForAllThatAskedBefore) {
  Two two;
  two.other.store32(0x4000, 2);
  two.run_for(1);
  const uint64_t asks = two.asks(two.one);
  two.run_until(asks);
  const uint64_t first = bclk_edge(asks) + kAcquire + kDma, second = bclk_edge(first) + kAcquire + kDma;
  EXPECT_EQ(two.store(0x3000), bclk_edge(second) + kAcquire - asks);
  two.run_for(50'000);
  EXPECT_EQ(two.start(two.other), first - kDma + kSStart) << "it asked a moment before the first board";
  EXPECT_EQ(two.start(two.one), second - kDma + kSStart);
}

TEST(SniBusShared, WhoAsksBehindTheProcessorWaitsForItsTurn) {
  Two two;
  two.one.store32(0x3000, 1);
  two.run_for(100);
  const uint64_t later = two.asks(two.other), asks = later - 100;
  two.run_until(asks);
  const uint64_t back = bclk_edge(bclk_edge(asks) + kAcquire + kDma) + kAcquire;
  EXPECT_EQ(two.store(0x5000), 0u) << "no board maps the page: it is not on the bus as far as they know";
  EXPECT_EQ(two.store(0x3000), back - asks);
  two.run_for(50'000);
  EXPECT_EQ(two.start(two.other), bclk_edge(back + kCpuTurn) + kAcquire + kSStart);
}

// The store is one bus cycle, whoever is told of it first.
TEST(SniBusShared, AStoreThatBothMapTakesTheBusOnce) {
  Two two;
  two.one.map(5, {.page = 9});
  two.other.map(5, {.page = 10});
  two.run_until(two.asks(two.one));
  const uint64_t asked = two.now(), waited = two.store(0x5000);
  EXPECT_EQ(waited, bclk_edge(bclk_edge(asked) + kAcquire + kDma) + kAcquire - asked);
  EXPECT_EQ(two.store(0x5000), 0u) << "its turn has just begun";
  two.run_for(50'000);
  ASSERT_EQ(two.one.packets.size(), 3u);
  ASSERT_EQ(two.other.packets.size(), 2u);
  EXPECT_EQ(two.one.packets[1].p.timestamp, two.other.packets[0].p.timestamp);
}

TEST(SniBusShared, ARegisterOfEitherTakesTheBus) {
  Two two;
  const uint64_t asks = two.asks(two.one);
  two.run_until(asks);
  const uint64_t back = bclk_edge(bclk_edge(asks) + kAcquire + kDma) + kAcquire;
  EXPECT_EQ(sni_access_ends(two.other.board(), asks), back + kCpuEisa);
}

TEST(SniBusShared, ABoardThatIsResetLetsTheBusGo) {
  Two two;
  two.other.store32(0x4000, 2);
  two.run_for(1);
  const uint64_t asks = two.asks(two.one);
  two.run_until(bclk_edge(asks) + kAcquire + 1);
  sni_bus_reset(two.other.board());
  two.run_for(50'000);
  EXPECT_EQ(two.start(two.one), bclk_edge(asks) + kBclk + 2 * kAcquire + kSStart)
      << "from the next edge on: it had the bus";
}

struct Arrival {
  int board;
  uint64_t start, popped, timestamp;
  bool operator==(const Arrival&) const = default;
};

// Random stores and registers, each with its wait. look: besides, boards are brought to the present now and
// then. save: at random times both are saved, and others go on.
std::vector<Arrival> random_run(bool look, bool save) {
  auto two = std::make_unique<Two>();
  std::vector<Arrival> all;
  std::mt19937 random(7), looks(3);
  const auto take = [&] {
    for (int b = 0; b < 2; b++) {
      for (const auto& p : two->boards[b].packets) all.push_back({b, p.p.start_ns, p.popped, p.p.timestamp});
      two->boards[b].packets.clear();
    }
  };
  for (int i = 0; i < 1000; i++) {
    two->store(random() % 2 ? 0x3000 : 0x4000);
    if (random() % 8 == 0) {
      const uint64_t ends = sni_access_ends(two->boards[random() % 2].board(), two->now());
      two->run_until(ends);
    }
    const uint64_t pause = random() % 2000;
    for (uint64_t t = 0; look && t < pause; t += 97) {
      const uint64_t until = two->now() + std::min<uint64_t>(97, pause - t);
      two->run_until(until);
      two->boards[looks() % 2].read("FCNT");
    }
    if (!look) two->run_for(pause);
    if (save && i % 200 == 199) {
      take();
      auto loaded = std::make_unique<Two>();
      for (SniBench& b : loaded->boards) b.now = two->now();
      for (int b = 0; b < 2; b++) {
        char why[PB_WHY_BYTES];
        EXPECT_TRUE(sni_load(loaded->boards[b].board(), &two->boards[b].state(), why, sizeof why)) << why;
        loaded->boards[b].packets.clear();
      }
      loaded->value = two->value;
      two = std::move(loaded);
    }
  }
  two->run_for(10'000'000);
  take();
  std::sort(all.begin(), all.end(),
            [](auto& a, auto& b) { return std::tie(a.start, a.board) < std::tie(b.start, b.board); });
  return all;
}

TEST(SniBusShared, NothingDependsOnWhenABoardIsBroughtToThePresent) {
  const auto plain = random_run(false, false);
  EXPECT_EQ(plain.size(), 1000u);
  EXPECT_TRUE(plain == random_run(true, false));
}

TEST(SniBusShared, SnapshotsOfAllBoardsHoldTheBus) {
  EXPECT_TRUE(random_run(false, false) == random_run(false, true));
}

// One bus: no two packets' DMA, of whichever board, overlap, and each is acquired anew.
TEST(SniBusShared, ThereIsOneMasterAtATime) {
  const auto all = random_run(false, false);
  for (size_t i = 1; i < all.size(); i++)
    ASSERT_GE(all[i].start, bclk_edge(all[i - 1].start - kSStart + kDma) + kAcquire + kSStart) << i;
}

}  // namespace
}  // namespace perfboard::sni
