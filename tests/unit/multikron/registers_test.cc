// SPDX-License-Identifier: GPL-2.0-or-later
//
// Registers: every address (Table A-1), every bit of each, the CSR's pairs (Table 2), both resets.
#include "hw/multikron/registers.h"

#include <algorithm>

#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

constexpr uint64_t kAllOnes = ~uint64_t{0};

// Every address: what stays of a write of all ones, and whether reading or writing it is a mistake.
struct Row {
  unsigned first, last;
  bool readable, writable;
  uint64_t after_ones;
};
constexpr Row kRows[] = {
    {0, 0, false, true, 0},           {1, 1, true, true, 0},  // sets and clears at once: cleared
    {2, 2, true, false, 0},           {3, 3, false, false, 0},
    {4, 4, true, true, 0xffff},       {5, 6, true, true, 0},
    {7, 7, false, false, 0},          {8, 8, true, true, 0x0000'ffff'0000'ffff},
    {9, 9, false, false, 0},          {10, 10, false, true, 0},
    {11, 11, true, true, 0xffff},     {12, 12, false, true, 0},
    {13, 15, false, false, 0},  // not in test mode
    {16, 23, true, true, 0xffffffff}, {24, 31, false, false, 0},
    {32, 47, true, true, 0},          {48, 95, false, false, 0},
    {96, 127, false, true, 0},
};

TEST(MkRegisters, TableA1EveryAddress) {
  unsigned next = 0;
  for (const Row& row : kRows) {
    ASSERT_EQ(row.first, next);
    next = row.last + 1;
    for (unsigned a = row.first; a <= row.last; ++a) {
      MkBench b;
      if (a >= 32 && a < 48) b.write(addr::kMuxSel, uint64_t{0xffff} << 32);
      b.log.clear();
      b.write(a, a == 1 ? 0xc03f : kAllOnes);
      EXPECT_EQ(b.log.empty(), row.writable && a != 1) << "write of " << a << ": " << b.log.size();
      b.log.clear();
      EXPECT_EQ(b.read(a), row.after_ones) << a;
      EXPECT_EQ(b.log.empty(), row.readable) << "read of " << a;
      EXPECT_LE(b.log.size(), 1u);
    }
  }
  EXPECT_EQ(next, 128u);
}

TEST(MkRegisters, EveryBitOfTheCsrHasAField) {
  uint32_t bits = 0;
  for (const Field& f : at(kRegisters, "CSR").fields) bits |= f.mask();
  EXPECT_EQ(bits, 0xffffffffu);
}

// Of the others every board is asked (unit-board-multikron).
TEST(MkRegisters, EachStoredBitAloneWhereAWriteActs) {
  for (unsigned n = 0; n < 64; ++n)
    for (const auto& [address, mask] :
         {std::pair{addr::kEnable, uint64_t{0xffff}},
          std::pair{addr::kTest, uint64_t{0x0000'ffff'ffff'ffff}}}) {  // all 48, those without a function too
      MkBench b;
      b.test_mode(true);
      b.write(address, uint64_t{1} << n);
      EXPECT_EQ(b.read(address), uint64_t{1} << n & mask) << address;
    }
}

// --- CSR (Table 2) -----------------------------------------------------------

// Of the bit that sets; the next one clears.
class MkCsrPair : public testing::TestWithParam<unsigned> {};
TEST_P(MkCsrPair, SetsClearsAndLeavesAlone) {
  const uint32_t set = 1u << GetParam(), clear = set << 1;
  MkBench b;
  b.reset();
  EXPECT_EQ(b.csr(), 0u);  // defaults on reset
  b.command(set);
  EXPECT_EQ(b.csr(), set);
  b.command(0);
  EXPECT_EQ(b.csr(), set);
  b.command(~(0xc03fu) & 0xffffffff);  // every other bit: ignored
  EXPECT_EQ(b.csr(), set);
  b.log.clear();
  b.command(clear);
  EXPECT_EQ(b.csr(), 0u);
  EXPECT_TRUE(b.log.empty());
  b.command(set);
  b.command(set | clear);
  EXPECT_EQ(b.csr(), 0u);
  EXPECT_TRUE(b.logged("CSR"));
}
INSTANTIATE_TEST_SUITE_P(Table2, MkCsrPair, testing::Values(0u, 2u, 4u, 14u));

TEST(MkCsr, PairsAreIndependent) {
  MkBench b;
  b.reset();
  b.command(csr::kSample | csr::kWriteWait | csr::kReadWait | csr::kSlow10);
  EXPECT_EQ(b.csr(), csr::kSample | csr::kWriteWait | csr::kReadWait | csr::kSlow10);
  b.command(csr::kNoWriteWait);
  EXPECT_EQ(b.csr(), csr::kSample | csr::kReadWait | csr::kSlow10);
  b.command(csr::kNoSample | csr::kWriteWait | csr::kNoReadWait | csr::kSlow1);
  EXPECT_EQ(b.csr(), csr::kWriteWait);
}

TEST(MkCsr, WaitStatesAreThePins) {
  for (uint32_t pins = 0; pins < 4; ++pins) {
    MkBench b({.wait_states = pins});
    EXPECT_EQ(b.csr() >> 12 & 3, pins);
    b.command(0x3000);
    b.reset();
    EXPECT_EQ(b.csr(), uint64_t{pins} << 12);
  }
}

TEST(MkCsr, StatusBits6To10ComeAndGo) {
  MkBench b({.depth = 2});
  EXPECT_EQ(b.csr(), csr::kSample);
  b.trace(1);
  EXPECT_EQ(b.csr(), csr::kSample);
  b.resource(2);  // behind it: the 129th bit is the last level's
  EXPECT_EQ(b.csr(), csr::kSample | csr::kFull | csr::kShadowFull);
  b.resource(3);
  EXPECT_EQ(b.csr(), csr::kSample | csr::kFull | csr::kShadowFull | csr::kFifoOverrun | csr::kShadowOverrun);
  b.at(32);
  EXPECT_EQ(b.csr(),
            csr::kSample | csr::kShadowFull | csr::kFifoOverrun | csr::kShadowOverrun | csr::kBit128);
  b.at(191);
  EXPECT_NE(b.csr() & csr::kBit128, 0u);
  b.at(192);
  EXPECT_EQ(b.csr(), csr::kSample | csr::kFifoOverrun | csr::kShadowOverrun);
}

// --- Timestamp ------------------------------------------------------------------

TEST(MkTimestamp, CountsItsOwnClock) {
  MkBench b;
  EXPECT_EQ(b.timestamp(), 0u);
  b.now = kBenchStart + 99;
  EXPECT_EQ(b.timestamp(), 0u);
  b.now = kBenchStart + 100;
  EXPECT_EQ(b.timestamp(), 1u);
  b.now = kBenchStart + 123'456'789'012;
  EXPECT_EQ(b.timestamp(), 1'234'567'890u);
}

TEST(MkTimestamp, ClocksOfAnyFrequency) {
  MkBench b({.node_hz = 33'333'333, .timestamp_hz = 7'654'321});
  for (const uint64_t ns : {uint64_t{1}, uint64_t{130}, uint64_t{131}, uint64_t{999'999'999},
                            uint64_t{1'000'000'000}, uint64_t{3'600'000'000'000'000}}) {
    b.now = kBenchStart + ns;
    EXPECT_EQ(b.timestamp(),
              static_cast<uint64_t>(static_cast<unsigned __int128>(ns) * 7'654'321 / 1'000'000'000));
  }
}

// --- resets -----------------------------------------------------------------------

// Everything on, something everywhere.
void stir(MkBench& b) {
  b.at(5000);
  b.command(csr::kSample | csr::kWriteWait | csr::kReadWait | csr::kSlow10);
  b.write(addr::kFilter, 0xffff);
  b.count(0x0000'ffff'0000'ffff);
  for (unsigned i = 0; i < 8; ++i) b.write(addr::kSource + i, 1 + i);
  b.at(5010);
  for (int i = 0; i < 10; ++i) b.resource(1);
  for (int i = 0; i < 10; ++i) b.trace(1);
  EXPECT_EQ(b.try_write(addr::kTrace, 1), MK_WAIT);
  b.at(5020);
  EXPECT_EQ(b.waits(), 10u);
}
void expect_reset(MkBench& b) {
  for (unsigned a = 0; a < 96; ++a)
    if (a != addr::kTimestamp) {
      EXPECT_EQ(b.read(a), 0u) << a;
    }
  EXPECT_EQ(b.watched, 0u);
  b.pass(10000);
  EXPECT_EQ(b.counter(0), 0u);
  b.trace(1);  // sampling is disabled
  b.pass(10000);
}

TEST(MkReset, SoftwareResetLeavesTheTimestampAndCutsTheSampleOff) {
  for (const uint64_t data : {uint64_t{0}, kAllOnes}) {  // data is ignored
    MkBench b;
    stir(b);
    b.write(addr::kReset, data);
    EXPECT_EQ(b.timestamp(), 5020u / 5);
    expect_reset(b);
    ASSERT_EQ(b.words().size(), 6u);  // five elements, at 5012 .. 5020
    EXPECT_EQ(b.out[5], MK_STREAM_EVENT | MK_EVENT_SOFTWARE_RESET);
  }
}

TEST(MkReset, HardwareResetTakesTheTimestampToo) {
  MkBench b;
  stir(b);
  mk_hardware_reset(&b.chip);
  EXPECT_EQ(b.timestamp(), 0u);
  EXPECT_EQ(b.cycle(), 0u);
  expect_reset(b);
  ASSERT_EQ(b.words().size(), 6u);
  EXPECT_EQ(b.out[5], MK_STREAM_EVENT | MK_EVENT_HARDWARE_RESET);
}

// --- what a card may be configured to; other ranges: unit-board-multikron ---------------------

constexpr MkConfig kGood = {
    .node_hz = 50'000'000, .timestamp_hz = 10'000'000, .fifo_depth = 8, .free_bytes = 1, .lines = 1};

TEST(MkConfigOk, ExternalFifo) {
  MkConfig c = kGood;
  c.free_bytes = 0;
  EXPECT_EQ(complaint_about<mk_config_ok>(c), "") << "nobody asks for its size";
  c.free = MK_FREE_FIFO;
  EXPECT_EQ(complaint_about<mk_config_ok>(c), "free-size=0: legal are 1 byte and more");
  c.free_bytes = 1;
  EXPECT_EQ(complaint_about<mk_config_ok>(c), "");
}

TEST(MkConfigOk, AShortBufferIsNotOverrun) {
  char why[8] = "";
  MkConfig c = kGood;
  c.fifo_depth = 0;
  EXPECT_FALSE(mk_config_ok(&c, why, sizeof why));
  EXPECT_EQ(std::strlen(why), 7u);
}

}  // namespace
}  // namespace perfboard::mk
