// SPDX-License-Identifier: GPL-2.0-or-later
//
// Snapshots: a copy of the state, in a monitor of another process with other totals, goes on as the first.
#include "tests/unit/power2/fixture.h"

namespace perfboard::p2 {
namespace {

void make_busy(Bench& b) {
  b.set(reg::kMmcr, mmcr::fxu(13) | mmcr::icu(4) | mmcr::kDmr);
  b.set(reg::kImr, 0x7c000214);
  b.set(reg::kSpe, 1);
  if (b.monitors[0].config.own_mark) b.set(reg::kMark, 1);
  b.mark();
  b.set(reg::counter(kErrorCounter), 9);
  for (unsigned s = 0; s < P2_SOURCES; ++s) b.happens(s, 100 + s);
}

TEST(P2Snapshot, GoesOnAsTheFirst) {
  for (bool power : {true, false}) {
    Bench first({.power = power}), second({.power = power, .awake = false});
    make_busy(first);
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
  for (Bench* b : {&saved, &not_saved}) make_busy(*b);
  p2_pre_save(&saved.monitors[0]);
  for (Bench* b : {&saved, &not_saved})
    for (unsigned s = 0; s < P2_SOURCES; ++s) b->happens(s, 3);
  for (unsigned i = 0; i < 22; ++i) EXPECT_EQ(saved.count(i), not_saved.count(i)) << i;
}

TEST(P2Snapshot, AMonitorAsleepStaysAsleep) {
  Bench b, fresh({.awake = false});
  make_busy(b);
  p2_pre_save(&fresh.monitors[0]);
  char why[PB_WHY_BYTES] = "";
  ASSERT_TRUE(p2_load(&b.monitors[0], &fresh.state(), why, sizeof why)) << why;
  EXPECT_FALSE(b.cpu().counts);
  p2_wake(&b.monitors[0]);
  for (unsigned i = 0; i < 22; ++i) EXPECT_EQ(b.count(i), 0u);
}

}  // namespace
}  // namespace perfboard::p2
