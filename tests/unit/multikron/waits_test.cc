// SPDX-License-Identifier: GPL-2.0-or-later
//
// RDY: delayed writes and reads (Tables 3A and 3B), the Wait Counter, and what a delay costs in time.
#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

class MkWait : public testing::Test {
 protected:
  MkWait() { b.write(addr::kCsr, csr::kWriteWait | csr::kReadWait); }
  void fill() {
    for (int i = 0; i < 8; ++i) b.write(addr::kTrace, static_cast<uint64_t>(i));
  }
  MkBench b;
};

TEST_F(MkWait, AWriteToAFullFifoWaitsForTheFirstFreeLevel) {
  fill();
  b.at(5);
  EXPECT_EQ(b.try_write(addr::kTrace, 99), MK_WAIT);
  EXPECT_EQ(b.release, b.ns_of(32));
  const int told = b.releases;
  b.at(31);  // last cycle before
  EXPECT_EQ(b.try_write(addr::kTrace, 99), MK_WAIT);
  EXPECT_EQ(b.releases, told) << "a retry that comes early changes nothing";
  b.at(32);  // first of freedom
  EXPECT_EQ(b.try_write(addr::kTrace, 99), MK_DONE);
  EXPECT_EQ(b.read(addr::kWait), 27u);
  EXPECT_EQ(b.read(addr::kOverrun), 0u);
  EXPECT_EQ(b.csr() & (csr::kFifoOverrun | csr::kShadowOverrun), 0u);
  b.at(2000);
  const std::vector<Sample> all = b.samples();
  ASSERT_EQ(all.size(), 9u);
  EXPECT_EQ(all[8].data(), 99u);
  EXPECT_EQ(all[8].flags(), 0u);
  EXPECT_EQ(all[8].time(), 32u / 5);  // of the time when it was taken
}

TEST_F(MkWait, Table3BAResourceSampleWaitsForTheShadowRegisters) {
  b.count_cycles(1);
  b.write(addr::kResource, 1);
  b.at(11);
  EXPECT_EQ(b.held_write(addr::kResource, 2), b.ns_of(160) - b.ns_of(11));
  EXPECT_EQ(b.read(addr::kWait), 149u);
  b.at(1000);
  ASSERT_EQ(b.samples().size(), 2u);
  EXPECT_EQ(b.samples()[1].counter(0), 160u);  // counters of the time when it was taken
  EXPECT_EQ(b.samples()[1].flags(), 0u);
}

TEST_F(MkWait, AResourceSampleCanNeedBoth) {
  MkBench two({.depth = 2});
  two.write(addr::kCsr, csr::kWriteWait);
  two.write(addr::kTrace, 1);
  two.write(addr::kResource, 2);
  EXPECT_EQ(two.try_write(addr::kResource, 3), MK_WAIT);
  EXPECT_EQ(two.release, two.ns_of(192));
  MkBench other({.depth = 2});
  other.write(addr::kCsr, csr::kWriteWait);
  other.write(addr::kResource, 1);
  other.write(addr::kTrace, 2);
  EXPECT_EQ(other.held_write(addr::kResource, 3), other.ns_of(160) - kBenchStart);
}

// --- Table 3A ------------------------------------------------------------------

TEST_F(MkWait, Table3AEmptyWhateverTheWait) {
  for (const uint32_t wait : {csr::kReadWait, csr::kNoReadWait}) {
    b.write(addr::kCsr, wait);
    uint64_t v = 1;
    EXPECT_EQ(b.try_read(addr::kCounter + 3, &v), MK_DONE);
    EXPECT_EQ(v, 0u);
    EXPECT_EQ(b.csr() & csr::kShadowFull, 0u);  // a read does not occupy them
  }
}

TEST_F(MkWait, Table3AFullAndDisabledIsWrongDataWithBit63) {
  b.write(addr::kCsr, csr::kNoReadWait);
  b.count_cycles();
  b.at(70);
  b.write(addr::kResource, 1);
  b.at(100);
  uint64_t v = 0;
  EXPECT_EQ(b.try_read(addr::kCounter + 4, &v), MK_DONE);
  EXPECT_EQ(v, kWrongData | 70);  // the shadow registers were not modified
  EXPECT_EQ(b.read(addr::kWait), 0u);
  b.at(70 + 159);
  EXPECT_EQ(b.try_read(addr::kCounter + 4, &v), MK_DONE);
  EXPECT_EQ(v, kWrongData | 70);
  b.at(70 + 160);
  EXPECT_EQ(b.try_read(addr::kCounter + 4, &v), MK_DONE);
  EXPECT_EQ(v, 230u);
  b.at(1000);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(b.samples()[0].counter(i), 70u);
}

