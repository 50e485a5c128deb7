// SPDX-License-Identifier: GPL-2.0-or-later
//
// Samples: addresses (Table 1), formats (Tables 5, 6, 7), filter, CPU ID lines, overruns (Table 3B).
#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

constexpr uint64_t kTraceType = 2, kResourceType = 3;  // Table 5: sample type

TEST(MkSamples, Table6TraceSampleFieldByField) {
  MkBench b;
  b.write(addr::kSource + 5, 0xA1B2C3D4);
  b.at(5 * 0x123456);  // five node clocks a timestamp clock
  b.write(addr::kTrace + 3, 0xFFFF'9876'5432'10FE, 5);
  b.at(b.cycle() + 100);
  ASSERT_EQ(b.samples().size(), 1u);
  const Sample s = b.samples()[0];
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
  const std::vector<Sample> all = b.samples();
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].bytes.size(), 80u);
  EXPECT_EQ(all[0].header(), kResourceType << 3);
  EXPECT_EQ(all[0].source(), 0x11223344u);
  EXPECT_EQ(all[0].data(), 0x556677889'9AAu);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(all[0].counter(i), i == 7 ? 0u : 0x01020304u) << i;
}

TEST(MkSamples, CountersOfASampleAreOfOneInstant) {
  MkBench b;
  b.at(100);
  b.count_cycles();
  b.at(350);
  b.write(addr::kResource, 0);
  b.at(420);  // some elements have left; the counters count on
  const uint64_t part = b.words().size();
  EXPECT_EQ(part, 35u);
  b.at(1000);
  ASSERT_EQ(b.samples().size(), 1u);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(b.samples()[0].counter(i), 250u);
}

// Table 1: bit 6 sample, bits 5-4 type, bits 3-0 filter value.
TEST(MkSamples, EveryAddressTriggersWhatTable1Says) {
  for (unsigned address = 64; address < 128; ++address) {
    MkBench b;
    b.log.clear();
    b.write(address, address);
    b.at(1000);
    const std::vector<Sample> all = b.samples();
    if (address < 96) {
      EXPECT_TRUE(all.empty()) << address;
      EXPECT_EQ(b.log.size(), 1u) << address;
      continue;
    }
    ASSERT_EQ(all.size(), 1u) << address;
    EXPECT_EQ(all[0].type(), address < 112 ? kTraceType : kResourceType) << address;
    EXPECT_EQ(all[0].data(), address);
    EXPECT_TRUE(b.log.empty()) << b.log[0];
  }
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
    const std::vector<Sample> all = b.samples();
    ASSERT_EQ(all.size(), expected);
    for (const Sample& s : all) EXPECT_EQ(mask >> s.data() & 1, 1u);
    EXPECT_EQ(b.read(addr::kOverrun), 0u);
    EXPECT_EQ(b.read(addr::kWait), 0u);
  }
}
INSTANTIATE_TEST_SUITE_P(Levels, MkFilter, testing::Range(0u, 16u));

// A full FIFO is nothing to a trigger that is filtered out, though the others wait.
TEST(MkSamples, ALevelThatIsFilteredOutNeverWaits) {
  MkBench b({.depth = 1});
  b.write(addr::kFilter, 1);
  b.write(addr::kCsr, csr::kWriteWait);
  b.write(addr::kTrace, 1);
  for (const unsigned type : {addr::kTrace, addr::kResource})
    for (unsigned level = 1; level < 16; ++level) EXPECT_EQ(b.try_write(type + level, 2), MK_DONE);
  EXPECT_EQ(b.read(addr::kWait), 0u);
  EXPECT_EQ(b.read(addr::kOverrun), 0u);
  EXPECT_EQ(b.try_write(addr::kTrace, 3), MK_WAIT);
}

TEST(MkSamples, EveryCpuIdLineHasItsCodeAndItsSourceAddress) {
  MkBench b;
  for (unsigned line = 0; line < 8; ++line) b.write(addr::kSource + line, 0x80000000u | line << 8);
  for (int line = 0; line < 8; ++line) {
    b.at(b.cycle() + 200);
    b.write(line % 2 ? addr::kTrace : addr::kResource, 1, line);
  }
  b.at(b.cycle() + 200);
  const std::vector<Sample> all = b.samples();
  ASSERT_EQ(all.size(), 8u);
  for (unsigned line = 0; line < 8; ++line) {
    EXPECT_EQ(all[line].cpu(), line);
    EXPECT_EQ(all[line].source(), 0x80000000u | line << 8);
    EXPECT_EQ(all[line].flags(), 0u);
  }
}

