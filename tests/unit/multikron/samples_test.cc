// SPDX-License-Identifier: GPL-2.0-or-later
//
// Samples: formats (Tables 5, 6, 7), filter, overruns and waits (Tables 3A and 3B). Whose they are, and how
// long anybody waits, whatever happens meanwhile: fuzz-multikron.
#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

constexpr uint64_t kTraceType = 2, kResourceType = 3;  // Table 5: sample type

TEST(MkSamples, Table6TraceSampleFieldByField) {
  MkBench b;
  b.write(addr::kSource + 5, 0xA1B2C3D4);
  b.at(5 * 0x123456);  // five node clocks a timestamp clock
  b.write(addr::kTrace + 3, 0xFFFF'9876'5432'10FE, 5);
  b.pass(100);
  const Sample s = b.only_sample();
  EXPECT_EQ(s.header(), 5 << 5 | kTraceType << 3);
  EXPECT_EQ(s.time(), 0x123456u);
  EXPECT_EQ(s.source(), 0xA1B2C3D4u);
  EXPECT_EQ(s.data(), 0x9876'5432'10FEu);
  EXPECT_EQ(s.bytes.size(), 16u);
}

TEST(MkSamples, Table7ResourceSampleIsATraceSampleAndSixteenCounters) {
  MkBench b;
  b.test_once({.data = 0x01020304, .set = 3});
  b.write(addr::kRReset, 1u << 7);
  b.write(addr::kSource, 0x11223344);
  b.at(50);
  b.write(addr::kResource + 15, 0x5566'7788'99AA);
  b.at(1000);
  const Sample s = b.only_sample();
  ASSERT_EQ(s.bytes.size(), 80u);
  EXPECT_EQ(s.header(), kResourceType << 3);
  EXPECT_EQ(s.source(), 0x11223344u);
  EXPECT_EQ(s.data(), 0x556677889'9AAu);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(s.counter(i), i == 7 ? 0u : 0x01020304u) << i;
}

class MkFilter : public testing::TestWithParam<unsigned> {};
TEST_P(MkFilter, ABitTakesOrDiscardsItsLevelAlone) {
  const unsigned bit = GetParam();
  for (const bool only : {true, false}) {
    MkBench b;
    const uint32_t mask = only ? 1u << bit : 0xffffu & ~(1u << bit);
    b.write(addr::kFilter, mask);
    uint64_t c = 0;
    for (unsigned level = 0; level < 16; ++level)
      for (const unsigned type : {addr::kTrace, addr::kResource}) {
        b.at(c += 200);
        b.write(type + level, level);
      }
    b.at(c += 200);
    unsigned expected = 0;
    for (unsigned level = 0; level < 16; ++level) expected += 2 * (mask >> level & 1);
    const std::vector<Sample> all = b.samples(expected);
    for (const Sample& s : all) EXPECT_EQ(mask >> s.data() & 1, 1u);
    EXPECT_EQ(b.overruns(), 0u);
    EXPECT_EQ(b.waits(), 0u);
  }
}
INSTANTIATE_TEST_SUITE_P(Levels, MkFilter, testing::Range(0u, 16u));

TEST(MkSamples, ADisabledChipDiscardsWithoutOverrunWaitOrLog) {
  MkBench b;
  b.command(csr::kNoSample | csr::kWriteWait);
  b.log.clear();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(b.try_write(addr::kResource, 1), MK_DONE);
  b.at(1000);
  EXPECT_TRUE(b.words().empty());
  EXPECT_EQ(b.overruns(), 0u);
  EXPECT_EQ(b.csr() & (csr::kFifoOverrun | csr::kShadowOverrun), 0u);
  EXPECT_TRUE(b.log.empty());
}

// 40 bits of the Timestamp; both sides of their wrap, and of that of its 56. The paper: about 20 hours.
TEST(MkSamples, TimestampHas40BitsInASample) {
  for (const uint64_t wrap : {uint64_t{1} << 40, uint64_t{1} << 56}) {
    MkBench b;
    b.at(5 * (wrap - 1));
    b.trace(1);
    EXPECT_EQ(b.timestamp(), wrap - 1);
    b.at(5 * wrap);
    if (wrap == uint64_t{1} << 40) {
      EXPECT_EQ(b.now - kBenchStart, (30 * 3600 + 32 * 60 + 31) * uint64_t{1'000'000'000} + 162'777'600);
    }
    EXPECT_EQ(b.timestamp(), wrap & ((uint64_t{1} << 56) - 1));
    b.trace(2);
    b.at(5 * wrap + 100);
    const std::vector<Sample> all = b.samples(2);
    EXPECT_EQ(all[0].time(), 0xFF'FFFF'FFFFu);
    EXPECT_EQ(all[1].time(), 0u);
  }
}

// --- Table 3B and the FIFO --------------------------------------------------

TEST(MkOverrun, FifoFullMinusOneAndFull) {
  for (const uint32_t depth : {1u, 2u, 8u, 64u}) {
    MkBench b({.depth = depth});
    for (uint32_t i = 0; i + 1 < depth; ++i) b.trace(i);
    EXPECT_EQ(b.csr() & csr::kFull, 0u);
    b.trace(depth - 1);
    EXPECT_NE(b.csr() & csr::kFull, 0u);
    EXPECT_EQ(b.csr() & csr::kFifoOverrun, 0u);
    EXPECT_EQ(b.overruns(), 0u);
    b.trace(99);
    EXPECT_EQ(b.overruns(), 1u);
    EXPECT_NE(b.csr() & csr::kFifoOverrun, 0u);
    EXPECT_EQ(b.csr() & csr::kShadowOverrun, 0u);
    // The last element of the first leaves at cycle 2 * 16: its slot is free then and not before.
    b.at(31);
    b.trace(100);
    EXPECT_EQ(b.overruns(), 2u);
    b.at(32);
    b.trace(101);
    EXPECT_EQ(b.overruns(), 2u);
    EXPECT_EQ(b.csr() & csr::kFifoOverrun, 0u);  // that sample has taken it away
    b.at(1 << 20);
    const std::vector<Sample> all = b.samples(depth + 1);
    for (uint32_t i = 0; i < depth; ++i) {
      EXPECT_EQ(all[i].flags(), 0u);
      EXPECT_EQ(all[i].data(), i);
    }
    EXPECT_EQ(all[depth].flags(), 4u);  // Table 5: FIFO overrun
    EXPECT_EQ(all[depth].data(), 101u);
  }
}

TEST(MkOverrun, Table3BShadowFullWaitDisabled) {
  MkBench b;
  b.resource(1);
  EXPECT_NE(b.csr() & csr::kShadowFull, 0u);
  EXPECT_EQ(b.try_write(addr::kResource, 2), MK_DONE);  // no wait
  EXPECT_EQ(b.overruns(), 1u);
  EXPECT_NE(b.csr() & csr::kShadowOverrun, 0u);
  EXPECT_EQ(b.csr() & csr::kFifoOverrun, 0u);
  EXPECT_EQ(b.waits(), 0u);
  b.at(159);  // 80 elements: the last at cycle 160
  b.resource(3);
  EXPECT_EQ(b.overruns(), 2u);
  b.at(160);
  EXPECT_EQ(b.csr() & csr::kShadowFull, 0u);
  b.resource(4);
  EXPECT_EQ(b.overruns(), 2u);
  b.at(1000);
  const std::vector<Sample> all = b.samples(2);
  EXPECT_EQ(all[0].data(), 1u);
  EXPECT_EQ(all[1].data(), 4u);
  EXPECT_EQ(all[1].flags(), 2u);  // shadow register overrun
}

TEST(MkOverrun, CounterWrapsAt32Bits) {
  MkBench b({.depth = 1});
  b.test_once({.data = 0xff, .set = 1});
  EXPECT_EQ(b.overruns(), 0xffffffffu);
  b.trace(1);
  EXPECT_EQ(b.overruns(), 0xffffffffu);
  b.trace(1);
  EXPECT_EQ(b.overruns(), 0u);
  b.trace(1);
  EXPECT_EQ(b.overruns(), 1u);
  b.write(addr::kOverrun, 12345);  // any write resets
  EXPECT_EQ(b.overruns(), 0u);
}

// --- RDY: delayed writes and reads (Tables 3A and 3B), and the Wait Counter -----------------

class MkWait : public testing::Test {
 protected:
  MkWait() { b.command(csr::kWriteWait | csr::kReadWait); }
  MkBench b;
};

TEST_F(MkWait, AWriteToAFullFifoWaitsForTheFirstFreeLevel) {
  b.fill();
  b.at(5);
  EXPECT_EQ(b.try_write(addr::kTrace, 99), MK_WAIT);
  EXPECT_EQ(b.release, b.ns_of(32));
  const int told = b.releases;
  b.at(31);  // last cycle before
  EXPECT_EQ(b.try_write(addr::kTrace, 99), MK_WAIT);
  EXPECT_EQ(b.releases, told) << "a retry that comes early changes nothing";
  b.at(32);  // first of freedom
  EXPECT_EQ(b.try_write(addr::kTrace, 99), MK_DONE);
  EXPECT_EQ(b.waits(), 27u);
  EXPECT_EQ(b.overruns(), 0u);
  EXPECT_EQ(b.csr() & (csr::kFifoOverrun | csr::kShadowOverrun), 0u);
  b.at(2000);
  const std::vector<Sample> all = b.samples(9);
  EXPECT_EQ(all[8].data(), 99u);
  EXPECT_EQ(all[8].flags(), 0u);
  EXPECT_EQ(all[8].time(), 32u / 5);  // of the time when it was taken
}

TEST_F(MkWait, Table3BAResourceSampleWaitsForTheShadowRegisters) {
  b.count_cycles(1);
  b.resource(1);
  b.at(11);
  EXPECT_EQ(b.held_write(addr::kResource, 2), b.ns_of(160) - b.ns_of(11));
  EXPECT_EQ(b.waits(), 149u);
  b.at(1000);
  const Sample second = b.samples(2)[1];
  EXPECT_EQ(second.counter(0), 160u);  // counters of the time when it was taken
  EXPECT_EQ(second.flags(), 0u);
}

TEST_F(MkWait, Table3AEmptyWhateverTheWait) {
  for (const uint32_t wait : {csr::kReadWait, csr::kNoReadWait}) {
    b.command(wait);
    EXPECT_EQ(b.read_at_once(addr::kCounter + 3), 0u);
    EXPECT_EQ(b.csr() & csr::kShadowFull, 0u);  // a read does not occupy them
  }
}

TEST_F(MkWait, Table3AFullAndDisabledIsWrongDataWithBit63) {
  b.command(csr::kNoReadWait);
  b.count_cycles();
  b.at(70);
  b.resource(1);
  b.at(100);
  EXPECT_EQ(b.read_at_once(addr::kCounter + 4), kWrongData | 70);  // the shadow registers were not modified
  EXPECT_EQ(b.waits(), 0u);
  b.at(70 + 159);
  EXPECT_EQ(b.read_at_once(addr::kCounter + 4), kWrongData | 70);
  b.at(70 + 160);
  EXPECT_EQ(b.read_at_once(addr::kCounter + 4), 230u);
  b.at(1000);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(b.samples()[0].counter(i), 70u);
}

TEST_F(MkWait, Table3AFullAndEnabledWaitsForTheTruth) {
  b.count_cycles();
  b.resource(1);
  b.at(10);
  uint64_t v = 0;
  EXPECT_EQ(b.held_read(addr::kCounter + 15, &v), b.ns_of(160) - b.ns_of(10));
  EXPECT_EQ(v, 160u);
  EXPECT_EQ(b.waits(), 150u);
  b.at(1000);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(b.samples()[0].counter(i), 0u);
}

// The bus is taken: every access of another processor waits, and is not counted again.
TEST_F(MkWait, EverybodyWaitsAndEachCycleCountsOnce) {
  b.fill();
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
  EXPECT_EQ(b.waits(), 62u);
  b.at(4000);
  const std::vector<Sample> all = b.samples(10);
  EXPECT_EQ(all[8].cpu(), 5u);
  EXPECT_EQ(all[9].cpu(), 0u);
}

TEST_F(MkWait, OtherReadsDoNotWaitForTheShadowRegisters) {
  b.resource(1);
  for (const unsigned a : {addr::kCsr, addr::kTimestamp, addr::kFilter, addr::kWait, addr::kOverrun,
                           addr::kMuxSel, addr::kEnable, addr::kSource})
    b.read_at_once(a);
}

TEST_F(MkWait, TheCardsInformationIsNotOnTheChipsBus) {
  b.fill();
  EXPECT_EQ(b.try_write(addr::kTrace, 1), MK_WAIT);
  const MkAccess a = {MK_WINDOW_8, MK_CARD_BASE, 4, 1, true};
  uint64_t v = 0;
  EXPECT_EQ(mk_read(&b.chip, &a, &v), MK_DONE);
  EXPECT_EQ(v, MK_CARD_MAGIC);
}

TEST_F(MkWait, CounterWrapsAt32Bits) {
  b.test_once({.data = 0xff, .set = 1});
  b.fill();
  const uint64_t from = b.cycle();
  b.held_write(addr::kTrace, 1);
  EXPECT_EQ(b.waits(), (0xffffffffu + b.cycle() - from) & 0xffffffff);
  EXPECT_EQ(b.waits(), 31u);
}

TEST(MkWaitPin, NeverUntilThePinRises) {
  MkBench b({.depth = 1, .free = MK_FREE_PIN});
  b.command(csr::kWriteWait);
  b.trace(1);
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
  EXPECT_EQ(b.waits(), 2024u - 7);
}

TEST_F(MkWait, ADelayAfterAResetIsToldEvenIfItEndsAtTheSameCycle) {
  b.fill();
  EXPECT_EQ(b.try_write(addr::kTrace, 1), MK_WAIT);
  mk_hardware_reset(&b.chip);
  b.command(csr::kSample | csr::kWriteWait);
  b.write(addr::kFilter, 1);
  b.fill();
  const int told = b.releases;
  EXPECT_EQ(b.try_write(addr::kTrace, 1), MK_WAIT);
  EXPECT_GT(b.releases, told);
  EXPECT_EQ(b.release, b.ns_of(32));
}

}  // namespace
}  // namespace perfboard::mk