TEST_F(MkWait, Table3AFullAndEnabledWaitsForTheTruth) {
  b.count_cycles();
  b.write(addr::kResource, 1);
  b.at(10);
  uint64_t v = 0;
  EXPECT_EQ(b.held_read(addr::kCounter + 15, &v), b.ns_of(160) - b.ns_of(10));
  EXPECT_EQ(v, 160u);
  EXPECT_EQ(b.read(addr::kWait), 150u);
  b.at(1000);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(b.samples()[0].counter(i), 0u);
}

// --- what a delay costs -----------------------------------------------------------

// From any ns within a cycle: the counter grows by the cycles, the time by less than a cycle less.
TEST_F(MkWait, CostInTimeIsTheCountersIncrease) {
  for (uint64_t offset = 0; offset < 60; ++offset) {
    MkBench each;
    each.write(addr::kCsr, csr::kWriteWait);
    for (int i = 0; i < 8; ++i) each.write(addr::kTrace, 1);
    each.now += offset;
    const uint64_t cycle = each.cycle();
    const uint64_t cost = each.held_write(addr::kTrace, 2);
    const uint64_t waits = each.read(addr::kWait);
    EXPECT_EQ(waits, 32 - cycle);
    EXPECT_EQ(each.cycle(), cycle + waits);
    EXPECT_EQ(cost, waits * 20 - offset % 20);
  }
}

TEST_F(MkWait, TheCounterRunsWhileTheAccessWaitsAndAnyWriteResetsIt) {
  fill();
  b.at(10);
  EXPECT_EQ(b.try_write(addr::kTrace, 1), MK_WAIT);
  b.at(15);
  EXPECT_EQ(b.read(addr::kWait), 5u);
  EXPECT_EQ(b.read(addr::kWait), 5u);
  b.write(addr::kWait, 0xffff);
  EXPECT_EQ(b.read(addr::kWait), 0u);
  b.at(100);
  EXPECT_EQ(b.read(addr::kWait), 17u);
}

// The bus is taken: every access of another processor waits, and is not counted again.
TEST_F(MkWait, EverybodyWaitsAndEachCycleCountsOnce) {
  fill();
  b.at(2);
  EXPECT_EQ(b.try_write(addr::kTrace, 1, 0), MK_WAIT);
  b.at(12);
  uint64_t v = 0;
  EXPECT_EQ(b.try_read(addr::kCsr, &v, 1), MK_WAIT);
  EXPECT_EQ(b.try_read(addr::kTimestamp, &v, 2), MK_WAIT);
  EXPECT_EQ(b.try_read(addr::kCounter, &v, 3), MK_WAIT);
  EXPECT_EQ(b.try_write(addr::kReset, 0, 4), MK_WAIT);
  EXPECT_EQ(b.try_write(addr::kTrace, 2, 5), MK_WAIT);
  EXPECT_EQ(b.try_write(addr::kSource, 2, 6), MK_WAIT);
  EXPECT_EQ(b.release, b.ns_of(32));
  b.at(32);
  EXPECT_EQ(b.try_write(addr::kTrace, 2, 5), MK_DONE);  // the level is gone again
  EXPECT_EQ(b.try_write(addr::kTrace, 1, 0), MK_WAIT);
  EXPECT_EQ(b.release, b.ns_of(64));
  b.at(64);
  EXPECT_EQ(b.try_write(addr::kTrace, 1, 0), MK_DONE);
  EXPECT_EQ(b.read(addr::kWait), 62u);
  b.at(4000);
  const std::vector<Sample> all = b.samples();
  ASSERT_EQ(all.size(), 10u);
  EXPECT_EQ(all[8].cpu(), 5u);
  EXPECT_EQ(all[9].cpu(), 0u);
}

TEST_F(MkWait, OtherReadsDoNotWaitForTheShadowRegisters) {
  b.write(addr::kResource, 1);
  for (const unsigned a : {addr::kCsr, addr::kTimestamp, addr::kFilter, addr::kWait, addr::kOverrun,
                           addr::kMuxSel, addr::kEnable, addr::kSource}) {
    uint64_t v = 0;
    EXPECT_EQ(b.try_read(a, &v), MK_DONE) << a;
  }
}

TEST_F(MkWait, TheCardsInformationIsNotOnTheChipsBus) {
  fill();
  EXPECT_EQ(b.try_write(addr::kTrace, 1), MK_WAIT);
  const MkAccess a = {MK_WINDOW_8, MK_CARD_BASE, 4, 1, true};
  uint64_t v = 0;
  EXPECT_EQ(mk_read(&b.chip, &a, &v), MK_DONE);
  EXPECT_EQ(v, MK_CARD_MAGIC);
}

