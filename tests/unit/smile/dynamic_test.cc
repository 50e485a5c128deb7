// SPDX-License-Identifier: GPL-2.0-or-later
//
// The dynamic part: the transaction mask, similarity, the range table, its overflow, SWAP_OUT, replacement.
#include "tests/unit/smile/fixture.h"

namespace perfboard::smile {
namespace {

constexpr uint32_t address_of(uint32_t page, uint32_t word) { return page << 10 | word; }

// --- the mask -----------------------------------------------------------------------

// All 256 masks, each type, kind and direction: the bits of all three must be set.
TEST(SmileMask, AnEventPassesIfTypeKindAndDirectionAreSet) {
  Bench b({.node = 6});
  b.set(reg::kNode, 6);
  for (uint32_t m = 0; m < 256; ++m) {
    b.set(reg::kMask, m);
    EXPECT_EQ(b.get(reg::kMask), m);
    each_kind(6, [&](unsigned type, bool is_response, unsigned from, unsigned to, uint32_t needed) {
      if (is_response) {
        b.set(reg::kMask, 0);
        b.send(read(to, from, 1, 1, 3));  // so that there is an address
        b.set(reg::kMask, m);
        b.send(response(type, from, to, 3));
      } else {
        b.send(request(type, from, to, 1, 1, 3));
        b.send(write(from, to, 1, 1, 3));  // nothing is to come
      }
      const SmileWave w = b.waves[b.waves.size() - 1 - !is_response];
      ASSERT_EQ(w.last != SMILE_FORWARD, (m & needed) == needed) << m << ' ' << needed;
      b.waves.clear();
    });
  }
}

// --- the range table ----------------------------------------------------------------

TEST(SmileRangeTable, FirstEventFillsAnEntryAndSimilarOnesAreCounted) {
  Bench b;
  b.send(write(3, 9, 0xabcd, 0x3ff));
  Entry e = entry(b, 0);
  EXPECT_TRUE(e.valid && e.used);
  EXPECT_EQ(e.source, 3u);
  EXPECT_EQ(e.destination, 9u);
  EXPECT_EQ(e.address, address_of(0xabcd, 0x3ff));
  EXPECT_EQ(e.count, 1u);
  for (int i = 0; i < 9; ++i) b.send(write(3, 9, 0xabcd, 0x3ff));
  EXPECT_EQ(entry(b, 0).count, 10u);
  EXPECT_FALSE(entry(b, 1).valid);
}

TEST(SmileRangeTable, SourceAndDestinationHaveToBeEqual) {
  Bench b;
  b.send(write(3, 9, 5, 5));
  b.send(write(4, 9, 5, 5));
  b.send(write(3, 8, 5, 5));
  b.send(write(9, 3, 5, 5));
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(entry(b, i).count, 1u) << i;
  EXPECT_FALSE(entry(b, 4).valid);
}

// Both sides of Max_Range, in both directions, at the ends of the address space too.
TEST(SmileRangeTable, SimilarityEndsAtMaxRange) {
  const uint32_t top = (1u << 26) - 1;
  for (const uint32_t range : {0u, 1u, 2u, 1023u, 1024u, 65536u, top - 1, top})
    for (const uint32_t first : {0u, 1u, 1023u, 70000u, 1u << 25, top - 1, top})
      for (const bool up : {false, true})
        for (const int64_t beyond : {-1, 0, 1}) {
          const int64_t distance = int64_t{range} + beyond, second = up ? first + distance : first - distance;
          if (distance < 0 || second < 0 || second > top) continue;
          Bench b({.wave = false});
          b.set(reg::kMaxr, range);
          ASSERT_EQ(b.get(reg::kMaxr), range);
          b.send(write(1, 2, first >> 10, first & 1023));
          b.send(write(1, 2, static_cast<uint32_t>(second) >> 10, static_cast<uint32_t>(second) & 1023));
          ASSERT_EQ(entry(b, 0).count, beyond <= 0 ? 2u : 1u) << range << ' ' << first << ' ' << second;
          ASSERT_EQ(entry(b, 0).address, first) << "the address of its first event";
          ASSERT_EQ(entry(b, 1).valid, beyond > 0);
        }
}

TEST(SmileRangeTable, TheLowestOfSeveralSimilarEntriesCounts) {
  Bench b;
  b.set(reg::kMaxr, 4);
  b.send(write(1, 2, 0, 100));
  b.send(write(1, 2, 0, 105));
  b.send(write(1, 2, 0, 102));  // similar to both
  EXPECT_EQ(entry(b, 0).count, 2u);
  EXPECT_EQ(entry(b, 1).count, 1u);
  b.send(write(1, 2, 0, 105));
  EXPECT_EQ(entry(b, 1).count, 2u);
}

// In every place of the table, also beyond the first 16.
TEST(SmileRangeTable, EachEntryIsCompared) {
  for (const uint32_t entries : {4u, 5u, 15u, 16u, 17u, 31u, 32u, 33u, 48u, 63u, 64u}) {
    Bench b({.entries = entries});
    EXPECT_EQ(b.get(reg::kMsr) >> 16 & 0x7f, entries);
    for (uint32_t i = 0; i < entries; ++i) b.send(write(1, 2, 100 * i, i));
    for (uint32_t i = 0; i < entries; ++i)
      for (uint32_t n = 0; n <= i; ++n) b.send(write(1, 2, 100 * i, i));
    for (uint32_t i = 0; i < entries; ++i) {
      EXPECT_EQ(entry(b, i).count, i + 2) << entries;
      EXPECT_EQ(entry(b, i).address, address_of(100 * i, i)) << entries;
    }
    EXPECT_TRUE(b.records().empty());
    b.send(write(1, 2, 50000, 0));
    EXPECT_EQ(b.records().size(), 1u) << "all " << entries << " are in use";
  }
}

// --- overflow -----------------------------------------------------------------------

TEST(SmileOverflow, AtFfffPlusOneARecordLeavesAndTheEntryIsFree) {
  Bench b({.wave = false});
  b.send(write(1, 2, 0x77, 1));
  for (int i = 1; i < 0xffff; ++i) b.send(write(3, 4, 0x1234, 0x56));
  EXPECT_EQ(entry(b, 1).count, 0xfffeu);
  b.send(write(3, 4, 0x1234, 0x56));
  EXPECT_EQ(entry(b, 1).count, 0xffffu);
  EXPECT_TRUE(b.records().empty());
  b.send(write(3, 4, 0x1234, 0x56));
  const std::vector<Record> records = b.records();
  ASSERT_EQ(records.size(), 1u);
  const Record r = records[0];
  EXPECT_EQ(r.word0, 1u << 29 | 1u << 28 | 1u << 26 | address_of(0x1234, 0x56));
  EXPECT_EQ(r.word1, 1u << 26 | 4u << 21 | 3u << 16);
  EXPECT_EQ(r.value(), 65536u);
  const Entry e = entry(b, 1);
  EXPECT_FALSE(e.valid || e.used);
  EXPECT_EQ(e.count, 0u);
  EXPECT_EQ(e.address, 0u);
  b.send(write(5, 6, 1, 1));
  EXPECT_EQ(entry(b, 1).source, 5u) << "the lowest free entry is taken";
}

// --- SWAP_OUT on demand -------------------------------------------------------------

TEST(SmileSwapAll, AllValidEntriesLowestFirstAndFreed) {
  Bench b;
  for (unsigned i = 0; i < 5; ++i)
    for (unsigned n = 0; n <= i; ++n) b.send(write(i, i + 1, i, i));
  b.set(reg::kMcr, mcr::kRun | mcr::kSwap);
  const std::vector<Record> records = b.records();
  ASSERT_EQ(records.size(), 5u);
  for (unsigned i = 0; i < 5; ++i) {
    EXPECT_EQ(records[i].word0, 1u << 29 | 2u << 26 | address_of(i, i));
    EXPECT_EQ(records[i].word1, i << 26 | (i + 1) << 21 | i << 16 | (i + 1));
    EXPECT_FALSE(entry(b, i).valid);
  }
  EXPECT_TRUE(b.get(reg::kMsr) & msr::kDone);
  EXPECT_EQ(b.get(reg::kMcr), mcr::kRun) << "SWAP reads 0";
  b.set(reg::kMsr, msr::kLost);
  EXPECT_TRUE(b.get(reg::kMsr) & msr::kDone);
  b.set(reg::kMsr, msr::kDone);
  EXPECT_FALSE(b.get(reg::kMsr) & msr::kDone);
}

TEST(SmileSwapAll, OfAnEmptyTableIsDoneAtOnce) {
  Bench b;
  b.set(reg::kMcr, mcr::kSwap);
  EXPECT_TRUE(b.records().empty());
  EXPECT_TRUE(b.get(reg::kMsr) & msr::kDone);
  EXPECT_EQ(b.waves.back().last, SMILE_SWAP_ALL);
  EXPECT_EQ(b.waves.back().records, 0);
}

// --- Fig. 9 -------------------------------------------------------------------------

// The states clock by clock after BD1, until it is Idle again.
std::vector<unsigned> states_of(Bench& b, uint64_t begin) {
  std::vector<unsigned> states;
  const uint64_t now = b.now;
  for (unsigned clock = 0; clock < 200; ++clock) {
    b.now = begin + clock * kClock + 7;
    states.push_back(msr::state(b.get(reg::kMsr)));
  }
  b.now = now;
  while (states.size() > 1 && states.back() == 0 && states[states.size() - 2] == 0) states.pop_back();
  return states;
}

class SmileFig9 : public testing::Test {
 protected:
  void expect(const Packet& p, std::vector<unsigned> states, unsigned last) {
    const uint64_t begin = b.now;
    b.send(p);
    states.insert(states.begin(), {SMILE_IDLE, SMILE_IDLE});  // the decoder's two clocks
    states.push_back(SMILE_IDLE);
    EXPECT_EQ(states_of(b, begin), states);
    EXPECT_EQ(b.waves.back().last, last);
    EXPECT_EQ(b.waves.back().ns, begin);
  }
  Bench b{{.entries = 4}};
};

TEST_F(SmileFig9, IdleWithoutAnEvent) {
  EXPECT_EQ(msr::state(b.get(reg::kMsr)), unsigned{SMILE_IDLE});
  const uint64_t begin = b.now;
  b.send(response(kReadType, 1, 2, 3));  // an orphan
  EXPECT_EQ(states_of(b, begin), std::vector<unsigned>{0});
  EXPECT_EQ(b.waves.back().last, SMILE_IDLE);
}

TEST_F(SmileFig9, ForwardAndBackToIdleIfTheMaskHoldsItBack) {
  b.set(reg::kMask, 0);
  expect(write(1, 2, 3, 4), {SMILE_FORWARD}, SMILE_FORWARD);
  EXPECT_FALSE(entry(b, 0).valid);
}

TEST_F(SmileFig9, BusyAndBackToIdleIfAFreeEntryTakesItOrASimilarOneCountsIt) {
  for (int i = 0; i < 2; ++i) expect(write(1, 2, 3, 4), {SMILE_FORWARD, SMILE_BUSY}, SMILE_BUSY);
}

TEST_F(SmileFig9, SwapIfTheCounterOverflows) {
  b.send(write(1, 2, 3, 4));
  b.target().count[0] = 0xffff;
  expect(write(1, 2, 3, 4), {SMILE_FORWARD, SMILE_BUSY, SMILE_SWAP, SMILE_SWAP}, SMILE_SWAP);
  EXPECT_EQ(b.waves.back().entry, 0);
  EXPECT_EQ(b.waves.back().records, 1);
}

TEST_F(SmileFig9, SwapIfAllEntriesHoldValidData) {
  for (unsigned i = 0; i < 4; ++i) b.send(write(1, 2, i, 0));
  expect(write(1, 2, 9, 0), {SMILE_FORWARD, SMILE_BUSY, SMILE_SWAP, SMILE_SWAP}, SMILE_SWAP);
}

TEST_F(SmileFig9, SwapAllIfTheUserDemandsIt) {
  b.send(write(1, 2, 0, 0));
  b.send(write(1, 2, 1, 0));
  const uint64_t begin = b.now;
  b.set(reg::kMcr, mcr::kRun | mcr::kSwap);
  EXPECT_EQ(states_of(b, begin), (std::vector<unsigned>{4, 4, 4, 4, 0}));
  EXPECT_EQ(b.waves.back().last, SMILE_SWAP_ALL);
  EXPECT_EQ(b.waves.back().records, 2);
  EXPECT_EQ(b.waves.back().ns, begin);
}

TEST_F(SmileFig9, ResetLeadsToIdle) {
  const uint64_t begin = b.now;
  b.send(write(1, 2, 3, 4));
  b.set(reg::kMcr, mcr::kReset | mcr::kRun);
  EXPECT_EQ(states_of(b, begin), std::vector<unsigned>{0});
}

}  // namespace
}  // namespace perfboard::smile
