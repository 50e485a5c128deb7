// SPDX-License-Identifier: GPL-2.0-or-later
//
// Snapshots: a monitor that goes on from one as if nothing had been; and damaged ones, which are refused with
// the member, its value and what is legal, and leave a monitor that was reset and works.
#include <functional>
#include <random>

#include "tests/unit/smile/fixture.h"

namespace perfboard::smile {
namespace {

constexpr Bench::Options busy_options(enum smile_design design) {
  return {.entries = 8, .queue = 100, .design = design};
}

// Everything is in use: table, ring, queue, losses, a transaction under way.
void make_busy(Bench& b) {
  if (b.target().design == SMILE_DYNAMIC) {
    b.set(reg::kNode, 3);
    b.set(reg::kMaxr, 5);
    b.set(reg::kMcr, mcr::kRun | mcr::kIef);
    for (unsigned i = 0; i < 2047 + 100 + 8 + 3; ++i) b.send(write(i & 31, 2, i, 0, 9));
    b.send(read(3, 4, 5, 6, 7));
  } else {
    b.set(reg::kTimer, 100);
    b.page(1, 2, 3);
    b.event(4, 1, mask::kAll, 5, 6);
    b.counter(7, 4, 17, 16);
    b.activate(7, 0xff00);
    b.counter(8, Bench::kNoEvent, Bench::kNoEvent, 16);
    b.activate(8, 5);
  }
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

struct Damage {
  enum smile_design design;
  const char* member;
  std::function<void(SmileTarget&)> make;
};
void PrintTo(const Damage& d, std::ostream* os) { *os << d.member; }

class SmileDamaged : public testing::TestWithParam<Damage> {};

TEST_P(SmileDamaged, IsRefusedAndLeavesAMonitorThatWasReset) {
  Bench b(busy_options(GetParam().design));
  make_busy(b);
  char why[PB_WHY_BYTES] = "";
  EXPECT_TRUE(smile_state_ok(b.hwm.get(), &b.hwm->state, why, sizeof why)) << why;
  SmileState image = b.hwm->state;
  GetParam().make(image.target);
  EXPECT_FALSE(smile_load(b.hwm.get(), &image, why, sizeof why));
  EXPECT_EQ(std::string(why).rfind(std::string("target.") + GetParam().member + "=", 0), 0u) << why;

  EXPECT_TRUE(smile_state_ok(b.hwm.get(), &b.hwm->state, why, sizeof why)) << why;
  EXPECT_EQ(b.get(reg::kMcr), 0u);
  EXPECT_EQ(b.get(reg::kMsr), 8u << 16 | GetParam().design);
  EXPECT_EQ(b.get(reg::kWrp), 0xfffu);
  EXPECT_EQ(b.get(reg::kQueue), 0u);
  EXPECT_EQ(b.armed, PB_NEVER);
  EXPECT_FALSE(b.interrupt());
  // It lives on.
  b.set(reg::kMcr, mcr::kRun | mcr::kSwap);
  EXPECT_EQ(b.drain().size(), GetParam().design == SMILE_STATIC ? 16u : 0u);
}

constexpr auto kD = SMILE_DYNAMIC, kS = SMILE_STATIC;
const Damage kDamages[] = {
    {kD, "design", [](SmileTarget& t) { t.design = 3; }},
    {kD, "lost_flag", [](SmileTarget& t) { t.lost_flag = 2; }},
    {kD, "done", [](SmileTarget& t) { t.done = 2; }},
    {kD, "overflow", [](SmileTarget& t) { t.overflow = 1; }},
    {kS, "overflow", [](SmileTarget& t) { t.overflow = 0x20; }},
    {kD, "mcr", [](SmileTarget& t) { t.mcr |= 2; }},
    {kD, "mcr", [](SmileTarget& t) { t.design = SMILE_NONE; }},
    {kD, "node", [](SmileTarget& t) { t.node = 32; }},
    {kD, "maxr", [](SmileTarget& t) { t.maxr = 1u << 26; }},
    {kS, "maxr", [](SmileTarget& t) { t.maxr = 1; }},
    {kD, "mask", [](SmileTarget& t) { t.mask = 256; }},
    {kS, "mask", [](SmileTarget& t) { t.mask = 1; }},
    {kD, "timer", [](SmileTarget& t) { t.timer = 1; }},
    {kD, "rdp", [](SmileTarget& t) { t.rdp = 4096; }},
    {kD, "wrp", [](SmileTarget& t) { t.wrp = 4096; }},
    {kD, "queue_head", [](SmileTarget& t) { t.queue_head = 100; }},
    {kD, "queue_count", [](SmileTarget& t) { t.queue_count = 101; }},
    {kD, "queue_count", [](SmileTarget& t) { t.rdp = t.wrp; }},
    {kD, "lost_untold", [](SmileTarget& t) { t.lost_untold = t.lost + 1; }},
    {kD, "lost_untold", [](SmileTarget& t) { t.queue_count = 99; }},
    {kD, "transaction[63]", [](SmileTarget& t) { t.transaction[63] = 1u << 27; }},
    {kD, "used", [](SmileTarget& t) { t.used = 0x100; }},
    {kD, "used", [](SmileTarget& t) { t.used = 0xff; }},
    {kD, "used[2]", [](SmileTarget& t) { t.pair[2] = t.address[2] = t.count[2] = 0, t.used = 4; }},
    {kD, "pair[7]", [](SmileTarget& t) { t.pair[7] |= 0x20; }},
    {kD, "pair[7]", [](SmileTarget& t) { t.pair[7] &= 0x7fffffff; }},
    {kD, "pair[8]", [](SmileTarget& t) { t.pair[8] = t.pair[7]; }},
    {kD, "address[1]", [](SmileTarget& t) { t.address[1] = 1u << 26; }},
    {kD, "address[9]", [](SmileTarget& t) { t.address[9] = 1; }},
    {kD, "count[1]", [](SmileTarget& t) { t.count[1] = 0; }},
    {kD, "count[9]", [](SmileTarget& t) { t.count[9] = 1; }},
    {kS, "pair[0]", [](SmileTarget& t) { t.pair[0] = 1u << 31; }},
    {kS, "page[3]", [](SmileTarget& t) { t.page[3] = 1u << 30; }},
    {kD, "page[3]", [](SmileTarget& t) { t.page[3] = 1; }},
    {kS, "event[15]", [](SmileTarget& t) { t.event[15] = 0x20; }},
    {kS, "event_range[0]", [](SmileTarget& t) { t.event_range[0] = 0x400; }},
    {kS, "counter_event[15]", [](SmileTarget& t) { t.counter_event[15][2] = 0x20; }},
    {kD, "counter_event[0]", [](SmileTarget& t) { t.counter_event[0][0] = 1; }},
    {kD, "value[5]", [](SmileTarget& t) { t.value[5] = 1; }},
    {kD, "active", [](SmileTarget& t) { t.active = 1; }},
    {kS, "timer_next", [](SmileTarget& t) { t.timer_next = PB_NEVER; }},
    {kS, "timer_next", [](SmileTarget& t) { t.timer = 0; }},
    {kD, "timer_next", [](SmileTarget& t) { t.timer_next = 0; }},
    {kD, "frl_ns[0]", [](SmileTarget& t) { t.frl_seen[0] = 1, t.frl_ns[0] = 20; }},
    {kD, "frl_seen[1]", [](SmileTarget& t) { t.frl_seen[1] = 2; }},
    {kD, "frl_ns[3]", [](SmileTarget& t) { t.frl_seen[3] = 1, t.frl_ns[3] = 20480; }},
    {kD, "frl_last[1023]", [](SmileTarget& t) { t.frl_last[1023] = 5; }},
    {kD, "frl_records[2]", [](SmileTarget& t) { t.frl_records[2] = 65; }},
};
INSTANTIATE_TEST_SUITE_P(Members, SmileDamaged, testing::ValuesIn(kDamages));

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