TEST(MkSamples, ADisabledChipDiscardsWithoutOverrunWaitOrLog) {
  MkBench b;
  b.write(addr::kCsr, csr::kNoSample | csr::kWriteWait);
  b.log.clear();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(b.try_write(addr::kResource, 1), MK_DONE);
  b.at(1000);
  EXPECT_TRUE(b.words().empty());
  EXPECT_EQ(b.read(addr::kOverrun), 0u);
  EXPECT_EQ(b.csr() & (csr::kFifoOverrun | csr::kShadowOverrun), 0u);
  EXPECT_TRUE(b.log.empty());
}

// 40 bits of the Timestamp; both sides of their wrap, and of that of its 56.
TEST(MkSamples, TimestampHas40BitsInASample) {
  for (const uint64_t wrap : {uint64_t{1} << 40, uint64_t{1} << 56}) {
    MkBench b;
    b.at(5 * (wrap - 1));
    b.write(addr::kTrace, 1);
    EXPECT_EQ(b.read(addr::kTimestamp), wrap - 1);
    b.at(5 * wrap);
    EXPECT_EQ(b.read(addr::kTimestamp), wrap & ((uint64_t{1} << 56) - 1));
    b.write(addr::kTrace, 2);
    b.at(5 * wrap + 100);
    const std::vector<Sample> all = b.samples();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].time(), 0xFF'FFFF'FFFFu);
    EXPECT_EQ(all[1].time(), 0u);
  }
}

// The paper: about 20 hours. 30 hours, 32 minutes, 31 seconds.
TEST(MkSamples, TheEpochOf40BitsIs30HoursAndAHalf) {
  MkBench b;
  const uint64_t epoch = (30 * 3600 + 32 * 60 + 31) * uint64_t{1'000'000'000} + 162'777'600;
  b.now = kBenchStart + epoch - 1;
  b.write(addr::kTrace, 1);
  b.now = kBenchStart + epoch;
  b.write(addr::kTrace, 2);
  b.now += 10'000;
  ASSERT_EQ(b.samples().size(), 2u);
  EXPECT_EQ(b.samples()[0].time(), 0xFF'FFFF'FFFFu);
  EXPECT_EQ(b.samples()[1].time(), 0u);
  EXPECT_EQ(b.samples()[1].header(), kTraceType << 3) << "the 41st bit goes nowhere";
}

// Error & Class Field: the flag of a wrong counter read is cleared at the end of the read.
TEST(MkSamples, TheReadErrorFlagIsAlwaysZero) {
  MkBench b;
  b.write(addr::kResource, 1);
  EXPECT_EQ(b.read(addr::kCounter) & kWrongData, kWrongData);
  b.write(addr::kTrace, 2);
  b.at(1000);
  b.write(addr::kResource, 3);
  b.at(2000);
  ASSERT_EQ(b.samples().size(), 3u);
  for (const Sample& s : b.samples()) EXPECT_EQ(s.flags(), 0u) << s.data();
}

// --- Table 3B and the FIFO --------------------------------------------------

TEST(MkOverrun, FifoFullMinusOneAndFull) {
  for (const uint32_t depth : {1u, 2u, 8u, 64u}) {
    MkBench b({.depth = depth});
    for (uint32_t i = 0; i + 1 < depth; ++i) b.write(addr::kTrace, i);
    EXPECT_EQ(b.csr() & csr::kFull, 0u);
    b.write(addr::kTrace, depth - 1);
    EXPECT_NE(b.csr() & csr::kFull, 0u);
    EXPECT_EQ(b.csr() & csr::kFifoOverrun, 0u);
    EXPECT_EQ(b.read(addr::kOverrun), 0u);
    b.write(addr::kTrace, 99);
    EXPECT_EQ(b.read(addr::kOverrun), 1u);
    EXPECT_NE(b.csr() & csr::kFifoOverrun, 0u);
    EXPECT_EQ(b.csr() & csr::kShadowOverrun, 0u);
    // The last element of the first leaves at cycle 2 * 16: its slot is free then and not before.
    b.at(31);
    b.write(addr::kTrace, 100);
    EXPECT_EQ(b.read(addr::kOverrun), 2u);
    b.at(32);
    b.write(addr::kTrace, 101);
    EXPECT_EQ(b.read(addr::kOverrun), 2u);
    EXPECT_EQ(b.csr() & csr::kFifoOverrun, 0u);  // that sample has taken it away
    b.at(1 << 20);
    const std::vector<Sample> all = b.samples();
    ASSERT_EQ(all.size(), depth + 1);
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
  b.write(addr::kResource, 1);
  EXPECT_NE(b.csr() & csr::kShadowFull, 0u);
  EXPECT_EQ(b.try_write(addr::kResource, 2), MK_DONE);  // no wait
  EXPECT_EQ(b.read(addr::kOverrun), 1u);
  EXPECT_NE(b.csr() & csr::kShadowOverrun, 0u);
  EXPECT_EQ(b.csr() & csr::kFifoOverrun, 0u);
  EXPECT_EQ(b.read(addr::kWait), 0u);
  b.at(159);  // 80 elements: the last at cycle 160
  b.write(addr::kResource, 3);
  EXPECT_EQ(b.read(addr::kOverrun), 2u);
  b.at(160);
  EXPECT_EQ(b.csr() & csr::kShadowFull, 0u);
  b.write(addr::kResource, 4);
  EXPECT_EQ(b.read(addr::kOverrun), 2u);
  b.at(1000);
  const std::vector<Sample> all = b.samples();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].data(), 1u);
  EXPECT_EQ(all[1].data(), 4u);
  EXPECT_EQ(all[1].flags(), 2u);  // shadow register overrun
}

