// SPDX-License-Identifier: GPL-2.0-or-later
//
// Counters are differences. That they equal a count made event by event, whatever is written in between:
// fuzz-power2.
#include "hw/power2/events.h"
#include "tests/unit/power2/fixture.h"

namespace perfboard::p2 {
namespace {

TEST(P2Counters, WrapAtTwoToTheThirtySecond) {
  Bench b;
  b.set(reg::counter(kInstructions), 0xfffffffe);
  b.happens(P2S_insns, 1);
  EXPECT_EQ(b.count(kInstructions), 0xffffffffu);
  b.happens(P2S_insns, 1);
  EXPECT_EQ(b.count(kInstructions), 0u);
  b.happens(P2S_insns, (uint64_t{1} << 32) + 5);
  EXPECT_EQ(b.count(kInstructions), 5u);
  b.set(reg::counter(kErrorCounter), 0xffffffff);
  b.errors(2);
  EXPECT_EQ(b.count(kErrorCounter), 1u);
}

// "A 32-bit counter incrementing at a 66-MHz rate will overflow in 65.1 seconds": in 64.4 at 66.7.
TEST(P2Counters, TheCycleCounterWrapsAfterAMinute) {
  Bench b({.stalls = false});
  b.happens(P2S_cycles, uint64_t{P2_DEFAULT_CLOCK} * 64);
  EXPECT_EQ(b.count(kCycleCounter), uint64_t{P2_DEFAULT_CLOCK} * 64);
  b.happens(P2S_cycles, P2_DEFAULT_CLOCK);
  EXPECT_LT(b.count(kCycleCounter), P2_DEFAULT_CLOCK);
}

// A total stands still until it has made up for what was taken back. A counter that is written has shown
// nothing of it; the others keep their undercounts, each by itself.
TEST(P2Counters, AWrittenCounterOwesNothing) {
  Bench b({.stalls = false});
  b.happens(P2S_insns, 10);
  b.happens(P2S_branches, 3);
  b.taken_back(P2S_insns);
  b.taken_back(P2S_branches);
  b.set(reg::counter(kInstructions), 100);
  EXPECT_EQ(b.count(kInstructions), 100u);
  EXPECT_EQ(b.count(kBranches), 3u) << "no counter falls";
  b.happens(P2S_insns, 1);
  b.happens(P2S_branches, 1);
  EXPECT_EQ(b.count(kInstructions), 101u);
  EXPECT_EQ(b.count(kBranches), 3u) << "its undercount was one";
  b.happens(P2S_branches, 2);
  EXPECT_EQ(b.count(kBranches), 5u);
}

TEST(P2Counters, WhatIsOwedIsKeptWhileTheyAreStopped) {
  Bench b({.stalls = false});
  b.happens(P2S_insns, 10);
  b.happens(P2S_branches, 10);
  b.taken_back(P2S_insns, 2);
  b.taken_back(P2S_branches);
  b.mode(mmcr::kDis);
  EXPECT_EQ(b.count(kInstructions), 10u);
  b.set(reg::counter(kBranches), 0);
  b.mode(0);
  b.happens(P2S_insns);
  b.happens(P2S_branches);
  EXPECT_EQ(b.count(kInstructions), 10u);
  EXPECT_EQ(b.count(kBranches), 1u) << "written while it was stopped";
  p2_pre_save(&b.monitors[0]);
  b.mode(mmcr::kDu);
  b.happens(P2S_insns);
  EXPECT_EQ(b.count(kInstructions), 10u);
  b.happens(P2S_insns);
  EXPECT_EQ(b.count(kInstructions), 11u);
}

// What a look found that no counter counted is the undercount of none that begins to.
TEST(P2Counters, WhatBeginsToCountOwesNothing) {
  Bench b({.stalls = false});
  b.cpu().total[1][P2S_traps] = 1;
  b.taken_back(P2S_traps);
  b.mode(mmcr::icu(2));
  b.happens(P2S_traps);
  EXPECT_EQ(b.count(kIcu + 2), 1u);
}

TEST(P2Counters, AfterAResetOrASnapshotNothingIsOwed) {
  for (const bool load : {false, true}) {
    Bench b({.stalls = false});
    b.happens(P2S_insns, 10);
    b.taken_back(P2S_insns);
    p2_pre_save(&b.monitors[0]);
    const P2State image = b.state();
    b.happens(P2S_insns);
    b.taken_back(P2S_insns);
    if (load) {
      b.restore(image);
    } else {
      b.reset();
      p2_wake(&b.monitors[0]);
    }
    b.happens(P2S_insns);
    EXPECT_EQ(b.count(kInstructions), load ? 11u : 1u);
  }
}

// A look at a counter that has rolled over settles it.
TEST(P2Counters, ACounterThatRollsOverOwesAsBefore) {
  Bench b({.stalls = false});
  b.set(reg::counter(kInstructions), 0xffffffff);
  b.happens(P2S_insns, 2);
  b.taken_back(P2S_insns);
  EXPECT_EQ(b.count(kInstructions), 1u);
  b.set(reg::counter(kBranches), 0);
  EXPECT_EQ(b.count(kInstructions), 1u);
  b.happens(P2S_insns);
  EXPECT_EQ(b.count(kInstructions), 1u);
  b.happens(P2S_insns);
  EXPECT_EQ(b.count(kInstructions), 2u);
}

// While SPE is 0 such a counter stands, and so does its undercount.
TEST(P2Counters, WhatIsOwedWaitsForSpe) {
  Bench b({.stalls = false});
  b.mode(mmcr::fxu(13));
  b.set(reg::kSpe, 1);
  b.happens(P2S_cycles, 10);
  b.taken_back(P2S_cycles, 4);
  b.set(reg::kSpe, 0);
  EXPECT_EQ(b.count(kFxu + 1), 10u);
  b.happens(P2S_cycles, 50);
  b.taken_back(P2S_cycles, 7);
  b.set(reg::counter(kInstructions), 0);
  EXPECT_EQ(b.count(kFxu + 1), 10u);
  b.set(reg::kSpe, 1);
  b.happens(P2S_cycles, 3);
  EXPECT_EQ(b.count(kFxu + 1), 10u);
  b.happens(P2S_cycles, 3);
  EXPECT_EQ(b.count(kFxu + 1), 12u);
}

// At power-up MMCR is 0: group 0 of each unit.
TEST(P2Counters, WithoutStallsNoMemoryModelIsWanted) {
  Bench b({.stalls = false});
  EXPECT_TRUE(b.cpu().counts && b.cpu().watched(P2S_insns));
  for (unsigned s = P2_STATS; s < P2_SOURCES; ++s) EXPECT_FALSE(b.cpu().watched(s)) << source_name(s);
  b.happens(P2S_cycles, 1000);
  b.happens(P2S_dcache_load_misses, 3);
  EXPECT_EQ(b.count(kCycleCounter), 1000u);
  // An event that is about misses counts them all the same.
  b.mode(mmcr::fxu(6));
  b.happens(P2S_dcache_load_misses, 3);
  EXPECT_EQ(b.count(kFxu + 0), 48u) << "dcache_held";
  EXPECT_EQ(b.count(kCycleCounter), 1000u);
}

// What is watched is what is counted: fuzz-power2.
TEST(P2Counters, WatchedAnewIfTheSourcesChange) {
  Bench b({.stalls = false});
  const int before = b.cpu().watches;
  b.mode(mmcr::scu(2));
  EXPECT_EQ(b.cpu().watches, before + 1);
  b.mode(mmcr::scu(2) | mmcr::kDu);
  EXPECT_EQ(b.cpu().watches, before + 1) << "other contexts, the same sources";
  b.mode(mmcr::kDis | mmcr::scu(2));
  b.mode(mmcr::kDms | mmcr::kDmr);
  EXPECT_EQ(b.cpu().watches, before + 2) << "nothing counts, and nothing can";
}

TEST(P2Counters, CorrectableErrorsCountWhereTheContextCounts) {
  Bench b;
  b.mode(mmcr::kDu | mmcr::kDmr);  // privileged and marked
  for (bool privileged : {true, false})
    for (bool marked : {true, false}) {
      b.context(privileged, marked);
      b.errors(3);
    }
  EXPECT_EQ(b.count(kErrorCounter), 3u);
  EXPECT_EQ(b.cpu().watched(P2S_insns), true);
}

}  // namespace
}  // namespace perfboard::p2
