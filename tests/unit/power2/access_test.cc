// SPDX-License-Identifier: GPL-2.0-or-later
//
// The card: windows, sizes, byte orders, and when it wakes.
#include "tests/unit/power2/fixture.h"

namespace perfboard::p2 {
namespace {

constexpr uint32_t window(unsigned n, uint32_t r) { return reg::kWindow + reg::kWindowBytes * n + r; }

TEST(P2Access, EachProcessorHasAWindow) {
  Bench b({.monitors = 3});
  for (unsigned n = 0; n < 3; ++n) b.store(window(n, reg::kImr), 4, 100 + n);
  for (unsigned n = 0; n < 3; ++n) {
    EXPECT_EQ(b.get(reg::kImr, n), 100 + n);
    EXPECT_EQ(b.load(window(n, reg::kImr), 4), 100 + n);
  }
}

TEST(P2Access, TheOwnWindowIsTheProcessorsThatMakesTheAccess) {
  Bench b({.monitors = 3});
  for (int n = 0; n < 3; ++n) b.store(reg::kImr, 4, 100 + n, false, n);
  for (int n = 0; n < 3; ++n) {
    EXPECT_EQ(b.get(reg::kImr, n), 100u + n);
    EXPECT_EQ(b.load(reg::kImr, 4, false, n), 100u + n);
  }
  EXPECT_TRUE(b.log.empty());
  EXPECT_EQ(b.load(reg::kImr, 4, false, -1), UINT64_MAX);
  EXPECT_TRUE(b.logged("no processor makes it"));
  b.store(reg::kImr, 4, 7, false, 3);
  EXPECT_TRUE(b.logged("no monitor is there"));
}

TEST(P2Access, EightBytesAreTwoRegisters) {
  Bench b;
  b.set(reg::kMmcr, mmcr::kDis);
  for (uint32_t r = 4; r < 0x5c; r += 4) b.set(r, 0x01000000 + r);
  for (uint32_t r = 8; r < 0x58; r += 8) {
    const uint64_t low = 0x01000000 + r, high = 0x01000004 + r;
    EXPECT_EQ(b.load(r, 8), high << 32 | low);
    EXPECT_EQ(b.load(r, 8, true), low << 32 | high)
        << "big-endian: the register of the lower address comes first";
  }
  b.store(8, 8, 0x1122334455667788, false);
  EXPECT_EQ(b.get(8), 0x55667788u);
  EXPECT_EQ(b.get(12), 0x11223344u);
  b.store(8, 8, 0x1122334455667788, true);
  EXPECT_EQ(b.get(8), 0x11223344u);
  EXPECT_EQ(b.get(12), 0x55667788u);
}

TEST(P2Access, TwelveDoublewordsSaveAndRestoreEverything) {
  for (bool big : {false, true}) {
    Bench b;
    b.set(reg::kMmcr, mmcr::kDis | 0x4321);
    for (unsigned i = 0; i < 22; ++i) b.set(reg::counter(i), 17 * i);
    uint64_t saved[12];
    for (unsigned i = 0; i < 12; ++i) saved[i] = b.load(8 * i, 8, big);
    for (unsigned i = 0; i < 22; ++i) b.set(reg::counter(i), 0);
    b.set(reg::kMmcr, mmcr::kDis);
    for (unsigned i = 12; i-- > 0;) b.store(8 * i, 8, saved[i], big);
    EXPECT_EQ(b.get(reg::kMmcr), mmcr::kDis | 0x4321);
    for (unsigned i = 0; i < 22; ++i) EXPECT_EQ(b.count(i), 17 * i);
    EXPECT_TRUE(b.log.empty());
  }
}

TEST(P2Access, NarrowAndMisalignedOnesAreIdle) {
  Bench b;
  b.set(reg::kImr, 0x12345678);
  const struct {
    uint32_t offset, size;
  } idle[] = {{reg::kImr, 1},      {reg::kImr + 3, 1}, {reg::kImr, 2},     {reg::kImr + 1, 4},
              {reg::kImr + 2, 4},  {reg::kImr - 4, 8}, {reg::kImr + 1, 8}, {0x1ffff, 4},
              {0x1fffc, 8},        {0x20000, 4},       {0xfffffffc, 4},    {0xfffffff8, 8},
              {reg::kCard + 1, 4}, {reg::kCard, 2},    {reg::kImr, 16},    {reg::kImr, 0}};
  for (const auto& i : idle) {
    b.log.clear();
    EXPECT_EQ(b.load(i.offset, i.size), UINT64_MAX) << i.offset;
    EXPECT_EQ(b.log.size(), 1u) << i.offset << ' ' << i.size;
    b.store(i.offset, i.size, 0);
    EXPECT_EQ(b.log.size(), 2u);
    EXPECT_EQ(b.get(reg::kImr), 0x12345678u);
  }
}

TEST(P2Access, BetweenAndBehindTheWindowsNothingIsThere) {
  Bench b({.monitors = 2});
  for (uint32_t offset : {0x100u, 0x7fcu, window(2, 0), window(255, 0), 0x1fff8u}) {
    b.log.clear();
    EXPECT_EQ(b.load(offset, 4), UINT64_MAX) << offset;
    b.store(offset, 4, 1);
    EXPECT_EQ(b.log.size(), 2u) << offset;
    EXPECT_TRUE(b.logged("no monitor is there"));
  }
  EXPECT_EQ(b.load(window(1, 0xf8), 8), UINT64_MAX) << "two holes of a window";
}

TEST(P2Access, TheCardTellsWhatItIs) {
  Bench b({.power = false, .monitors = 4});
  const auto word = [&](uint32_t offset) { return b.load(reg::kCard + offset, 4); };
  EXPECT_EQ(word(0x00), 0x32575250u);
  EXPECT_EQ(word(0x04), 1u);
  EXPECT_EQ(word(0x08), 4u);
  EXPECT_EQ(word(0x0c), 66666667u);
  EXPECT_EQ(word(0x10), 2u);
  EXPECT_EQ(word(0x14), 256u << 10);
  EXPECT_EQ(word(0x18), 256u);
  EXPECT_EQ(word(0x1c), 32u << 10);
  EXPECT_EQ(word(0x20), 16u);
  EXPECT_EQ(word(0x24), 36u);
  EXPECT_EQ(word(0x28), 12u);
  EXPECT_EQ(word(0x2c), 1u) << "MARK is writable";
  EXPECT_EQ(b.load(reg::kCard, 8), uint64_t{1} << 32 | 0x32575250u);
  EXPECT_EQ(b.load(reg::kCard, 8, true), uint64_t{0x32575250u} << 32 | 1);
  EXPECT_TRUE(b.log.empty());
  EXPECT_EQ(word(0x30), 0u);
  EXPECT_TRUE(b.logged("no such word"));
  b.store(reg::kCard, 4, 0);
  EXPECT_TRUE(b.logged("read only"));
  EXPECT_EQ(word(0x00), 0x32575250u);
}

// INFERRED: counting begins with the first access to any register of the card.
TEST(P2Access, TheFirstAccessWakesAllMonitors) {
  for (uint32_t offset : {reg::kCard, window(1, reg::kState), reg::kMmcr}) {
    Bench b({.monitors = 3, .awake = false});
    EXPECT_EQ(b.load(window(7, 0), 4), UINT64_MAX);
    EXPECT_EQ(b.load(offset + 1, 4), UINT64_MAX);
    for (const P2Monitor& m : b.monitors) EXPECT_FALSE(m.state.awake) << "there was no register";
    b.load(offset, 4, false, 2);
    for (unsigned n = 0; n < 3; ++n) {
      EXPECT_TRUE(b.monitors[n].state.awake) << n;
      b.happens(P2S_insns, 5, n);
      EXPECT_EQ(b.get(reg::counter(kInstructions), n), 5u);
    }
  }
  Bench b({.awake = false});
  b.store(reg::kImr, 4, 3);
  EXPECT_EQ(b.get(reg::kImr), 3u) << "a write wakes, too";
  EXPECT_TRUE(b.state().awake);
}

// What an access begins to count, before it is made.
struct Sources {
  uint64_t word[P2_SOURCE_WORDS] = {};
  bool has(unsigned source) const { return word[source / 64] >> source % 64 & 1; }
  bool any() const { return word[0] || word[1]; }
};
Sources begun(const Bench& b, const P2Access& a, bool write, uint64_t value = 0) {
  Sources s;
  p2_card_begins(&b.card, &a, write, value, s.word);
  return s;
}

TEST(P2Access, WhatAStoreToMmcrBeginsToCountIsKnownBefore) {
  Bench b({.monitors = 2});
  const auto of = [&](uint32_t offset, uint64_t value, uint32_t size = 4, bool big = false,
                      int processor = 0) { return begun(b, {offset, size, big, processor}, true, value); };
  EXPECT_TRUE(of(reg::kMmcr, mmcr::fxu(8)).has(P2S_stores));
  EXPECT_FALSE(of(reg::kMmcr, mmcr::fxu(0)).has(P2S_stores));
  EXPECT_TRUE(of(window(1, reg::kMmcr), mmcr::scu(2)).has(P2S_io_stores));
  EXPECT_TRUE(of(reg::kMmcr, mmcr::fxu(8), 8).has(P2S_stores)) << "with a counter";
  EXPECT_TRUE(of(reg::kMmcr, uint64_t{mmcr::fxu(8)} << 32, 8, true).has(P2S_stores));
  EXPECT_FALSE(of(reg::kMmcr, uint64_t{mmcr::fxu(8)} << 32 | mmcr::kDis, 8).any());
  EXPECT_FALSE(of(reg::kMmcr, mmcr::kDis | mmcr::fxu(8)).any());
  EXPECT_FALSE(of(reg::kMmcr, mmcr::kDp | mmcr::kDu | mmcr::fxu(8)).any()) << "Table 1: nothing";
  EXPECT_FALSE(of(reg::kMmcr, mmcr::fxu(8), 4, false, -1).any()) << "nobody's own window";
  EXPECT_FALSE(of(window(2, reg::kMmcr), mmcr::fxu(8)).any()) << "no monitor";
  EXPECT_FALSE(of(reg::kMmcr + 2, mmcr::fxu(8)).any());
  EXPECT_FALSE(of(reg::kMmcr, mmcr::fxu(8), 2).any());
  EXPECT_FALSE(of(reg::kImr, mmcr::fxu(8)).any());
  EXPECT_FALSE(begun(b, {reg::kMmcr, 4, false, 0}, false).any()) << "a load";
  EXPECT_FALSE(of(reg::kCard, mmcr::fxu(8)).any());
  p2_inject_silent(&b.monitors[1], true);
  EXPECT_FALSE(of(window(1, reg::kMmcr), mmcr::fxu(8)).any()) << "it does not hear it";
  EXPECT_TRUE(b.log.empty());
  EXPECT_EQ(b.get(reg::kMmcr), 0u) << "nothing has been written";
}

TEST(P2Access, TheFirstAccessBeginsToCountByMmcrAsItIsAtPowerUp) {
  Bench b({.awake = false});
  for (const bool write : {false, true})
    for (const uint32_t offset : {reg::kCard, reg::kState, reg::kMmcr}) {
      const Sources s = begun(b, {offset, 4, false, 0}, write, mmcr::kDis);
      EXPECT_TRUE(s.has(P2S_dcache_load_misses)) << "of the cycle counter";
      EXPECT_FALSE(s.has(P2S_stores));
    }
  EXPECT_FALSE(begun(b, {window(3, 0), 4, false, 0}, false).any());
  EXPECT_FALSE(b.state().awake);
  b.load(reg::kState, 4);
  EXPECT_FALSE(begun(b, {reg::kState, 4, false, 0}, false).any());
}

}  // namespace
}  // namespace perfboard::p2
