// SPDX-License-Identifier: GPL-2.0-or-later
//
// Snapshots: a monitor that goes on from one as if nothing had been, and what time does to one.
#include <random>

#include "tests/unit/smile/fixture.h"

namespace perfboard::smile {
namespace {

constexpr Bench::Options busy_options(enum smile_design design) {
  return {.entries = 8, .queue = 100, .design = design};
}

std::vector<Record> go_on(Bench& b) {
  std::vector<Record> all;
  std::mt19937 random(5);
  for (int i = 0; i < 5000; ++i) {
    b.send(random() % 2 ? read(random() & 3, 2, random() & 15, random() & 7, random() & 63)
                        : response(kReadType, 2, random() & 3, random() & 63));
    if (b.target().design == SMILE_STATIC) b.global(1 + random() % 15);
    if (i % 100 == 0)
      for (const Record& r : b.records()) all.push_back(r);
  }
  b.set(reg::kMcr, mcr::kRun | mcr::kSwap);
  for (const Record& r : b.drain()) all.push_back(r);
  return all;
}

class SmileSnapshot : public testing::TestWithParam<enum smile_design> {};

TEST_P(SmileSnapshot, GoesOnAsIfNothingHadBeen) {
  Bench a(busy_options(GetParam())), b(busy_options(GetParam()));
  make_busy(a);
  smile_pre_save(a.hwm.get());
  b.now = a.now;
  std::memcpy(b.ring, a.ring, sizeof a.ring);
  b.queue_bytes.assign(a.queue_bytes.begin(), a.queue_bytes.end());
  b.config.swap_queue = b.hwm->config.swap_queue = b.queue_bytes.data();
  char why[PB_WHY_BYTES] = "";
  ASSERT_TRUE(smile_load(b.hwm.get(), &a.hwm->state, why, sizeof why)) << why;
  EXPECT_EQ(b.armed, a.armed);
  EXPECT_EQ(b.hwm->free, a.hwm->free);
  a.waves.clear();
  EXPECT_EQ(go_on(a), go_on(b));
  ASSERT_EQ(a.waves.size(), b.waves.size());
  for (size_t i = 0; i < a.waves.size(); ++i) {
    ASSERT_EQ(a.waves[i].entry, b.waves[i].entry) << i;
    ASSERT_EQ(a.waves[i].last, b.waves[i].last) << i;
  }
  EXPECT_EQ(a.now, b.now);
  for (uint32_t offset = 0; offset < 0x1000; offset += 4)
    EXPECT_EQ(a.get(offset), b.get(offset)) << std::hex << offset;
}
INSTANTIATE_TEST_SUITE_P(Designs, SmileSnapshot, testing::Values(SMILE_STATIC, SMILE_DYNAMIC));

// What a timer that stood still would have to catch up with would hold the machine.
TEST(SmileDamagedTimer, LongAgo) {
  Bench b(busy_options(SMILE_STATIC));
  b.now = 100'000'000'000;
  make_busy(b);
  SmileState image = b.hwm->state;
  image.target.timer_next = 0;
  char why[PB_WHY_BYTES] = "";
  EXPECT_FALSE(smile_load(b.hwm.get(), &image, why, sizeof why));
  EXPECT_EQ(std::string(why).rfind("target.timer_next=0: ", 0), 0u) << why;
}

// While a snapshot is loaded the clock may show less than when it was saved.
TEST(SmileSnapshotTime, TimeThatGoesBackIsNoDamage) {
  for (const auto design : {SMILE_STATIC, SMILE_DYNAMIC}) {
    Bench b(busy_options(design));
    make_busy(b);
    const SmileState image = b.hwm->state;
    b.now = 0;
    char why[PB_WHY_BYTES] = "";
    EXPECT_TRUE(smile_load(b.hwm.get(), &image, why, sizeof why)) << why;
  }
}

}  // namespace
}  // namespace perfboard::smile
