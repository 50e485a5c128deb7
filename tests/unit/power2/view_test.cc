// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is odd about the card as it looks from outside: processors' own windows, what wakes a monitor, the
// effects' values.
#include "hw/power2/view.h"

#include "hw/power2/registers.h"
#include "tests/unit/power2/fixture.h"

namespace perfboard::p2 {
namespace {

using Told = std::pair<unsigned, uint64_t>;

const BoardView& view = p2_view();

constexpr uint32_t window(unsigned n, uint32_t r) { return reg::kWindow + reg::kWindowBytes * n + r; }

Place asked(const Bench& b, uint64_t offset, uint64_t first, uint32_t bytes, int vcpu) {
  return place_of(view, &b.card, 0, offset, {.first = first, .bytes = bytes, .vcpu = vcpu});
}

TEST(P2View, EachMonitorHasItsWindow) {
  Bench b({.monitors = 3});
  for (const Register& r : kRegisters)
    for (int n = 0; n < 3; ++n) {
      const Place place = view.place(&b.card, 0, window(static_cast<unsigned>(n), r.offset));
      EXPECT_TRUE(place.reg == &r && place.unit == n) << r.name << " of " << n;
    }
}

TEST(P2View, APeekWakesNobody) {
  Bench b({.awake = false});
  const P2State before = b.state();
  for (const std::span<const Register> table : view.tables)
    for (const Register& r : table) view.peek(&b.card, 0, {.reg = &r, .unit = 0});
  EXPECT_EQ(std::memcmp(&before, &b.state(), sizeof before), 0) << "asleep as before";
  EXPECT_FALSE(view.peek(&b.card, 0, {.reg = &kRegisters[0], .unit = 1})) << "no such monitor";
}

TEST(P2View, TheOwnWindowIsWhoseAsks) {
  Bench b({.monitors = 2});
  for (int n = 0; n < 2; ++n) {
    const Place place = asked(b, reg::kImr, reg::kImr, 4, n);
    ASSERT_TRUE(place.reg);
    EXPECT_EQ(place.reg->name, "IMR");
    EXPECT_EQ(place.unit, n);
  }
  EXPECT_FALSE(asked(b, reg::kImr, reg::kImr, 4, -1).reg) << "nobody's";
  EXPECT_FALSE(asked(b, reg::kImr, reg::kImr, 4, 2).reg);
  EXPECT_FALSE(view.place(&b.card, 0, reg::kImr).reg);
  EXPECT_FALSE(asked(b, 0x100, 0x100, 4, 0).reg);
  EXPECT_FALSE(asked(b, window(2, 0), window(2, 0), 4, 0).reg) << "there are two";
}

TEST(P2View, OnlyAlignedWordsReachAnything) {
  Bench b;
  EXPECT_EQ(asked(b, 12, 8, 8, 0).reg->name, "FPU2") << "the second of two";
  EXPECT_EQ(asked(b, 4, 4, 4, 0).reg->name, "FPU0");
  EXPECT_FALSE(asked(b, 4, 4, 8, 0).reg);
  EXPECT_FALSE(asked(b, 4, 4, 2, 0).reg);
  EXPECT_FALSE(asked(b, 5, 5, 1, 0).reg);
}

TEST(P2View, Effects) {
  Bench b({.power = false, .awake = false});
  b.load(0, 4);
  b.load(0, 4);
  EXPECT_EQ(b.effects, (std::vector<Told>{{effect("awake"), 0}})) << "once";
  b.effects.clear();
  b.set(reg::kMmcr, mmcr::kDp);
  b.set(reg::kMmcr, mmcr::kDp | mmcr::fpu(3));
  b.set(reg::kMmcr, mmcr::kDis);
  EXPECT_EQ(b.effects,
            (std::vector<Told>{{effect("counting"), P2_USER | P2_USER_MARKED}, {effect("counting"), 0}}));
  b.effects.clear();
  b.set(reg::kMark, 1);
  b.set(reg::kImr, 0x90);
  EXPECT_EQ(b.effects, (std::vector<Told>{{effect("marked"), 1}, {effect("matching"), 0x90}}));
  b.effects.clear();
  p2_correctable_errors(&b.monitors[0], 3);
  EXPECT_TRUE(b.effects.empty()) << "nothing counts";
  b.set(reg::kMmcr, 0);
  b.effects.clear();
  p2_correctable_errors(&b.monitors[0], 3);
  p2_correctable_errors(&b.monitors[0], UINT32_MAX);
  EXPECT_EQ(b.effects, (std::vector<Told>{{effect("errors-counted"), 3},
                                          {effect("errors-counted"), UINT32_MAX},
                                          {effect("rolled-over"), kErrorCounter}}));
}

TEST(P2View, RollOverIsToldOnce) {
  Bench b;
  b.set(reg::counter(kInstructions), 0xfffffff0);
  b.happens(P2S_insns, 0xf);
  EXPECT_EQ(b.count(kInstructions), 0xffffffffu);
  EXPECT_TRUE(b.effects.empty());
  b.happens(P2S_insns, 3);
  EXPECT_EQ(b.count(kInstructions), 2u);
  EXPECT_EQ(b.effects, (std::vector<Told>{{effect("rolled-over"), kInstructions}}));
  b.happens(P2S_insns, 1);
  EXPECT_EQ(b.count(kInstructions), 3u);
  EXPECT_EQ(b.effects.size(), 1u);

  b.set(reg::counter(kInstructions), 0xffffffff);
  b.happens(P2S_insns, 1);
  b.effects.clear();
  b.set(reg::kMmcr, mmcr::kDis);
  EXPECT_EQ(b.effects, (std::vector<Told>{{effect("rolled-over"), kInstructions}, {effect("counting"), 0}}))
      << "settled by the write";
  EXPECT_EQ(b.count(kInstructions), 0u);
}

}  // namespace
}  // namespace perfboard::p2