TEST_F(MkWait, CounterWrapsAt32Bits) {
  b.test_once({.data = 0xff, .set = 1});
  fill();
  const uint64_t from = b.cycle();
  b.held_write(addr::kTrace, 1);
  EXPECT_EQ(b.read(addr::kWait), (0xffffffffu + b.cycle() - from) & 0xffffffff);
  EXPECT_EQ(b.read(addr::kWait), 31u);
}

// The pins' wait states are the normal ones: the counter has what comes beyond them.
TEST(MkWaitStates, AreNotCounted) {
  for (uint32_t pins = 0; pins < 4; ++pins) {
    MkBench b({.depth = 1, .wait_states = pins});
    b.write(addr::kCsr, csr::kWriteWait);
    EXPECT_EQ(b.held_write(addr::kTrace, 1), 0u);
    EXPECT_EQ(b.read(addr::kWait), 0u);
    b.held_write(addr::kTrace, 2);
    EXPECT_EQ(b.read(addr::kWait), 32u);
  }
}

// --- when the end is not known -------------------------------------------------------

TEST(MkWaitPin, NeverUntilThePinRises) {
  MkBench b({.depth = 1, .free = MK_FREE_PIN});
  b.write(addr::kCsr, csr::kWriteWait);
  b.write(addr::kTrace, 1);
  mk_set_external_free(&b.chip, false);
  b.at(7);
  EXPECT_EQ(b.try_write(addr::kTrace, 2), MK_WAIT);
  EXPECT_EQ(b.release, PB_NEVER);
  b.at(1003);
  mk_set_external_free(&b.chip, true);
  EXPECT_EQ(b.release, b.ns_of(1004 + 30));
  b.at(1010);  // and it falls again: edges 1004..1010 have taken four
  mk_set_external_free(&b.chip, false);
  EXPECT_EQ(b.release, PB_NEVER);
  b.at(2000);
  mk_set_external_free(&b.chip, true);
  EXPECT_EQ(b.release, b.ns_of(2002 + 22));
  b.now = b.release;
  EXPECT_EQ(b.try_write(addr::kTrace, 2), MK_DONE);
  EXPECT_EQ(b.read(addr::kWait), 2024u - 7);
}

TEST(MkWaitFifo, NeverIfNobodyDrainsIt) {
  MkBench b({.depth = 1, .free = MK_FREE_FIFO, .free_bytes = 15, .drain_hz = 0});
  b.write(addr::kCsr, csr::kWriteWait);
  b.write(addr::kTrace, 1);
  EXPECT_EQ(b.try_write(addr::kTrace, 2), MK_WAIT);
  EXPECT_EQ(b.release, PB_NEVER);
  b.at(1'000'000);
  EXPECT_EQ(b.read(addr::kWait), 1'000'000u);
}

// --- resets --------------------------------------------------------------------------

TEST(MkWaitReset, AHardwareResetAndAMonitorsSoftwareResetSetTheAccessFree) {
  for (const bool hardware : {true, false}) {
    MkBench b;
    b.write(addr::kCsr, csr::kWriteWait | csr::kReadWait);
    for (int i = 0; i < 8; ++i) b.write(addr::kTrace, 1);
    b.at(3);
    EXPECT_EQ(b.try_write(addr::kTrace, 1), MK_WAIT);
    b.at(10);
    const int told = b.releases;
    if (hardware)
      mk_hardware_reset(&b.chip);
    else
      b.write(addr::kReset, 0);
    EXPECT_GT(b.releases, told);
    EXPECT_LE(b.release, b.now);
    EXPECT_EQ(b.try_write(addr::kTrace, 1), MK_DONE);
    EXPECT_EQ(b.read(addr::kWait), 0u);
  }
}

TEST_F(MkWait, ADelayAfterAResetIsToldEvenIfItEndsAtTheSameCycle) {
  fill();
  EXPECT_EQ(b.try_write(addr::kTrace, 1), MK_WAIT);
  mk_hardware_reset(&b.chip);
  b.write(addr::kCsr, csr::kSample | csr::kWriteWait);
  b.write(addr::kFilter, 1);
  fill();
  const int told = b.releases;
  EXPECT_EQ(b.try_write(addr::kTrace, 1), MK_WAIT);
  EXPECT_GT(b.releases, told);
  EXPECT_EQ(b.release, b.ns_of(32));
}

}  // namespace
}  // namespace perfboard::mk
