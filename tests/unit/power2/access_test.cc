// SPDX-License-Identifier: GPL-2.0-or-later
//
// The card: what it tells of itself, and what an access begins to count. Whose a window is, and what wakes
// the monitors: fuzz-power2.
#include "tests/unit/power2/fixture.h"

namespace perfboard::p2 {
namespace {

constexpr uint32_t window(unsigned n, uint32_t r) { return reg::kWindow + reg::kWindowBytes * n + r; }

TEST(P2Access, TheCardTellsWhatItIs) {
  Bench b({.power = false, .monitors = 4});
  const auto word = [&](uint32_t offset) { return b.load(reg::kCard + offset, 4); };
  const uint32_t words[] = {0x32575250, 1,        4,  66666667, 2,  256 << 10,
                            256,        32 << 10, 16, 36,       12, 1};  // the last: MARK is writable
  for (uint32_t i = 0; i < std::size(words); ++i) EXPECT_EQ(word(4 * i), words[i]) << i;
  EXPECT_EQ(b.load(reg::kCard, 8), uint64_t{1} << 32 | 0x32575250u);
  EXPECT_EQ(b.load(reg::kCard, 8, true), uint64_t{0x32575250u} << 32 | 1);
  EXPECT_TRUE(b.log.empty());
  EXPECT_EQ(word(0x30), 0u);
  EXPECT_TRUE(b.logged("no such word"));
  b.store(reg::kCard, 4, 0);
  EXPECT_TRUE(b.logged("read only"));
  EXPECT_EQ(word(0x00), 0x32575250u);
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
