// SPDX-License-Identifier: GPL-2.0-or-later
//
// A processor that stands still behind its instruction until it has had its bus: a node in step, with
// contention=on.
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

constexpr uint64_t kInstruction = 16;

struct SniBusWait : testing::Test {
  SniBench bench{{.acquire = kAcquire, .contention = true}};
  void SetUp() override {
    bench.map(3, {.page = 7});
    bench.map(4, {.page = 8, .comb = true});
  }

  // A bus cycle of an instruction that ends now.
  void cycle(SniBench& b, uint64_t addr, uint32_t value, uint32_t bytes = 4) {
    b.in_callback = true;
    sni_cycle(b.board(), b.now, b.now, addr, reinterpret_cast<const uint8_t*>(&value), bytes);
    b.in_callback = false;
  }
  void read(SniBench& b, uint64_t addr) { sni_cycle(b.board(), b.now, b.now, addr, nullptr, 0); }
  // True: an instruction is to be made again.
  static bool wait_for_bus(SniBench& b) {
    bool again = false;
    while (const uint64_t until = sni_bus_waits_until(b.board())) {
      EXPECT_FALSE(again);
      b.run_until(std::max(until, b.now));
      again = sni_bus_waited(b.board(), b.now);
    }
    return again;
  }
  // A word comes, and the board has asked for the bus right now. When the processor has it back.
  uint64_t busy(SniBench& b) {
    b.run_for(100'000);
    b.store32(0x3000, 1);
    const SniState& s = b.state();
    for (; s.granted == s.arrived; b.run_for(1)) b.read("FCNT");  // brings the board to the present
    b.run_until(s.flight[s.granted % SNI_FLIGHTS].arrive + kReceive);
    return bclk_edge(bclk_edge(b.now) + kAcquire + kDma) + kAcquire;
  }
};

TEST_F(SniBusWait, AnIdleBusIsHadAtOnce) {
  cycle(bench, 0x3000, 1);
  EXPECT_EQ(sni_bus_waits_until(bench.board()), 0u);
  EXPECT_EQ(bench.counter(AUS), 1u);
}

TEST_F(SniBusWait, AStoreIsOnTheBusWhenTheWaitIsOver) {
  const uint64_t back = busy(bench), stores = bench.counter(AUS);
  cycle(bench, 0x3004, 2);
  EXPECT_EQ(sni_bus_waits_until(bench.board()), back);
  bench.run_until(back - 1);
  EXPECT_EQ(bench.state().counter[AUS], stores) << "a nanosecond before";
  bench.run_until(back);
  EXPECT_EQ(bench.state().counter[AUS], stores);
  EXPECT_FALSE(sni_bus_waited(bench.board(), back));
  EXPECT_EQ(bench.state().counter[AUS], stores + 1);
  EXPECT_EQ(sni_bus_waits_until(bench.board()), 0u);
  bench.packets.clear();
  bench.run_for(50'000);
  ASSERT_EQ(bench.packets.size(), 1u);
  EXPECT_EQ(bench.packets[0].payload, std::vector<uint32_t>{2})
      << "the word that was stored, whatever memory has now";
  EXPECT_EQ(bench.packets[0].p.start_ns - bench.packets[0].terms[TOTAL], back);
}

// The clock shows an instruction's end. What its store was on the bus for before that, it loses behind it.
TEST_F(SniBusWait, AWaitThatEndsWithinItsInstruction) {
  const uint64_t back = busy(bench), stores = bench.counter(AUS);
  bench.run_until(back - 3);
  const uint32_t word = 1;
  sni_cycle(bench.board(), bench.now, bench.now + kInstruction, 0x3000,
            reinterpret_cast<const uint8_t*>(&word), 4);
  EXPECT_EQ(bench.state().counter[AUS], stores + 1) << "it is on the bus by then";
  EXPECT_EQ(sni_bus_waits_until(bench.board()), back - 3 + kInstruction + 3);
}

// What an instruction has on the bus comes in its order: here a read ends combining between two stores.
TEST_F(SniBusWait, CyclesOfAnInstructionStayInOrder) {
  const uint64_t back = busy(bench);
  cycle(bench, 0x4000, 1);
  read(bench, 0x100000);
  cycle(bench, 0x4004, 2);
  cycle(bench, 0x4008, 3);
  EXPECT_EQ(bench.state().cycles, 4u);
  wait_for_bus(bench);
  EXPECT_EQ(bench.now, back) << "the others are in the processor's turn";
  EXPECT_EQ(bench.causes()["ENDR"], 1u);
  EXPECT_EQ(bench.state().open_words, 2u);
  EXPECT_EQ(bench.state().open_last, back);
}

TEST_F(SniBusWait, MoreCyclesThanAnInstructionHasAreNotKept) {
  busy(bench);
  for (int i = 0; i < SNI_CYCLES + 10; i++) cycle(bench, 0x3000, 1);
  EXPECT_EQ(bench.state().cycles, uint32_t{SNI_CYCLES});
  wait_for_bus(bench);
  EXPECT_EQ(bench.state().cycles, 0u);
}

TEST_F(SniBusWait, ARegistersInstructionIsMadeAgain) {
  const uint64_t back = busy(bench), asked = bench.now;
  ASSERT_TRUE(sni_access_waits(bench.board(), asked, kInstruction, false));
  EXPECT_FALSE(sni_begins_again(bench.board(), asked));
  EXPECT_TRUE(wait_for_bus(bench));
  EXPECT_EQ(bench.now, back + kCpuEisa - kInstruction);
  bench.run_for(kInstruction);
  EXPECT_TRUE(sni_begins_again(bench.board(), bench.now));
  EXPECT_FALSE(sni_access_waits(bench.board(), bench.now, kInstruction, false));
  EXPECT_FALSE(sni_begins_again(bench.board(), bench.now)) << "it has";
  EXPECT_TRUE(sni_access_waits(bench.board(), bench.now + kInstruction, kInstruction, false))
      << "the next one waits anew";
}

TEST_F(SniBusWait, ASecondAccessOfAnInstructionIsWaitedForBehindIt) {
  const uint64_t asked = bench.now;
  EXPECT_FALSE(sni_access_waits(bench.board(), asked, kInstruction, true));
  EXPECT_FALSE(wait_for_bus(bench)) << "it is not made again";
  EXPECT_EQ(bench.now, asked + kCpuEisa);
}

TEST_F(SniBusWait, AResetEndsIt) {
  busy(bench);
  cycle(bench, 0x3000, 1);
  ASSERT_NE(sni_bus_waits_until(bench.board()), 0u);
  sni_bus_reset(bench.board());
  EXPECT_EQ(sni_bus_waits_until(bench.board()), 0u);
}

TEST_F(SniBusWait, ADamagedCycleIsRefused) {
  busy(bench);
  cycle(bench, 0x3004, 2);
  char why[300] = "";
  ASSERT_TRUE(sni_state_ok(bench.board(), &bench.state(), why, sizeof why)) << why;
  const std::pair<const char*, void (*)(SniState&)> damages[] = {
      {"cycle[0].addr", [](SniState& s) { s.cycle[0].addr = 0x3ffd; }},
      {"cycle[0].addr", [](SniState& s) { s.cycle[0].addr |= 1ull << 52; }},
      {"cycle[0].bytes", [](SniState& s) { s.cycle[0].bytes = 0; }},
      {"cycle[0].bytes", [](SniState& s) { s.cycle[0].bytes = SNI_CYCLE_BYTES + 1; }},
      {"cycle[0].seen", [](SniState& s) { s.cycle[0].seen = 2; }},
      {"cycle_at", [](SniState& s) { s.cycle_at = s.stands_until + 1; }},
      {"cycles", [](SniState& s) { s.cycles = SNI_CYCLES + 1; }},
      {"stands_until", [](SniState& s) { s.stands_until = PB_NEVER; }},
      {"access_at", [](SniState& s) { s.access_at = PB_NEVER; }},
  };
  const auto s = std::make_unique<SniState>();
  for (const auto& [line, damage] : damages) {
    *s = bench.state();
    damage(*s);
    EXPECT_FALSE(sni_state_ok(bench.board(), s.get(), why, sizeof why)) << line;
    EXPECT_TRUE(std::string(why).starts_with(line)) << why << ", not " << line;
  }
}

// One instruction of a random program: what stands is what a processor on one machine waits in place. A copy
// that goes on from any of its states does the same.
class SniBusWaitAsInPlace : public SniBusWait, public testing::WithParamInterface<uint32_t> {
 protected:
  static void store_in_place(SniBench& b, uint64_t addr, uint32_t value) {
    b.in_callback = true;
    const uint64_t at = sni_store_at(b.board(), b.now, addr, 4);
    b.in_callback = false;
    b.run_until(at);
    b.store32(addr, value);
  }
  static uint32_t access_in_place(SniBench& b, std::string_view name) {
    b.run_until(sni_access_ends(b.board(), b.now));
    return b.read(name);
  }
  static uint32_t access(SniBench& b, std::string_view name) {
    if (sni_access_waits(b.board(), b.now, kInstruction, false)) {
      EXPECT_TRUE(wait_for_bus(b));
      b.run_for(kInstruction);
      EXPECT_FALSE(sni_access_waits(b.board(), b.now, kInstruction, false));
    }
    return b.read(name);
  }
  static void load(SniBench& from, SniBench& to) {
    char why[300];
    ASSERT_TRUE(sni_state_ok(from.board(), &from.state(), why, sizeof why)) << why;
    to.now = from.now;
    to.memory = from.memory;
    to.packets = from.packets;
    to.armed = PB_NEVER;
    ASSERT_TRUE(sni_load(to.board(), &from.state(), why, sizeof why)) << why;
  }
};

TEST_P(SniBusWaitAsInPlace, AndSavedAnywhere) {
  SniBench in_place{{.acquire = kAcquire, .contention = true}},
      copy{{.acquire = kAcquire, .contention = true}};
  for (SniBench* b : {&in_place, &copy}) {
    b->map(3, {.page = 7});
    b->map(4, {.page = 8, .comb = true});
  }
  std::mt19937 random(GetParam());
  unsigned stood = 0;
  for (uint32_t i = 0; i < 400; i++) {
    const uint64_t gap = kInstruction + random() % 3000;
    for (SniBench* b : {&in_place, &bench}) b->run_for(gap);
    if (random() % 8 == 0) {
      EXPECT_EQ(access(bench, "FCNT"), access_in_place(in_place, "FCNT"));
    } else {
      for (uint32_t n = 1 + random() % 3; n; n--) {
        const uint64_t addr = (3 + random() % 2) << 12 | (random() & 0xffc);
        store_in_place(in_place, addr, i);
        cycle(bench, addr, i);
      }
      const bool stands = sni_bus_waits_until(bench.board()) != 0, saved = stands && stood++ % 16 == 0;
      if (saved) load(bench, copy);
      wait_for_bus(bench);
      if (saved) {
        wait_for_bus(copy);
        EXPECT_EQ(copy.now, bench.now);
        EXPECT_EQ(std::memcmp(copy.state().fifo_time, bench.state().fifo_time, sizeof copy.state().fifo_time),
                  0);
        EXPECT_EQ(copy.state().counter[AUS], bench.state().counter[AUS]);
      }
    }
    ASSERT_EQ(bench.now, in_place.now) << i;
  }
  EXPECT_GT(stood, 50u);
  for (SniBench* b : {&in_place, &bench}) b->run_for(10'000'000);
  ASSERT_EQ(bench.packets.size(), in_place.packets.size());
  for (size_t i = 0; i < bench.packets.size(); i++) {
    EXPECT_EQ(bench.packets[i].p.start_ns, in_place.packets[i].p.start_ns) << i;
    EXPECT_EQ(bench.packets[i].terms, in_place.packets[i].terms) << i;
    EXPECT_EQ(bench.packets[i].payload, in_place.packets[i].payload) << i;
  }
}
INSTANTIATE_TEST_SUITE_P(Seed, SniBusWaitAsInPlace, testing::Values(1, 2, 3));

}  // namespace
}  // namespace perfboard::sni
