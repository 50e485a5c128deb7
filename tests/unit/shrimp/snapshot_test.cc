// SPDX-License-Identifier: GPL-2.0-or-later
//
// A copy of the state is a copy of the board, at any moment.
#include <random>

#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

void step(SniBench& b, std::mt19937& rng) {
  switch (rng() % 16) {
    case 0:
      b.bus_read(0);
      break;
    case 1:
      b.write("DUWC", 1 + rng() % 1024);
      break;
    case 2:
      b.bus_write(0x800000, nullptr, 4);
      break;
    case 3: {
      const uint16_t part = uint16_t(rng());
      b.bus_write(0x3001, &part, 2);
      break;
    }
    default: {
      const uint64_t base = 0x3000 + (rng() % 3) * 0x1000;
      for (uint32_t n = rng() % 40, at = rng() % 900; n; n--, at++) b.store32(base + 4 * at, rng());
    }
  }
  b.run_for(rng() % 5000);
}

void set_up(SniBench& b) {
  b.map(3, {.page = 7});
  b.map(4, {.page = 8, .comb = true});
  b.map(5, {.page = 9, .comb = true, .bound = 1, .timed = true, .interrupt = true});
  b.write("DUSA", 0x100000);
  b.write("DUDA", 0xa000);
  b.write("SIER", 0xff);
}

struct SniSnapshot : testing::TestWithParam<uint32_t> {};

TEST_P(SniSnapshot, TheCopyGoesOnAsTheOriginal) {
  auto original = std::make_unique<SniBench>(), copy = std::make_unique<SniBench>();
  std::mt19937 rng(GetParam());
  set_up(*original);
  for (uint32_t i = 0; i < 100 + GetParam() * 7; i++) step(*original, rng);
  // In mid-flight: something is open, queued, on its way.
  original->store32(0x4000, 1);
  original->store32(0x3000, 1);
  ASSERT_NE(original->read("FCNT"), 0u);
  SniState& to = copy->state();
  std::memcpy(&to, &original->state(), sizeof to);
  to.next_event = to.armed = 0x5555;  // derived members need not come along
  to.mapped_pages = to.combining_pages = 0;
  to.snooping = 0;
  copy->now = original->now;
  copy->memory = original->memory;
  copy->armed = PB_NEVER;
  sni_post_load(copy->board());
  EXPECT_EQ(copy->irq, original->irq);
  EXPECT_EQ(sni_wants(copy->board()), SNI_WANTS_LOADS_TOO);
  EXPECT_GT(copy->remaps, 0u);
  original->packets.clear();
  std::mt19937 again = rng;
  for (int i = 0; i < 200; i++) {
    step(*original, rng);
    step(*copy, again);
    ASSERT_EQ(original->irq, copy->irq);
    ASSERT_EQ(original->read("FCNT"), copy->read("FCNT"));
  }
  original->run_for(10'000'000);
  copy->run_for(10'000'000);
  ASSERT_GT(original->packets.size(), 100u);
  ASSERT_EQ(original->packets.size(), copy->packets.size());
  for (size_t i = 0; i < original->packets.size(); i++) {
    EXPECT_EQ(original->packets[i].p.start_ns, copy->packets[i].p.start_ns);
    EXPECT_EQ(original->packets[i].payload, copy->packets[i].payload);
    EXPECT_EQ(original->packets[i].terms, copy->packets[i].terms);
  }
  EXPECT_EQ(original->memory, copy->memory);
  for (uint32_t c = 0; c < SNI_COUNTERS; c++)
    EXPECT_EQ(original->state().counter[c], copy->state().counter[c]);
}
INSTANTIATE_TEST_SUITE_P(Moments, SniSnapshot, testing::Range(1u, 6u));

TEST(SniLateMachine, ManyPacketsMayWaitToBePopped) {
  SniBench b;
  b.map(3, {.page = 7});
  uint64_t value = 0;
  for (int i = 0; i < 400; i++) {  // 0.8 ms without a timer: more than the ring holds
    b.store32(0x3000, uint32_t(++value));
    b.now += 2000;
  }
  b.run_for(10'000'000);
  ASSERT_EQ(b.packets.size(), 400u);
  for (uint32_t i = 0; i < 400; i++) EXPECT_EQ(b.packets[i].payload[0], i + 1);
  EXPECT_EQ(b.counter(OVFC), 0u);
}

TEST(SniReset, BusResetForgetsAllButTheClock) {
  SniBench b;
  set_up(b);
  b.store32(0x4000, 1);
  b.store32(0x3000, 1);
  b.run_for(3000);
  const uint64_t clock = sni_clock(b.board(), b.now);
  const unsigned remaps = b.remaps, observes = b.observes;
  sni_bus_reset(b.board());
  EXPECT_GT(b.remaps, remaps);
  EXPECT_GT(b.observes, observes);
  EXPECT_EQ(b.armed, PB_NEVER);
  EXPECT_FALSE(sni_enabled(b.board()));
  EXPECT_EQ(sni_clock(b.board(), b.now), clock);
  b.run_for(1'000'000);
  EXPECT_TRUE(b.packets.empty());
  sni_power_on(b.board());
  EXPECT_EQ(sni_clock(b.board(), b.now), 0u);
}

TEST(SniReset, LetsGoOfItsInterrupt) {
  SniBench b;
  b.write("SIER", bit::kDue);
  b.write("DUWC", 0);
  EXPECT_TRUE(b.irq);
  sni_bus_reset(b.board());
  EXPECT_FALSE(b.irq);
}

}  // namespace
}  // namespace perfboard::sni
