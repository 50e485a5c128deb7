// SPDX-License-Identifier: GPL-2.0-or-later
//
// The TLB against a naive model that knows only sets and ages.
#include "hw/memory/tlb.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>

namespace {

struct Naive {
  std::map<uint64_t, uint64_t> used;  // page: when last
  uint64_t time = 0;

  bool use(uint64_t page) {
    const bool hit = used.count(page) != 0;
    used[page] = ++time;
    uint64_t in_set = 0, oldest = 0;
    for (const auto& [p, when] : used) {
      if (p % TLB_SETS != page % TLB_SETS) continue;
      if (in_set++ == 0 || when < used[oldest]) oldest = p;
    }
    if (in_set > TLB_WAYS) used.erase(oldest);
    return hit;
  }
};

TEST(Tlb, HasThePentiumsSize) {
  EXPECT_EQ(TLB_ENTRIES, 64);
  EXPECT_EQ(TLB_WAYS, 4);
  EXPECT_EQ(sizeof(TlbState), (TLB_ENTRIES + 1) * sizeof(uint64_t));
}

TEST(Tlb, Holds64PagesInOrder) {
  TlbState t;
  tlb_reset(&t);
  for (uint64_t p = 0; p < 64; ++p) EXPECT_FALSE(tlb_use(&t, p));
  for (uint64_t p = 0; p < 64; ++p) EXPECT_TRUE(tlb_use(&t, p));
  EXPECT_FALSE(tlb_use(&t, 64));
  EXPECT_FALSE(tlb_use(&t, 0)) << "the oldest of its set had to go";
  EXPECT_TRUE(tlb_use(&t, 64));
}

TEST(Tlb, PageZeroAndTheLastPageAreNotThereAtFirst) {
  TlbState t;
  tlb_reset(&t);
  const uint64_t last = UINT64_MAX >> 12;
  EXPECT_FALSE(tlb_has(&t, 0));
  EXPECT_FALSE(tlb_use(&t, 0));
  EXPECT_FALSE(tlb_use(&t, last));
  EXPECT_TRUE(tlb_has(&t, 0) && tlb_has(&t, last));
}

TEST(Tlb, DropTakesOneOutAndLeavesTheOrder) {
  TlbState t;
  tlb_reset(&t);
  for (uint64_t p : {0, 16, 32, 48}) tlb_use(&t, p);
  tlb_drop(&t, 32);
  tlb_drop(&t, 7);  // is not there
  EXPECT_FALSE(tlb_has(&t, 32));
  EXPECT_TRUE(tlb_has(&t, 0) && tlb_has(&t, 16) && tlb_has(&t, 48));
  EXPECT_FALSE(tlb_use(&t, 64)) << "into the empty place";
  EXPECT_TRUE(tlb_has(&t, 0));
  EXPECT_FALSE(tlb_use(&t, 80)) << "now the oldest goes";
  EXPECT_FALSE(tlb_has(&t, 0));
  EXPECT_TRUE(tlb_has(&t, 16));
}

TEST(Tlb, ResetEmpties) {
  TlbState t, empty;
  std::memset(&empty, 0, sizeof empty);
  tlb_reset(&t);
  tlb_use(&t, 5);
  t.cr3 = 77;
  tlb_reset(&t);
  EXPECT_EQ(std::memcmp(&t, &empty, sizeof t), 0);
}

TEST(Tlb, AgreesWithTheNaiveModel) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    TlbState t;
    tlb_reset(&t);
    Naive naive;
    const uint64_t pages = 20 + seed * 10;
    for (unsigned i = 0; i < 20000; ++i) {
      const uint64_t page = random() % pages * (1 + seed % 3);
      if (random() % 50 == 0) {
        tlb_drop(&t, page);
        naive.used.erase(page);
      } else if (random() % 3000 == 0) {
        tlb_reset(&t);
        naive.used.clear();
      } else {
        ASSERT_EQ(tlb_has(&t, page), naive.used.count(page) != 0);
        ASSERT_EQ(tlb_use(&t, page), naive.use(page)) << "seed " << seed << ", access " << i;
      }
      ASSERT_TRUE(tlb_state_ok(&t)) << "seed " << seed << ", access " << i;
    }
  }
}

TEST(Tlb, ASnapshotOfWhatItCannotHoldIsSeen) {
  TlbState good;
  tlb_reset(&good);
  for (uint64_t page = 0; page < 2 * TLB_SETS; ++page) tlb_use(&good, page);
  ASSERT_TRUE(tlb_state_ok(&good));
  TlbState t = good;
  t.entry[3][0] = 5;  // page 4 is set 4's
  EXPECT_FALSE(tlb_state_ok(&t));
  t = good;
  t.entry[3][1] = t.entry[3][0];
  EXPECT_FALSE(tlb_state_ok(&t)) << "twice";
  t = good;
  t.entry[3][0] = 0;
  EXPECT_FALSE(tlb_state_ok(&t)) << "an empty place before a page";
}

}  // namespace
