// SPDX-License-Identifier: GPL-2.0-or-later
//
// Test mode: every row of Table C-1 and the prose of appendix C.
#include <algorithm>
#include <utility>

#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

constexpr uint64_t k56 = (uint64_t{1} << 56) - 1;
enum Counters : uint32_t { kNone, kErrors, kTime, kResources };  // Table C-1, bits 1-0 and 3-2

class MkTest : public testing::Test {
 protected:
  MkTest() { b.test_mode(true); }
  uint64_t errors() {
    EXPECT_EQ(b.waits(), b.overruns());
    return b.waits();
  }
  uint32_t group(uint32_t g) {
    b.test({.group = g, .off = true});
    return static_cast<uint32_t>(b.read(addr::kFifo));
  }
  // With the network's output off.
  void shift() { b.test({.off = true, .shift = true}); }
  void load(uint32_t data) { b.test({.data = data, .off = true, .load = true}); }
  // Samples in the FIFO, by their lowest 32 bits; they are shifted out.
  void expect_levels(const std::vector<uint32_t>& all) {
    for (const uint32_t data : all) {
      EXPECT_EQ(group(0), data);
      shift();
    }
    EXPECT_EQ(group(0), 0u);
  }
  MkBench b;
};

TEST(MkTestPin, WithoutItTheRegisterAndTheFifoOutputDoNotExist) {
  MkBench b;
  b.log.clear();
  b.write(addr::kTest, TestWord{.data = 5, .set = kResources}.value());
  EXPECT_EQ(b.read(addr::kTest), 0u);
  EXPECT_EQ(b.read(addr::kFifo), 0u);
  EXPECT_EQ(b.log.size(), 3u);
  b.test_mode(true);
  EXPECT_EQ(b.read(addr::kTest), 0u);
  EXPECT_EQ(b.counter(0), 0u);
}

