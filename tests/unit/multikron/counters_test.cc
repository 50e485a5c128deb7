// SPDX-License-Identifier: GPL-2.0-or-later
//
// Resource counters: inputs (Table 4), enable, disable, reset, the maximum at which they stick, fill times.
#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

enum Select { kSlow, kExternal, kSoftware, kNode };  // Table 4: 00, 01, 10, 11

// MUX SEL with one choice for the counters of a mask (MSBs in bits 32-47, LSBs in bits 0-15).
constexpr uint64_t mux(Select choice, uint32_t mask = 0xffff) {
  return (choice & 2 ? uint64_t{mask} << 32 : 0) | (choice & 1 ? mask : 0);
}
void start(MkBench& b, Select choice, uint32_t mask = 0xffff) { b.count(mux(choice, mask), mask); }

TEST(MkCounters, Table4NodeClock) {
  MkBench b;
  b.at(123);
  start(b, kNode);
  b.expect_counters(0);
  b.at(124);
  b.expect_counters(1);
  b.now += 19;  // the last ns of that cycle
  EXPECT_EQ(b.counter(0), 1u);
  b.now += 1;
  EXPECT_EQ(b.counter(0), 2u);
  b.at(100'123);
  b.expect_counters(100'000);
}

// The slow clock ticks at multiples of 10 or 100 timestamp clocks of 5 node clocks.
TEST(MkCounters, Table4SlowClock) {
  for (const uint64_t tick : {50u, 500u}) {
    MkBench b;
    b.command(tick == 500 ? csr::kSlow10 : csr::kSlow1);
    b.at(tick - 1);
    start(b, kSlow);
    EXPECT_EQ(b.counter(0), 0u);
    b.at(tick);
    b.expect_counters(1);
    b.at(2 * tick - 1);
    EXPECT_EQ(b.counter(5), 1u);
    b.at(2 * tick);
    EXPECT_EQ(b.counter(5), 2u);
    b.at(1000 * tick);
    EXPECT_EQ(b.counter(5), 1000u);
  }
}

TEST(MkCounters, TheSlowClockCanChangeWhileItCounts) {
  MkBench b;
  start(b, kSlow, 1);
  b.at(500 * 10);
  EXPECT_EQ(b.counter(0), 100u);
  b.command(csr::kSlow10);
  EXPECT_EQ(b.counter(0), 100u);
  b.at(500 * 20);
  EXPECT_EQ(b.counter(0), 110u);
  b.command(csr::kSlow1);
  b.at(500 * 21);
  EXPECT_EQ(b.counter(0), 120u);
}

TEST(MkCounters, TheSlowClocksPrescalerSurvivesASoftwareReset) {
  MkBench b;
  b.at(49);
  b.reset();
  start(b, kSlow, 1);
  b.at(50);
  EXPECT_EQ(b.counter(0), 1u);
}

TEST(MkCounters, Table4ExternalSignal) {
  MkBench b;
  start(b, kExternal, 0xffff);
  for (unsigned pin = 0; pin < 16; ++pin) mk_external_edges(&b.chip, pin, pin + 1);
  mk_external_edges(&b.chip, 3, 100);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(b.counter(i), i + 1u + (i == 3 ? 100 : 0));
}

TEST(MkCounters, ExternalEdgesReachOnlyEnabledCountersThatSelectThem) {
  MkBench b;
  b.count(mux(kExternal, 0x00ff) | mux(kSoftware, 0xff00), 0x0f0f);
  for (unsigned pin = 0; pin < 16; ++pin) mk_external_edges(&b.chip, pin, 7);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(b.counter(i), i < 4 ? 7u : 0u) << i;
}

TEST(MkCounters, SourcesAreWatchedWhileTheyCount) {
  MkBench b({.sources = true});
  EXPECT_EQ(b.watched, 0u);
  b.write(addr::kMuxSel, mux(kExternal, 0x8005));
  EXPECT_EQ(b.watched, 0u);
  b.write(addr::kEnable, 0x8007);  // counter 1 counts the slow clock
  EXPECT_EQ(b.watched, 0x8005u);
  b.total[15] = 1000;
  b.total[0] = 5;
  EXPECT_EQ(b.counter(15), 1000u);
  EXPECT_EQ(b.counter(0), 5u);
  b.total[15] = 1001;
  b.write(addr::kDisable, 0x8000);
  EXPECT_EQ(b.watched, 5u);
  EXPECT_EQ(b.counter(15), 1001u);
  b.still[15] = b.total[15] = 2000;  // what somebody else made it count meanwhile
  b.write(addr::kEnable, 0x8000);
  EXPECT_EQ(b.counter(15), 1001u);
  b.total[15] = 2003;
  EXPECT_EQ(b.counter(15), 1004u);
  b.test_mode(true);
  EXPECT_EQ(b.watched, 0u);
  b.test_mode(false);
  EXPECT_EQ(b.watched, 0x8005u);
  b.reset();
  EXPECT_EQ(b.watched, 0u);
}

// A source's total stands still until it has made up for what was taken back; a counter that is cleared has
// shown nothing, so that it counts the next edge. The others still have their undercount.
TEST(MkCounters, AClearedCounterOwesNothing) {
  MkBench b({.sources = true});
  start(b, kExternal, 7);
  b.total[0] = b.total[1] = 10;
  EXPECT_EQ(b.counter(0), 10u);
  b.undercount[0] = b.undercount[1] = b.undercount[2] = 1;
  b.write(addr::kRReset, 1);
  EXPECT_EQ(b.counter(0), 0u);
  EXPECT_EQ(b.counter(1), 10u);
  EXPECT_EQ(b.total[0], 9u);
  b.total[0] = 10;
  EXPECT_EQ(b.counter(0), 1u);
  b.write(addr::kDisable, 7);
  EXPECT_EQ(b.undercount[1], 1u);
  EXPECT_EQ(b.counter(1), 10u);
  b.write(addr::kRReset, 2);
  EXPECT_EQ(b.undercount[1], 0u);
  EXPECT_EQ(b.undercount[2], 1u);
  b.reset();
  EXPECT_EQ(b.undercount[2], 0u);
  b.undercount[2] = 1;
  mk_hardware_reset(&b.chip);
  EXPECT_EQ(b.undercount[2], 0u);
  b.undercount[2] = 1;
  mk_post_load(&b.chip);
  EXPECT_EQ(b.undercount[2], 0u);
}

TEST(MkCounters, Table4SoftwareSignal) {
  MkBench b;
  start(b, kSoftware);
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned n = 0; n <= i; ++n) b.write(addr::kCounter + i, 0xdead);  // data ignored
  b.at(100'000);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(b.counter(i), i + 1u);
}

TEST(MkCounters, AWriteToACounterThatIsNotSoftwaresOrIsDisabledDoesNothing) {
  for (const Select choice : {kSlow, kExternal, kNode, kSoftware}) {
    MkBench b;
    b.write(addr::kMuxSel, mux(choice));
    if (choice != kSoftware) b.write(addr::kEnable, 0xffff);
    for (unsigned i = 0; i < 16; ++i) b.write(addr::kCounter + i, 1);
    b.expect_counters(0);
  }
}

// The paper's example: odd counters count node clocks, even ones external signals.
TEST(MkCounters, MuxSelsExample) {
  MkBench b;
  b.count(0x0000'AAAA'0000'FFFF);
  EXPECT_EQ(b.watched, 0x5555u);
  b.at(1000);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(b.counter(i), i % 2 ? 1000u : 0u);
}

class MkCounterBit : public testing::TestWithParam<unsigned> {};
TEST_P(MkCounterBit, EnableDisableResetAndMuxReachTheirCounterAlone) {
  const unsigned bit = GetParam();
  MkBench b;
  b.count(mux(kNode), 1u << bit);
  EXPECT_EQ(b.read(addr::kEnable), 1u << bit);
  b.at(10);
  b.expect_counters(0, bit, 10);
  b.write(addr::kEnable, 0xffff & ~(1u << bit));  // zeros change nothing
  EXPECT_EQ(b.read(addr::kEnable), 0xffffu);
  b.at(20);
  b.expect_counters(10, bit, 20);
  b.write(addr::kRReset, 1u << bit);
  b.expect_counters(10, bit, 0);
  b.at(25);  // it goes on counting
  b.expect_counters(15, bit, 5);
  b.write(addr::kDisable, 1u << bit);
  EXPECT_EQ(b.read(addr::kEnable), 0xffffu & ~(1u << bit));
  b.at(30);
  b.expect_counters(20, bit, 5);
  b.write(addr::kEnable, 1u << bit);  // again, and it accumulates
  b.at(31);
  EXPECT_EQ(b.counter(bit), 6u);
  b.write(addr::kMuxSel, mux(kNode) & ~(uint64_t{1} << (32 + bit)));  // its MSB goes: external
  EXPECT_EQ(b.watched, 1u << bit);
  b.at(40);
  EXPECT_EQ(b.counter(bit), 6u);
  b.write(addr::kMuxSel, mux(kNode) & ~(uint64_t{1} << bit));  // its LSB goes: software
  b.write(addr::kCounter + bit, 0);
  EXPECT_EQ(b.counter(bit), 7u);
}
INSTANTIATE_TEST_SUITE_P(All, MkCounterBit, testing::Range(0u, 16u));

// --- the maximum ---------------------------------------------------------------------

TEST(MkCounters, StickAtTheirMaximumUntilReset) {
  for (const Select choice : {kSlow, kExternal, kSoftware, kNode}) {
    MkBench b;
    b.test_mode(true);
    b.test({.data = 0xfffffffe, .set = 3});
    b.count(mux(choice));
    b.at(50 * 10);
    b.test_mode(false);
    for (const uint64_t expected : {0xffffffffu, 0xffffffffu}) {
      b.pass(choice == kSlow ? 50 : 1);
      for (unsigned i = 0; i < 16; ++i) {
        if (choice == kExternal) mk_external_edges(&b.chip, i, 1);
        if (choice == kSoftware) b.write(addr::kCounter + i, 0);
      }
      b.expect_counters(expected);
    }
    b.pass(1'000'000'000'000);
    if (choice == kExternal) mk_external_edges(&b.chip, 3, 0xffffffff);
    EXPECT_EQ(b.counter(3), 0xffffffffu);
    b.write(addr::kRReset, 8);
    EXPECT_EQ(b.counter(3), 0u);
  }
}

// "about 85 seconds", "about 1.2 hours", "about 12 hours": 2^32 - 1 counts.
struct Fill {
  Select choice;
  uint32_t slow;
  uint64_t cycles_per_count;
  double seconds;
};
class MkFill : public testing::TestWithParam<Fill> {};
TEST_P(MkFill, InThePapersTime) {
  const Fill& f = GetParam();
  MkBench b;
  b.command(f.slow);
  start(b, f.choice);
  const uint64_t full = f.cycles_per_count * 0xffffffffu;
  b.at(full - 1);
  EXPECT_EQ(b.counter(0), 0xfffffffeu);
  b.at(full);
  EXPECT_EQ(b.counter(0), 0xffffffffu);
  EXPECT_NEAR(static_cast<double>(b.now - kBenchStart) / 1e9, f.seconds, f.seconds / 1000);
  b.at(full + f.cycles_per_count);
  EXPECT_EQ(b.counter(0), 0xffffffffu);
}
INSTANTIATE_TEST_SUITE_P(Paper, MkFill,
                         testing::Values(Fill{kNode, csr::kSlow1, 1, 85.9},
                                         Fill{kSlow, csr::kSlow1, 50, 71.6 * 60},
                                         Fill{kSlow, csr::kSlow10, 500, 11.93 * 3600}));

// --- together -------------------------------------------------------------------------

TEST(MkCounters, LookingOftenOrOnceIsTheSame) {
  MkBench often, once;
  const uint64_t choices =
      mux(kNode, 0x000f) | mux(kSlow, 0x00f0) | mux(kExternal, 0x0f00) | mux(kSoftware, 0xf000);
  for (MkBench* b : {&often, &once}) b->count(choices);
  uint32_t x = 1;
  for (int i = 0; i < 3000; ++i) {
    x = x * 1664525 + 1013904223;
    const uint64_t then = often.now + (x >> 22);
    often.now = once.now = then;
    often.counter(x & 15);
    if (x >> 8 & 1)
      for (MkBench* b : {&often, &once}) mk_external_edges(&b->chip, x >> 10 & 15, 1);
  }
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(often.counter(i), once.counter(i)) << i;
  EXPECT_EQ(once.counter(0), once.cycle());
}

TEST(MkCounters, AReadCopiesAllAndOccupiesNothing) {
  MkBench b;
  start(b, kNode);
  b.at(100);
  EXPECT_EQ(b.counter(0), 100u);
  EXPECT_EQ(b.csr() & csr::kShadowFull, 0u);
  b.resource(1);
  EXPECT_EQ(b.overruns(), 0u);
  EXPECT_EQ(b.counter(1), kWrongData | 100);
}

}  // namespace
}  // namespace perfboard::mk
