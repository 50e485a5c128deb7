// SPDX-License-Identifier: GPL-2.0-or-later
//
// Errors on purpose: each shows as a program would see it, and what was counted meanwhile is not lost.
#include "hw/power2/view.h"
#include "tests/unit/power2/fixture.h"

namespace perfboard::p2 {
namespace {

TEST(P2Inject, ASilentMonitorCountsOn) {
  Bench b({.monitors = 2});
  b.happens(P2S_insns, 5);
  p2_inject_silent(&b.monitors[0], true);
  b.happens(P2S_insns, 7);
  for (uint32_t r = 0; r < 0x70; r += 4) {
    EXPECT_EQ(b.load(r, 4), UINT64_MAX) << r;
    EXPECT_EQ(b.load(reg::kWindow + r, 4), UINT64_MAX) << r;
  }
  EXPECT_EQ(b.load(0, 8), UINT64_MAX);
  b.store(reg::kMmcr, 4, mmcr::kDis);
  b.store(8, 8, 0);
  EXPECT_NE(b.load(reg::kWindow + reg::kWindowBytes, 4, false, 0), UINT64_MAX) << "another's answers";
  EXPECT_NE(b.load(reg::kCard, 4), UINT64_MAX) << "so does the card";
  b.effects.clear();
  b.load(0, 4);
  EXPECT_EQ(b.told(p2_view()), "unanswered=0");
  EXPECT_TRUE(b.mistakes.empty()) << "the program did nothing wrong";
  p2_inject_silent(&b.monitors[0], false);
  EXPECT_EQ(b.load(reg::kMmcr, 4), 0u) << "the write was lost";
  EXPECT_EQ(b.count(kInstructions), 12u);
}

TEST(P2Inject, CountersNearTheirRollOver) {
  Bench b;
  b.happens(P2S_insns, 5);
  p2_inject_roll_over(&b.monitors[0], 3);
  for (unsigned i = 0; i < 22; ++i) EXPECT_EQ(b.count(i), 0xfffffffdu) << i;
  b.happens(P2S_insns, 2);
  EXPECT_EQ(b.count(kInstructions), 0xffffffffu);
  b.happens(P2S_insns, 2);
  EXPECT_EQ(b.count(kInstructions), 1u);
  EXPECT_EQ(b.told(p2_view()), "rolled-over=10");
  p2_inject_roll_over(&b.monitors[0], 0);
  EXPECT_EQ(b.count(kInstructions), 1u) << "nothing";
}

TEST(P2Inject, AsleepItWaits) {
  Bench b({.awake = false});
  p2_inject_roll_over(&b.monitors[0], 16);
  p2_inject_errors(&b.monitors[0], 2);
  p2_inject_errors(&b.monitors[0], 3);
  b.reset();
  EXPECT_EQ(b.state().counter[kErrorCounter], 0u);
  EXPECT_EQ(b.load(reg::counter(kErrorCounter), 4), 0xfffffff0u + 5) << "the first access";
  EXPECT_EQ(b.load(reg::counter(kCycleCounter), 4), 0xfffffff0u);
  EXPECT_EQ(b.state().errors_due, 0u);
  EXPECT_EQ(b.state().roll_over_due, 0u);
}

TEST(P2Inject, AnAccessThatNobodyAnswersWakesNothing) {
  Bench b({.awake = false});
  p2_inject_silent(&b.monitors[0], true);
  b.load(0, 4);
  EXPECT_EQ(b.state().awake, 0);
  b.load(reg::kCard, 4);
  EXPECT_EQ(b.state().awake, 1);
}

TEST(P2Inject, Errors) {
  Bench b;
  p2_inject_errors(&b.monitors[0], 4);
  EXPECT_EQ(b.count(kErrorCounter), 4u);
  b.mode(mmcr::kDis);
  p2_inject_errors(&b.monitors[0], 4);
  EXPECT_EQ(b.count(kErrorCounter), 4u) << "nothing counts";
}

TEST(P2Inject, ResetsEndNoneAndSnapshotsHoldThem) {
  Bench b, other;
  p2_inject_silent(&b.monitors[0], true);
  b.reset();
  EXPECT_EQ(b.state().silent, 1);
  other.restore(b.state());
  EXPECT_EQ(other.load(0, 4), UINT64_MAX);
  other.restore({.errors_due = 1, .roll_over_due = 1});
}

}  // namespace
}  // namespace perfboard::p2