// 48 bits; Table C-1 has no function for the upper seven.
TEST_F(MkTest, BitsWithoutAFunctionAreStoredAndDoNothing) {
  b.write(addr::kTest, 0x0000'fe00'0000'0055);
  EXPECT_EQ(b.read(addr::kTest), 0x0000'fe00'0000'0055u);
  EXPECT_EQ(errors(), 0u);
  EXPECT_EQ(b.timestamp(), 0u);
  EXPECT_EQ(b.counter(0), 0u);
  EXPECT_EQ(b.log.size(), 1u);
  EXPECT_TRUE(b.logged("TEST"));
}

// --- Set Counter (bits 1-0) -----------------------------------------------------

class MkTestSet : public testing::TestWithParam<unsigned> {};
TEST_P(MkTestSet, EachDataBitSetsItsFourBits) {
  const unsigned bit = GetParam();
  const uint32_t data = 1u << bit;
  MkBench b;
  b.test_mode(true);
  b.test({.data = data, .set = kErrors});
  const uint64_t errors = bit < 8 ? uint64_t{0xf} << 4 * bit : 0,
                 ticks = bit < 14 ? uint64_t{0xf} << 4 * bit : 0;
  EXPECT_EQ(b.waits(), errors);
  EXPECT_EQ(b.overruns(), errors);
  EXPECT_EQ(b.timestamp(), 0u);
  EXPECT_EQ(b.counter(0), 0u);
  b.test({.data = data, .set = kTime});
  EXPECT_EQ(b.timestamp(), ticks);
  EXPECT_EQ(b.counter(0), 0u);
  b.test({.data = data, .set = kResources});
  b.expect_counters(data);
  b.test({.data = ~data});  // 00: no operation
  EXPECT_EQ(b.waits(), errors);
  EXPECT_EQ(b.counter(0), data);
  b.test({.data = ~data, .set = kTime});
  EXPECT_EQ(b.timestamp(), k56 & ~ticks);
}
INSTANTIATE_TEST_SUITE_P(Bits, MkTestSet, testing::Range(0u, 32u));

// --- Increment Counter (bits 3-2), and that nothing else increments -----------------

TEST_F(MkTest, IncrementReachesItsGroupAlone) {
  for (int n = 1; n <= 3; ++n) b.test({.data = 0xffffffff, .inc = kErrors});
  for (int n = 1; n <= 5; ++n) b.test({.data = 0xffffffff, .inc = kTime});
  for (int n = 1; n <= 7; ++n) b.test({.data = 0xffffffff, .inc = kResources});
  b.test({.data = 0xffffffff, .inc = kNone});
  EXPECT_EQ(errors(), 3u);
  EXPECT_EQ(b.timestamp(), 5u);
  b.expect_counters(7);
}

TEST_F(MkTest, IncrementCarriesThroughEveryBitAndWrapsOrSticks) {
  for (unsigned bit = 1; bit < 14; ++bit) {
    b.test({.data = (1u << bit) - 1, .set = kTime});
    b.test({.inc = kTime});
    EXPECT_EQ(b.timestamp(), uint64_t{1} << 4 * bit);
  }
  b.test({.data = 0x3fff, .set = kTime});
  EXPECT_EQ(b.timestamp(), k56);
  b.test({.inc = kTime});
  EXPECT_EQ(b.timestamp(), 0u);
  b.test({.data = 0xff, .set = kErrors});
  EXPECT_EQ(errors(), 0xffffffffu);
  b.test({.inc = kErrors});
  EXPECT_EQ(errors(), 0u);
  b.test({.data = 0xfffffffe, .set = kResources});
  for (int i = 0; i < 3; ++i) b.test({.inc = kResources});
  b.expect_counters(0xffffffff);
}

TEST_F(MkTest, TheNormalIncrementingOfAllCountersIsDisabled) {
  b.write(addr::kMuxSel, 0x0000'fff0'0000'ff0f);  // slow, node, software, external
  b.write(addr::kEnable, 0xffff);
  b.command(csr::kWriteWait);
  b.test({.off = true});
  b.fill();
  b.fill();  // overruns: cannot wait
  EXPECT_EQ(b.try_write(addr::kTrace, 1), MK_WAIT);
  b.at(100'000);
  for (unsigned i = 0; i < 16; ++i) {
    b.write(addr::kCounter + i, 1);
    mk_external_edges(&b.chip, i, 1);
  }
  EXPECT_EQ(b.timestamp(), 0u);
  EXPECT_EQ(errors(), 0u);
  b.expect_counters(0);
  EXPECT_NE(b.csr() & csr::kFifoOverrun, 0u);
}

TEST_F(MkTest, CountingGoesOnWhereItStoodWhenThePinFalls) {
  b.count(0x0000'ffff'0000'ffff);
  b.test({.data = 0x3, .set = kTime});
  b.test({.data = 1000, .set = kResources});
  b.at(5000);
  b.test_mode(false);
  EXPECT_EQ(b.timestamp(), 0xffu);
  EXPECT_EQ(b.counter(0), 1000u);
  b.at(5005);
  EXPECT_EQ(b.timestamp(), 0x100u);
  EXPECT_EQ(b.counter(0), 1005u);
}

TEST_F(MkTest, SetAndIncrementOfDifferentCountersAtOnce) {
  b.test({.data = 0x11, .set = kErrors, .inc = kResources});
  EXPECT_EQ(errors(), 0xf000fu);
  EXPECT_EQ(b.counter(0), 1u);
  EXPECT_TRUE(b.log.empty());
}

TEST_F(MkTest, ConflictingInstructionsSetAndAreLogged) {
  for (const uint32_t which : {kErrors, kTime, kResources}) {
    b.log.clear();
    b.test({.data = 0, .set = which, .inc = which});
    EXPECT_EQ(b.log.size(), 1u);
  }
  EXPECT_EQ(errors(), 0u);
  EXPECT_EQ(b.timestamp(), 0u);
  EXPECT_EQ(b.counter(0), 0u);
}

// --- FIFO (bits 4-8) ------------------------------------------------------------------

TEST_F(MkTest, GroupsOfASampleInTheFifosLastLevel) {
  b.write(addr::kSource + 6, 0x13579bdf);
  b.test({.off = true});
  b.test({.data = 0x3ffe, .set = kTime, .off = true});
  b.trace(0xa123'4567'89ab, 6);
  EXPECT_EQ(group(0), 0x456789abu);                                  // bits 0-31
  EXPECT_EQ(group(1), 0x9bdfa123u);                                  // 32-63
  EXPECT_EQ(group(2), 0xfff01357u);                                  // 64-95
  EXPECT_EQ(group(3), uint32_t{6 << 5 | 2 << 3} << 24 | 0xffffffu);  // 96-127
  EXPECT_EQ(b.csr() & csr::kBit128, 0u);
  b.at(10000);
  EXPECT_TRUE(b.words().empty());
}

TEST_F(MkTest, TheGroupStaysUntilChanged) {
  b.test({.data = 5, .group = 2, .off = true, .load = true});
  EXPECT_EQ(b.read(addr::kFifo), 5u);
  EXPECT_EQ(b.read(addr::kFifo), 5u);
}

TEST_F(MkTest, AnEmptyFifoReadsZero) {
  for (uint32_t g = 0; g < 4; ++g) EXPECT_EQ(group(g), 0u);
}

TEST_F(MkTest, LoadReplicatesTheDataAndItsLowestBitIsBit128) {
  for (const uint32_t data : {0xdeadbeefu, 0x12345678u}) {
    load(data);
    for (uint32_t g = 0; g < 4; ++g) EXPECT_EQ(group(g), data);
    EXPECT_EQ((b.csr() & csr::kBit128) != 0, data & 1);
    shift();
    EXPECT_EQ(group(0), 0u);
  }
}

TEST_F(MkTest, LoadSelectsTheDataOfTheNextSamplesToo) {
  load(0x1000);
  b.trace(0x77, 3);
  b.trace(0x78, 3);
  b.test({.data = 0x2000, .off = true});  // 0: normal, nothing is loaded
  b.trace(0x79, 3);
  expect_levels({0x1000, 0x1000, 0x1000, 0x79});
}

TEST_F(MkTest, SelectionsActOnlyWithThePin) {
  load(0x1000);
  shift();
  b.write(addr::kTest, TestWord{.data = 0x1000, .off = true, .load = true}.value());
  b.test_mode(false);  // the output is enabled, samples have their own data
  b.trace(0x42);
  b.at(1000);
  const std::vector<Sample> all = b.samples(2);
  EXPECT_EQ(all[0].data(), 0x0000'0000'1000u | uint64_t{0x1000} << 32);
  EXPECT_EQ(all[1].data(), 0x42u);
}

TEST_F(MkTest, ASampleWithTestDataIsASampleForFlagsAndShadowRegisters) {
  b.trace(1);
  b.fill();
  EXPECT_NE(b.csr() & csr::kFifoOverrun, 0u);
  b.at(5000);
  load(0x30);
  b.resource(1);
  EXPECT_EQ(b.csr() & (csr::kFifoOverrun | csr::kShadowFull | csr::kBit128), csr::kShadowFull);
}

TEST_F(MkTest, LoadIntoAFullFifoIsDiscardedAndLogged) {
  const std::vector<uint32_t> all = {0x10, 0x12, 0x14, 0x16, 0x18, 0x1a, 0x1c, 0x1e};
  for (const uint32_t data : all) load(data);
  EXPECT_NE(b.csr() & csr::kFull, 0u);
  EXPECT_TRUE(b.log.empty());
  load(0x99);
  EXPECT_EQ(b.log.size(), 1u);
  expect_levels(all);
}

TEST_F(MkTest, ShiftoutComesBeforeTheLoadOfTheSameInstruction) {
  for (uint32_t i = 0; i < 8; ++i) load(2 * i);
  b.test({.data = 0x100, .off = true, .load = true, .shift = true});
  EXPECT_TRUE(b.log.empty());
  expect_levels({2, 4, 6, 8, 10, 12, 14, 0x100});
}

TEST_F(MkTest, ShiftoutFreesTheShadowRegisters) {
  b.test({.off = true});
  b.resource(1);
  b.trace(2);
  EXPECT_NE(b.csr() & csr::kShadowFull, 0u);
  EXPECT_NE(b.csr() & csr::kBit128, 0u);
  shift();
  EXPECT_EQ(b.csr() & (csr::kShadowFull | csr::kBit128), 0u);
  expect_levels({2});  // each write is one pulse
  shift();             // of an empty FIFO
  EXPECT_EQ(group(0), 0u);
  b.trace(3);
  EXPECT_EQ(group(0), 3u);
}

TEST_F(MkTest, ShiftoutSetsADelayedAccessFree) {
  b.test({.off = true});
  b.command(csr::kWriteWait);
  b.fill();
  EXPECT_EQ(b.try_write(addr::kTrace, 2), MK_WAIT);
  EXPECT_EQ(b.release, PB_NEVER);
  EXPECT_EQ(b.log.size(),
            2u);  // the setting, and the delay: nobody but a reset, the pin or a monitor can help
  b.at(77);
  shift();
  EXPECT_LE(b.release, b.now);
  EXPECT_EQ(b.try_write(addr::kTrace, 2), MK_DONE);
}

// --- what holds processors for ever ---------------------------------------------------------

TEST_F(MkTest, TheSettingThatCanHoldForEverIsLoggedWhenItIsMade) {
  for (const uint32_t wait : {csr::kWriteWait, csr::kReadWait}) {
    MkBench c;
    c.test_mode(true);
    const auto lines = [&c] { return std::exchange(c.log, {}).size(); };
    c.test({.off = true});
    EXPECT_EQ(lines(), 0u);
    c.command(wait);
    EXPECT_TRUE(c.logged("TEST.NETOFF"));
    EXPECT_TRUE(c.logged("CSR.WWAIT"));
    EXPECT_EQ(lines(), 1u);
    c.test({.off = true});  // once
    c.command(wait);
    EXPECT_EQ(lines(), 0u);
    c.test({});
    EXPECT_EQ(lines(), 0u);
    c.test({.off = true});
    EXPECT_EQ(lines(), 1u);
    c.command(wait << 1);
    EXPECT_EQ(lines(), 0u);
    c.command(wait);
    EXPECT_EQ(lines(), 1u);
    c.test_mode(false);
    EXPECT_EQ(lines(), 0u);
    c.test_mode(true);  // the selection is still there
    EXPECT_EQ(lines(), 1u);
    c.reset();
    c.command(wait);
    EXPECT_EQ(lines(), 0u);
  }
}

TEST_F(MkTest, TheSettingThatHoldsForEverIsEndedByAResetOrThePin) {
  for (const int how : {0, 1}) {
    MkBench c;
    c.test_mode(true);
    c.command(csr::kWriteWait);
    c.test({.off = true});
    for (int i = 0; i < 8; ++i) EXPECT_EQ(c.try_write(addr::kTrace, 1), MK_DONE);
    c.log.clear();
    EXPECT_EQ(c.try_write(addr::kTrace, 2, 0), MK_WAIT);
    EXPECT_EQ(c.release, PB_NEVER);
    EXPECT_TRUE(c.logged("TEST.NETOFF"));
    uint64_t v = 0;
    EXPECT_EQ(c.try_read(addr::kCsr, &v, 1), MK_WAIT) << "the bus is taken";
    c.at(1'000'000);
    if (how == 0)
      mk_hardware_reset(&c.chip);
    else
      c.test_mode(false);
    EXPECT_NE(c.release, PB_NEVER);
    c.now = std::max(c.now, c.release);
    EXPECT_EQ(c.try_write(addr::kTrace, 2, 0), MK_DONE);
    EXPECT_EQ(c.try_read(addr::kCsr, &v, 1), MK_DONE);
  }
}

// A resource sample fills the shadow registers. If the test data of its place in the FIFO lack bit 128, no
// sample there frees them.
TEST_F(MkTest, ShadowRegistersThatNothingFreesAreLogged) {
  b.test({.data = 0x30, .load = true});
  EXPECT_TRUE(b.log.empty());
  b.write(addr::kResource + 3, 1);
  EXPECT_TRUE(b.logged("RSRC3"));
  EXPECT_TRUE(b.logged("TEST.LOAD"));
  b.test_mode(false);
  b.at(5000);
  EXPECT_NE(b.csr() & csr::kShadowFull, 0u);
  b.command(csr::kReadWait);
  b.log.clear();
  uint64_t v = 0;
  EXPECT_EQ(b.try_read(addr::kCounter, &v), MK_WAIT);
  EXPECT_EQ(b.release, PB_NEVER);
  EXPECT_TRUE(b.logged("shadow registers"));
  mk_hardware_reset(&b.chip);
  b.read_at_once(addr::kCounter);
}

// --- Disable Network Output (bit 6) -------------------------------------------------------

TEST_F(MkTest, NetworkOutputStopsAndGoesOnWithinASample) {
  b.trace(0x55);
  b.at(7);
  b.test({.off = true});
  b.at(1001);
  EXPECT_EQ(b.words().size(), 3u);
  b.test({});
  b.at(1002);
  EXPECT_EQ(b.words().size(), 4u);
  b.at(1100);
  EXPECT_EQ(b.only_sample().data(), 0x55u);
}

TEST_F(MkTest, WithTheOutputOnASampleCanBeReadUntilItHasLeft) {
  b.test({.group = 0});
  b.trace(0x55);
  b.at(31);
  EXPECT_EQ(b.read(addr::kFifo), 0x55u);
  b.at(32);
  EXPECT_EQ(b.read(addr::kFifo), 0u);
}

TEST_F(MkTest, DisabledStaysSoUntilChangedOrThePinFalls) {
  b.test({.off = true});
  b.trace(1);
  b.at(1000);
  EXPECT_TRUE(b.words().empty());
  b.test_mode(false);
  b.at(1001);
  EXPECT_TRUE(b.words().empty());
  b.at(1002);
  EXPECT_EQ(b.words().size(), 1u);
}

TEST_F(MkTest, ShiftoutWithinASampleCutsItOff) {
  b.trace(0x55);
  b.trace(0x66);
  b.at(7);
  b.test({.shift = true});
  EXPECT_EQ(b.log.size(), 1u);
  b.at(8);
  EXPECT_EQ(b.words().size(), 4u);
  b.at(100);
  ASSERT_EQ(b.words().size(), 3u + 16);
  EXPECT_EQ(b.out[18] & 0x2ff, 0x200 | 0x66);
}

TEST_F(MkTest, ATestSampleWithBit128TakesTheShadowRegistersWithIt) {
  b.test({.data = 0xabcd0123, .set = kResources, .off = true});
  b.counter(0);  // copies them
  load(0x1b);
  b.test({});
  b.at(1000);
  ASSERT_EQ(b.words().size(), 80u);
  EXPECT_EQ(b.out[16] & 0xff, 0xab);
  EXPECT_EQ(b.out[79], mk_stream_element(0x23, 1));
}

TEST_F(MkTest, ResetTakesTheSelectionsAwayButNotThePin) {
  b.test({.data = 7, .group = 3, .off = true, .load = true});
  b.reset();
  EXPECT_EQ(b.read(addr::kTest), 0u);
  b.test({.data = 9, .set = kResources});
  EXPECT_EQ(b.counter(0), 9u);
  mk_hardware_reset(&b.chip);
  b.test({.data = 9, .set = kResources});
  EXPECT_EQ(b.counter(0), 9u);
}

}  // namespace
}  // namespace perfboard::mk
