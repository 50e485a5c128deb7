// SPDX-License-Identifier: GPL-2.0-or-later
//
// The card's windows: strides, sizes, halves, narrow accesses, the card's information.
#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

constexpr uint64_t kPattern = 0x0000'8765'0000'4321;  // for MUX SEL

TEST(MkWindows, FourByteStrideReachesEvenAddressesWith64Bits) {
  MkBench b;
  b.write_at(MK_WINDOW_4, 4 * addr::kMuxSel, 8, kPattern);
  EXPECT_EQ(b.read(addr::kMuxSel), kPattern);
  EXPECT_EQ(b.read_at(MK_WINDOW_4, 4 * addr::kMuxSel, 8), kPattern);
  b.at(5000);
  EXPECT_EQ(b.read_at(MK_WINDOW_4, 4 * addr::kTimestamp, 8), 1000u);
  b.write_at(MK_WINDOW_4, 4 * (addr::kTrace + 2), 8, 0xabcd'1234'5678);
  b.at(5100);
  EXPECT_EQ(b.only_sample().data(), 0xabcd'1234'5678u);
  b.log.clear();
  b.write_at(MK_WINDOW_4, 4 * addr::kEnable, 8, 1);  // odd: not aligned
  EXPECT_EQ(b.read(addr::kEnable), 0u);
  EXPECT_EQ(b.read_at(MK_WINDOW_4, 4 * addr::kCsr, 8), 0u);
  EXPECT_EQ(b.log.size(), 2u);
}

