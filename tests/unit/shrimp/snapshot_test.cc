// SPDX-License-Identifier: GPL-2.0-or-later
//
// Copies of the state; resets.
#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

void set_up(SniBench& b) {
  b.map(3, {.page = 7});
  b.map(4, {.page = 8, .comb = true});
  b.map(5, {.page = 9, .comb = true, .bound = 1, .timed = true, .interrupt = true});
  b.write("DUSA", 0x100000);
  b.write("DUDA", 0xa000);
  b.write("SIER", 0xff);
}

TEST(SniSnapshot, WhatItDoesNotHoldIsMadeAnew) {
  SniBench original, copy;
  set_up(original);
  original.store32(0x4000, 1);
  original.store32(0x3000, 1);
  original.write("DUWC", 0);
  ASSERT_TRUE(original.irq);
  copy.now = original.now;
  SniState& to = copy.state();
  std::memcpy(&to, &original.state(), sizeof to);
  to.next_event = to.armed = 0x5555;
  to.mapped_pages = to.combining_pages = 0;
  to.snooping = 0;
  copy.armed = PB_NEVER;
  const unsigned remaps = copy.remaps;
  sni_post_load(copy.board());
  EXPECT_TRUE(copy.irq);
  EXPECT_EQ(sni_wants(copy.board()), SNI_WANTS_LOADS_TOO);
  EXPECT_GT(copy.remaps, remaps);
  for (SniBench* b : {&original, &copy}) b->run_for(1'000'000);
  EXPECT_EQ(original.packets.size(), 2u);
  expect_same(copy.packets, original.packets);
}

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