TEST(MkOverrun, Table3BShadowEmpty) {
  for (const uint32_t wait : {csr::kWriteWait, csr::kNoWriteWait}) {
    MkBench b;
    b.write(addr::kCsr, wait);
    EXPECT_EQ(b.try_write(addr::kResource, 1), MK_DONE);
    EXPECT_NE(b.csr() & csr::kShadowFull, 0u);
    EXPECT_EQ(b.csr() & (csr::kShadowOverrun | csr::kFifoOverrun), 0u);
  }
}

TEST(MkOverrun, BothFullIsOneOverrunAndBothFlagsAndAnySampleTakesThemAway) {
  MkBench b({.depth = 2});
  b.write(addr::kResource, 1);
  b.write(addr::kTrace, 2);
  b.write(addr::kResource, 3);
  EXPECT_EQ(b.read(addr::kOverrun), 1u);
  EXPECT_EQ(b.csr() & (csr::kFifoOverrun | csr::kShadowOverrun),
            csr::kFifoOverrun | csr::kShadowOverrun);
  b.at(160);
  b.write(addr::kTrace, 4);
  EXPECT_EQ(b.csr() & (csr::kFifoOverrun | csr::kShadowOverrun), 0u);
  b.at(1000);
  b.write(addr::kTrace, 5);
  b.at(2000);
  const std::vector<Sample> all = b.samples();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[2].flags(), 6u);
  EXPECT_EQ(all[3].flags(), 0u);
}

TEST(MkOverrun, CounterWrapsAt32Bits) {
  MkBench b({.depth = 1});
  b.test_once({.data = 0xff, .set = 1});
  EXPECT_EQ(b.read(addr::kOverrun), 0xffffffffu);
  b.write(addr::kTrace, 1);
  EXPECT_EQ(b.read(addr::kOverrun), 0xffffffffu);
  b.write(addr::kTrace, 1);
  EXPECT_EQ(b.read(addr::kOverrun), 0u);
  b.write(addr::kTrace, 1);
  EXPECT_EQ(b.read(addr::kOverrun), 1u);
  b.write(addr::kOverrun, 12345);  // any write resets
  EXPECT_EQ(b.read(addr::kOverrun), 0u);
}

}  // namespace
}  // namespace perfboard::mk