TEST(MkWindows, EverySampleAddressInEachWindow) {
  for (unsigned a = 96; a < 128; ++a) {
    MkBench b;
    const uint32_t value = 0x80000000u | a;
    b.write_at(MK_WINDOW_SAMPLE, 8 * a, 8, uint64_t{0xffff'7654} << 32 | value);
    b.at(200);
    b.write_at(MK_WINDOW_SAMPLE, 8 * a, 4, value);  // undriven bits are 0
    b.at(400);
    b.write_at(MK_WINDOW_8, 8 * a, 4, value);
    b.at(600);
    b.write_at(MK_WINDOW_4, 4 * a, 4, value);
    b.at(1000);
    const std::vector<Sample> all = b.samples();
    ASSERT_EQ(all.size(), 4u) << a;
    EXPECT_EQ(all[0].data(), uint64_t{0x7654} << 32 | value);
    for (unsigned i = 1; i < 4; ++i) EXPECT_EQ(all[i].data(), value);
    for (const Sample& s : all) EXPECT_EQ(s.type(), a < 112 ? 2u : 3u);
  }
}

// writeq as two 32-bit writes, in either order, is one sample.
TEST(MkWindows, UpperHalfWritesAreNoSample) {
  for (const bool upper_first : {false, true}) {
    MkBench b;
    b.log.clear();
    for (const bool upper : {upper_first, !upper_first})
      b.write_at(MK_WINDOW_SAMPLE, 8 * addr::kTrace + (upper ? 4 : 0), 4, upper ? 0xffff : 0x1234);
    b.at(100);
    EXPECT_EQ(b.only_sample().data(), 0x1234u);
    EXPECT_EQ(b.log.size(), 1u);
    EXPECT_TRUE(b.logged("upper half"));
  }
}

TEST(MkWindows, HalvesOfTheTimestamp) {
  MkBench b;
  b.at(5 * 0x00ab'cdef'0123);
  EXPECT_EQ(b.timestamp(), 0x00ab'cdef'0123u);
  EXPECT_EQ(b.read_at(MK_WINDOW_4, 8, 4), 0xcdef0123u);
  EXPECT_EQ(b.read_at(MK_WINDOW_4, 12, 4), 0xabu);
  EXPECT_EQ(b.read_at(MK_WINDOW_8, 16, 4), 0xcdef0123u);
  EXPECT_EQ(b.read_at(MK_WINDOW_8, 20, 4), 0xabu);
}

TEST(MkWindows, HalvesOfTestExecuteWithTheUpper) {
  MkBench b;
  b.test_mode(true);
  b.write_at(MK_WINDOW_4, 4 * 14, 4, 0x1234);
  EXPECT_EQ(b.counter(0), 0u);
  b.write_at(MK_WINDOW_4, 4 * 15, 4, 3);  // set resource counters
  EXPECT_EQ(b.counter(0), 0x1234u);
  EXPECT_EQ(b.read(addr::kTest), 0x3'0000'1234u);
  b.write_at(MK_WINDOW_4, 4 * 14, 4, 0x99);  // the instruction does not execute again
  EXPECT_EQ(b.counter(0), 0x1234u);
  b.write_at(MK_WINDOW_8, 8 * 14 + 4, 4, 3);
  EXPECT_EQ(b.counter(0), 0x99u);
}

// --- counters in two halves of 32 bits: the lower, then the upper ---------------------

constexpr uint32_t low_of(unsigned counter) { return 8 * (addr::kCounter + counter); }
uint64_t lower(MkBench& b, unsigned counter, int line = 0) {
  return b.read_at(MK_WINDOW_8, low_of(counter), 4, line);
}
uint64_t upper(MkBench& b, unsigned counter, int line = 0) {
  return b.read_at(MK_WINDOW_8, low_of(counter) + 4, 4, line);
}
constexpr uint32_t kErrorHalf = 0x80000000u;  // bit 63 in the upper half

TEST(MkHalves, TheUpperHalfTellsWhetherTheLowerWasRight) {
  MkBench b;
  EXPECT_EQ(lower(b, 1), 0u);
  EXPECT_EQ(upper(b, 1), 0u);
  b.resource(1);
  EXPECT_EQ(lower(b, 1), 0u);
  EXPECT_EQ(upper(b, 1), kErrorHalf);
  EXPECT_EQ(b.read_at(MK_WINDOW_4, 4 * 34, 8), kWrongData);
  EXPECT_EQ(b.read_at(MK_WINDOW_4, 4 * 33, 4), 0u);  // 32 bits: no bit 63
}

TEST(MkHalves, TheUpperHalfAnswersOnceAndForItsCounterAlone) {
  MkBench b;
  EXPECT_EQ(upper(b, 5), kErrorHalf);  // without the lower
  lower(b, 5);
  EXPECT_EQ(upper(b, 6), kErrorHalf);
  lower(b, 5);
  EXPECT_EQ(upper(b, 5), 0u);
  EXPECT_EQ(upper(b, 5), kErrorHalf);
  lower(b, 5);
  b.reset();
  EXPECT_EQ(upper(b, 5), kErrorHalf);
}

// An interrupt handler that reads a counter in two halves, at any point, makes the interrupted program read
// again.
TEST(MkHalves, AHandlerThatReadsACounterBetweenThem) {
  for (const unsigned handlers : {4u, 5u}) {
    MkBench b;
    b.resource(1);
    lower(b, 4);  // wrong
    b.at(200);
    lower(b, handlers);
    EXPECT_EQ(upper(b, handlers), 0u);
    EXPECT_EQ(upper(b, 4), kErrorHalf);
  }
}

TEST(MkHalves, EachProcessorHasItsOwn) {
  MkBench b;
  for (int line = -1; line < 8; ++line) lower(b, 3, line);
  b.resource(1);
  lower(b, 3, 2);
  for (int line = -1; line < 8; ++line) EXPECT_EQ(upper(b, 3, line), line == 2 ? kErrorHalf : 0u) << line;
}

// Lanes are reads of their own, of other moments.
TEST(MkHalves, NarrowReadsOfTheLowerHalfAreNoLowerHalf) {
  MkBench b;
  lower(b, 0);
  b.read_at(MK_WINDOW_8, low_of(0), 2);
  EXPECT_EQ(b.read_at(MK_WINDOW_8, low_of(0) + 7, 1), 0x80u);
  lower(b, 0);
  EXPECT_EQ(b.read_at(MK_WINDOW_8, low_of(0) + 7, 1), 0u);
}

TEST(MkHalves, WithTheReadWaitALowerHalfIsAlwaysRight) {
  MkBench b;
  b.command(csr::kReadWait);
  b.count_cycles(1);
  b.resource(1);
  const MkAccess low = {MK_WINDOW_8, low_of(0), 4, 0, true};
  uint64_t v = 0;
  EXPECT_EQ(mk_read(&b.chip, &low, &v), MK_WAIT);
  b.now = b.release;
  EXPECT_EQ(mk_read(&b.chip, &low, &v), MK_DONE);
  EXPECT_EQ(v, 160u);
  EXPECT_EQ(upper(b, 0), 0u);
}

// The Timestamp in halves: the upper before and after the lower, until both are the same. From 25 node clocks
// before a carry on.
TEST(MkHalves, TheTimestampReadThreeTimes) {
  for (uint64_t step = 0; step < 500; step += 20) {
    MkBench b;
    const uint64_t carry = uint64_t{1} << 32;
    b.at(5 * carry - 25);
    const auto later = [&] { b.now += step; };
    uint64_t high, low, again = b.read_at(MK_WINDOW_8, 20, 4), from;
    do {
      high = again;
      later();
      from = b.timestamp();
      low = b.read_at(MK_WINDOW_8, 16, 4);
      later();
      again = b.read_at(MK_WINDOW_8, 20, 4);
    } while (high != again);
    EXPECT_EQ(high << 32 | low, from) << step;
  }
}

TEST(MkWindows, NarrowAndUnalignedWritesAreIgnoredAndLogged) {
  for (const enum mk_window w : {MK_WINDOW_4, MK_WINDOW_8, MK_WINDOW_SAMPLE})
    for (uint32_t offset = 0; offset < MK_CARD_BASE; ++offset)
      for (const uint32_t size : {1u, 2u, 4u, 8u}) {
        if (size >= 4 && offset % size == 0) continue;
        static MkBench b;
        const MkState before = b.state();
        b.log.clear();
        b.write_at(w, offset, size, ~uint64_t{0});
        ASSERT_EQ(b.log.size(), 1u) << w << ' ' << offset << ' ' << size;
        ASSERT_TRUE(before == b.state());
      }
}

TEST(MkWindows, TheCardsInformation) {
  MkBench b({.node_hz = 40'000'000, .timestamp_hz = 5'000'000, .depth = 17});
  b.chip.config.lines = 3;
  b.chip.config.line_cpu[2] = 9;
  b.log.clear();
  const auto word = [&](uint32_t offset) { return b.read_at(MK_WINDOW_8, 0x800 + offset, 4); };
  const uint32_t magic = uint32_t{'M'} | 'K' << 8 | 'R' << 16 | uint32_t{'N'} << 24;
  const uint32_t words[] = {magic, 1, 40'000'000, 5'000'000, 17, 3},
                 cpus[] = {0, 1, 9, ~0u, ~0u, ~0u, ~0u, ~0u};
  for (uint32_t k = 0; k < 6; ++k) EXPECT_EQ(word(4 * k), words[k]);
  for (uint32_t k = 0; k < 8; ++k) EXPECT_EQ(word(0x20 + 4 * k), cpus[k]);
  EXPECT_EQ(b.read_at(MK_WINDOW_8, 0x808, 8), uint64_t{5'000'000} << 32 | 40'000'000);
  EXPECT_EQ(b.read_at(MK_WINDOW_8, 0x802, 1), 'R');
  EXPECT_TRUE(b.log.empty());
  EXPECT_EQ(word(0x18), 0u);
  EXPECT_EQ(word(0x7fc), 0u);
  EXPECT_EQ(b.log.size(), 2u);
  const MkState before = b.state();
  b.write_at(MK_WINDOW_8, 0x800, 4, 0);
  EXPECT_EQ(b.log.size(), 3u);
  EXPECT_TRUE(before == b.state());
}

}  // namespace
}  // namespace perfboard::mk
