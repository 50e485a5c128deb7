// SPDX-License-Identifier: GPL-2.0-or-later
//
// Errors on purpose: each shows as a program would see it, and what was counted meanwhile is not lost;
// snapshots.
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
  EXPECT_EQ(b.effects, (std::vector<std::pair<unsigned, uint64_t>>{{effect("unanswered"), 0}}));
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
  EXPECT_EQ(b.effects, (std::vector<std::pair<unsigned, uint64_t>>{{effect("rolled-over"), kInstructions}}));
  p2_inject_roll_over(&b.monitors[0], 0);
  EXPECT_EQ(b.count(kInstructions), 1u) << "nothing";
}

TEST(P2Inject, AsleepItWaits) {
  Bench b({.awake = false});
  p2_inject_roll_over(&b.monitors[0], 16);
  p2_inject_errors(&b.monitors[0], 2);
  p2_inject_errors(&b.monitors[0], 3);
  p2_reset(&b.monitors[0]);
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
  b.set(reg::kMmcr, mmcr::kDis);
  p2_inject_errors(&b.monitors[0], 4);
  EXPECT_EQ(b.count(kErrorCounter), 4u) << "nothing counts";
}

TEST(P2Inject, ResetsEndNoneAndSnapshotsHoldThem) {
  Bench b, other;
  p2_inject_silent(&b.monitors[0], true);
  p2_reset(&b.monitors[0]);
  EXPECT_EQ(b.state().silent, 1);
  char why[PB_WHY_BYTES] = "";
  ASSERT_TRUE(p2_load(&other.monitors[0], &b.state(), why, sizeof why)) << why;
  EXPECT_EQ(other.load(0, 4), UINT64_MAX);
  const P2State image = {.errors_due = 1, .roll_over_due = 1};
  EXPECT_TRUE(p2_load(&other.monitors[0], &image, why, sizeof why)) << why;
}

// --- snapshots: a copy of the state, in a monitor of another process with other totals, goes on as the first

TEST(P2Snapshot, GoesOnAsTheFirst) {
  for (bool power : {true, false}) {
    Bench first({.power = power}), second({.power = power, .awake = false});
    first.make_busy();
    p2_pre_save(&first.monitors[0]);
    const P2State saved = first.state();
    for (auto& totals : second.cpu().total)
      for (uint64_t& n : totals) n = 1'000'000;
    char why[PB_WHY_BYTES] = "";
    ASSERT_TRUE(p2_load(&second.monitors[0], &saved, why, sizeof why)) << why;
    second.context(first.cpu().privileged, first.cpu().marked);
    EXPECT_EQ(second.cpu().matches.back(), 0x7c000214u);
    EXPECT_EQ(second.cpu().marks, power ? std::vector<bool>{} : std::vector<bool>{true});
    EXPECT_EQ(std::memcmp(second.cpu().sources, first.cpu().sources, sizeof first.cpu().sources), 0);
    EXPECT_EQ(second.cpu().counts, first.cpu().counts);
    for (unsigned round = 0; round < 3; ++round) {
      for (unsigned i = 0; i < 22; ++i) EXPECT_EQ(second.count(i), first.count(i)) << i;
      for (uint32_t r = reg::kPad; r <= reg::kState; r += 4) EXPECT_EQ(second.get(r), first.get(r)) << r;
      for (Bench* b : {&first, &second})
        for (unsigned s = 0; s < P2_SOURCES; ++s) b->happens(s, 7 * s + round);
    }
  }
}

TEST(P2Snapshot, SavingChangesNothing) {
  Bench saved, not_saved;
  for (Bench* b : {&saved, &not_saved}) b->make_busy();
  p2_pre_save(&saved.monitors[0]);
  for (Bench* b : {&saved, &not_saved})
    for (unsigned s = 0; s < P2_SOURCES; ++s) b->happens(s, 3);
  for (unsigned i = 0; i < 22; ++i) EXPECT_EQ(saved.count(i), not_saved.count(i)) << i;
}

TEST(P2Snapshot, AMonitorAsleepStaysAsleep) {
  Bench b, fresh({.awake = false});
  b.make_busy();
  p2_pre_save(&fresh.monitors[0]);
  char why[PB_WHY_BYTES] = "";
  ASSERT_TRUE(p2_load(&b.monitors[0], &fresh.state(), why, sizeof why)) << why;
  EXPECT_FALSE(b.cpu().counts);
  p2_wake(&b.monitors[0]);
  for (unsigned i = 0; i < 22; ++i) EXPECT_EQ(b.count(i), 0u);
}

}  // namespace
}  // namespace perfboard::p2
