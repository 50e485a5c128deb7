// SPDX-License-Identifier: GPL-2.0-or-later
//
// The network output, element by element and cycle by cycle; External FIFO Free; the paper's rates.
#include <algorithm>

#include "tests/unit/multikron/fixture.h"

namespace perfboard::mk {
namespace {

size_t elements_at(MkBench& b, uint64_t cycle) {
  b.at(cycle);
  return b.words().size();
}
// By which cycle how many have come.
void expect_elements(MkBench& b, std::initializer_list<std::pair<uint64_t, size_t>> all) {
  for (const auto& [cycle, elements] : all) EXPECT_EQ(elements_at(b, cycle), elements) << cycle;
}

TEST(MkNetwork, AnElementIsDataOddParityAndEnd) {
  for (unsigned v = 0; v < 256; ++v) {
    MkBench b;
    b.trace(v);
    b.at(100);
    ASSERT_EQ(b.words().size(), 16u);
    EXPECT_EQ(b.out[15] & 0xff, v);
    EXPECT_EQ(b.out[15] >> 8 & 1, (__builtin_popcount(v) + 1) % 2);
    EXPECT_EQ(b.out[15] >> 9, 1);
    EXPECT_EQ(b.out[14], 0x100);  // 0 has the parity bit, and it is not the end
    EXPECT_EQ(b.out[15], mk_stream_element(static_cast<uint8_t>(v), 1));
  }
}

// An element at each second cycle, the first at the first even cycle after the write.
TEST(MkNetwork, FirstElementAtTheNextEdgeThenOneEachNetworkClock) {
  for (const uint64_t c : {100u, 101u}) {
    MkBench b;
    b.at(c);
    b.trace(1);
    EXPECT_EQ(elements_at(b, 101), 0u);
    for (unsigned i = 0; i < 16; ++i)
      expect_elements(b, {{102 + 2 * i - (i ? 1 : 0), i + (i ? 0 : 1)}, {102 + 2 * i, i + 1}});
    EXPECT_EQ(elements_at(b, 1000), 16u);
  }
}

TEST(MkNetwork, TheNextSampleFollowsAtTheNextEdge) {
  MkBench b;
  b.trace(1);
  b.resource(2);
  b.trace(3);
  expect_elements(b, {{2 * 16, 16}, {2 * 17, 17}, {2 * 96 - 1, 95}, {2 * 96, 96}, {2 * 112, 112}});
  EXPECT_EQ(b.samples().size(), 3u);
}

TEST(MkNetwork, ASampleTakenWhileTheLastElementLeavesHasTheNextEdge) {
  MkBench b;
  b.trace(1);
  b.at(32);  // its last element is loaded now
  b.trace(2);
  expect_elements(b, {{33, 16}, {34, 17}});
}

// The paper: 1.5 million trace and 0.3 million resource samples a second; 80 network clocks per resource
// sample.
struct Rate {
  unsigned address;
  double per_second;
  unsigned network_clocks;
};
class MkRate : public testing::TestWithParam<Rate> {};
TEST_P(MkRate, AsFastAsAProcessorCan) {
  MkBench b;
  b.command(csr::kWriteWait);
  // Steady state: from one sample's slot to the next.
  for (int i = 0; i < 20; ++i) b.held_write(GetParam().address, 0);
  const uint64_t from = b.now;
  for (int i = 0; i < 100; ++i) b.held_write(GetParam().address, 0);
  const double ns = static_cast<double>(b.now - from) / 100;
  EXPECT_DOUBLE_EQ(ns, 40.0 * GetParam().network_clocks);
  EXPECT_DOUBLE_EQ(1e9 / ns, GetParam().per_second);
}
INSTANTIATE_TEST_SUITE_P(Paper, MkRate,
                         testing::Values(Rate{addr::kTrace, 1'562'500, 16},
                                         Rate{addr::kResource, 312'500, 80}));

// --- handing over ------------------------------------------------------------

TEST(MkNetwork, HandsOverInBatchesAndArmsOnceForThem) {
  MkBench b;
  b.arms = 0;
  for (int i = 0; i < 100; ++i) {
    b.at(static_cast<uint64_t>(i) * 40);
    b.trace(1);
  }
  EXPECT_EQ(b.arms, 1);
  EXPECT_TRUE(b.out.empty());
  EXPECT_LE(b.armed, kBenchStart + 1'100'000);
  b.run_until(b.armed);
  EXPECT_EQ(b.out.size(), 1600u);
  EXPECT_EQ(b.batches.size(), 1u);
  b.run_until(b.now + 10'000'000);
  EXPECT_EQ(b.out.size(), 1600u);
  EXPECT_EQ(b.armed, PB_NEVER);  // nothing more: it does not ask for more time
}

// --- External FIFO Free --------------------------------------------------------

TEST(MkFree, PinLowHoldsTheOutputAtOnceAndHighLetsItGoAtTheNextEdge) {
  MkBench b({.free = MK_FREE_PIN});
  b.trace(1);
  b.at(10);
  mk_set_external_free(&b.chip, false);
  EXPECT_EQ(elements_at(b, 1000), 5u);  // edges 2, 4, 6, 8, 10
  b.at(1001);
  mk_set_external_free(&b.chip, true);
  expect_elements(b, {{1001, 5}, {1002, 6}, {1022, 16}});
  EXPECT_EQ(b.samples().size(), 1u);
}

TEST(MkFree, PinLowFillsTheFifo) {
  MkBench b({.depth = 3, .free = MK_FREE_PIN});
  mk_set_external_free(&b.chip, false);
  b.arms = 0;
  for (int i = 0; i < 5; ++i) b.trace(1);
  b.at(1 << 30);
  b.trace(1);
  EXPECT_EQ(b.overruns(), 3u);
  EXPECT_TRUE(b.words().empty());
  EXPECT_EQ(b.arms, 0) << "there is nothing to come";
}

TEST(MkFree, AFifoThatNobodyDrainsTakesItsSize) {
  MkBench b({.free = MK_FREE_FIFO, .free_bytes = 20, .drain_hz = 0});
  b.trace(1);
  b.trace(2);
  expect_elements(b, {{40, 20}, {1 << 20, 20}});
}

// A drain of a hundredth of the node clock: after the FIFO is full, one element each 100 cycles.
TEST(MkFree, ADrainedFifoTakesElementsAtTheDrainsRate) {
  MkBench b({.depth = 64, .free = MK_FREE_FIFO, .free_bytes = 8, .drain_hz = 500'000});
  for (int i = 0; i < 4; ++i) b.trace(static_cast<uint64_t>(i));
  expect_elements(b, {{16, 8}, {99, 8}});
  for (unsigned i = 1; i <= 56; ++i)  // a byte leaves at an edge: too late for it
    expect_elements(b, {{100 * i, 8 + i - 1}, {100 * i + 2, 8 + i}});
  EXPECT_EQ(b.samples().size(), 4u);
}

// A byte that leaves at an edge makes room for the next one: the signal must be stable before it.
TEST(MkFree, RoomAtAnEdgeIsForTheNext) {
  MkBench b({.free = MK_FREE_FIFO, .free_bytes = 1, .drain_hz = 12'500'000});  // a byte each four cycles
  b.trace(1);
  for (unsigned i = 0; i < 10; ++i)
    expect_elements(b, {{4 * i + 1, i}, {4 * i + 2, i + 1}, {4 * i + 4, i + 1}});
}

TEST(MkFree, AFastDrainIsAsNone) {
  for (const uint32_t drain : {25'000'000u, 50'000'000u, 4'000'000'000u}) {
    MkBench b({.free = MK_FREE_FIFO, .free_bytes = 2, .drain_hz = drain});
    b.fill();
    EXPECT_EQ(elements_at(b, 2 * 128), 128u) << drain;
  }
}

TEST(MkFree, LookingOftenOrOnceIsTheSame) {
  for (const uint32_t drain : {0u, 1'234'567u, 7'000'000u, 20'000'000u, 24'999'999u}) {
    MkBench often({.free = MK_FREE_FIFO, .free_bytes = 5, .drain_hz = drain});
    MkBench once({.free = MK_FREE_FIFO, .free_bytes = 5, .drain_hz = drain});
    for (MkBench* b : {&often, &once}) {
      b->at(3);
      b->resource(7);
      b->trace(8);
    }
    for (uint64_t c = 3; c < 1500; ++c) elements_at(often, c);
    elements_at(once, 1499);
    EXPECT_EQ(often.out, once.out) << drain;
    EXPECT_EQ(often.state().external_count, once.state().external_count);
  }
}

}  // namespace
}  // namespace perfboard::mk
