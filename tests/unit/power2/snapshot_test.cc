// SPDX-License-Identifier: GPL-2.0-or-later
//
// Snapshots: a copy of the state, in a monitor of another process with other totals, goes on as the first; a
// damaged one is refused, with the member, its value and what is legal, and leaves a monitor that was reset.
#include <functional>
#include <ostream>

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

struct Damage {
  const char* line;  // how the complaint begins
  std::function<void(P2State&)> make;
  bool power = false;
  friend void PrintTo(const Damage& d, std::ostream* out) { *out << d.line; }
};
class P2Damaged : public testing::TestWithParam<Damage> {};

TEST_P(P2Damaged, IsRefusedAndLeavesAMonitorThatWasReset) {
  Bench b({.power = GetParam().power});
  make_busy(b);
  p2_pre_save(&b.monitors[0]);
  P2State image = b.state();
  char why[PB_WHY_BYTES] = "";
  EXPECT_TRUE(p2_state_ok(&b.monitors[0], &image, why, sizeof why)) << why;
  GetParam().make(image);
  EXPECT_FALSE(p2_state_ok(&b.monitors[0], &image, why, sizeof why));
  EXPECT_FALSE(p2_load(&b.monitors[0], &image, why, sizeof why));
  EXPECT_EQ(std::string(why).rfind(GetParam().line, 0), 0u) << why;
  EXPECT_NE(std::string(why).find("legal"), std::string::npos) << why;
  EXPECT_FALSE(b.state().awake);
  EXPECT_FALSE(b.cpu().counts);
  EXPECT_EQ(b.cpu().matches.back(), 0u);
  p2_wake(&b.monitors[0]);
  for (uint32_t r = 0; r < reg::kMark; r += 4) EXPECT_EQ(b.get(r), 0u) << r;
  b.happens(P2S_insns, 3);
  EXPECT_EQ(b.count(kInstructions), 3u) << "it works";
}

const Damage kDamages[] = {
    {"awake=2", [](P2State& s) { s.awake = 2; }},
    {"spe=2", [](P2State& s) { s.spe = 2; }},
    {"mark=2", [](P2State& s) { s.mark = 2; }},
    {"mark=1", [](P2State& s) { s.mark = 1; }, true},
    {"mmcr=0x", [](P2State& s) { s.mmcr |= 1 << 16; }},
    {"mmcr=0x", [](P2State& s) { s.mmcr |= 1 << 25; }},
    // Asleep all is 0.
    {"spe=1", [](P2State& s) { s = {.spe = 1}; }},
    {"mark=1", [](P2State& s) { s = {.mark = 1}; }},
    {"mmcr=0x1", [](P2State& s) { s = {.mmcr = 1}; }},
    {"imr=1", [](P2State& s) { s = {.imr = 1}; }},
    {"counter[21]=1", [](P2State& s) { s = {}, s.counter[21] = 1; }},
    {"counter[0]=4", [](P2State& s) { s = {}, s.counter[0] = 4; }},
};
INSTANTIATE_TEST_SUITE_P(Members, P2Damaged, testing::ValuesIn(kDamages));

}  // namespace
}  // namespace perfboard::p2
