// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the card looks like from outside is what it is: each register is found at its place, a peek is what a
// read would give, and each mistake and effect of the lists can happen.
#include "hw/power2/view.h"

#include <functional>
#include <map>
#include <random>
#include <set>

#include "hw/core/view_check.h"
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

TEST(P2View, EveryRegisterHasItsPlace) {
  Bench b({.monitors = 3});
  for (unsigned w = 0; w < view.windows.size(); ++w) {
    std::set<std::pair<const Register*, int>> found;
    for (uint64_t offset = 0; offset < view.windows[w].bytes; ++offset) {
      const Place place = view.place(&b.card, w, offset);
      if (!place.reg) continue;
      EXPECT_EQ(place.byte, w ? 3 - offset % 4 : offset % 4);
      found.insert({place.reg, place.unit});
    }
    for (const Register& r : kCard) EXPECT_TRUE(found.count({&r, -1})) << r.name;
    for (const Register& r : kRegisters)
      for (int n = 0; n < 3; ++n) EXPECT_TRUE(found.count({&r, n})) << r.name << " of " << n;
    EXPECT_EQ(found.size(), std::size(kCard) + 3 * std::size(kRegisters));
  }
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

TEST(P2View, PeekIsWhatAReadGives) {
  for (const bool power : {true, false}) {
    Bench b({.power = power, .monitors = 2});
    std::mt19937 random(power);
    for (int step = 0; step < 2000; ++step) {
      const unsigned n = random() % 2;
      switch (random() % 6) {
        case 0:
          b.set(reg::kMmcr, random(), n);
          break;
        case 1:
          b.set(4 * (random() % 28), random(), n);
          break;
        case 2:
          b.context(random() % 2, power && random() % 2, n);
          break;
        default:
          b.happens(random() % P2_SOURCES, random() % 100000, n);
      }
      for (const Register& r : kRegisters) {
        const uint64_t offset = window(n, r.offset);
        const Place place = asked(b, offset, offset, 4, -1);
        const auto before = view.peek(&b.card, 0, place);
        ASSERT_TRUE(before.has_value()) << r.name;
        ASSERT_EQ(*before, b.get(r.offset, n)) << r.name << ", step " << step;
      }
    }
    for (const Register& r : kCard)
      EXPECT_EQ(view.peek(&b.card, 0, {.reg = &r}), b.load(r.offset, 4)) << r.name;
  }
}

TEST(P2View, PeekChangesNothing) {
  Bench b({.awake = false});
  const P2State before = b.state();
  for (const std::span<const Register> table : view.tables)
    for (const Register& r : table) view.peek(&b.card, 0, {.reg = &r, .unit = 0});
  EXPECT_EQ(std::memcmp(&before, &b.state(), sizeof before), 0) << "asleep as before";
  EXPECT_FALSE(view.peek(&b.card, 0, {.reg = &kRegisters[0], .unit = 1})) << "no such monitor";
  EXPECT_TRUE(b.effects.empty() && b.mistakes.empty());
}

struct Way {
  const char* what;
  std::function<void(Bench&)> go;
  bool power = true;
};

TEST(P2View, EveryMistakeCanBeMade) {
  const std::map<unsigned, std::vector<Way>> all = {
      {kBadSize,
       {{"2 bytes", [](Bench& b) { b.load(0, 2); }}, {"not aligned", [](Bench& b) { b.store(4, 8, 0); }}}},
      {kNotOwn, {{"a debugger", [](Bench& b) { b.load(0, 4, false, -1); }}}},
      {kNoMonitor,
       {{"the second", [](Bench& b) { b.load(window(1, 0), 4); }},
        {"behind the own", [](Bench& b) { b.store(0x200, 4, 0); }}}},
      {kNoRegister,
       {{"read", [](Bench& b) { b.load(0x70, 4); }}, {"write", [](Bench& b) { b.store(0xfc, 4, 0); }}}},
      {kReadOnly, {{"STATE", [](Bench& b) { b.store(reg::kState, 4, 0); }}}},
      {kMarkReadOnly, {{"POWER", [](Bench& b) { b.store(reg::kMark, 4, 1); }}}},
      {kReservedBits,
       {{"bit 6", [](Bench& b) { b.store(0, 4, mmcr::bit(6)); }},
        {"bit 15", [](Bench& b) { b.store(0, 4, mmcr::bit(15)); }}}},
      {kNoSuchBits,
       {{"SPE", [](Bench& b) { b.store(reg::kSpe, 4, 2); }},
        {"MARK", [](Bench& b) { b.store(reg::kMark, 4, 2); }, false}}},
      {kNoCardWord, {{"0x830", [](Bench& b) { b.load(0x830, 4); }}}},
      {kCardReadOnly, {{"MAGIC", [](Bench& b) { b.store(0x800, 4, 1); }}}},
  };
  for (unsigned number = 0; number < view.mistakes.size(); ++number) {
    const auto ways = all.find(number);
    ASSERT_NE(ways, all.end()) << view.mistakes[number].name;
    for (const Way& way : ways->second) {
      Bench b({.power = way.power});
      way.go(b);
      ASSERT_EQ(b.mistakes, std::vector<unsigned>{number}) << view.mistakes[number].name << ": " << way.what;
    }
  }
}

TEST(P2View, Effects) {
  Bench b({.power = false, .awake = false});
  b.load(0, 4);
  b.load(0, 4);
  EXPECT_EQ(b.effects, (std::vector<Told>{{kAwake, 0}})) << "once";
  b.effects.clear();
  b.set(reg::kMmcr, mmcr::kDp);
  b.set(reg::kMmcr, mmcr::kDp | mmcr::fpu(3));
  b.set(reg::kMmcr, mmcr::kDis);
  EXPECT_EQ(b.effects, (std::vector<Told>{{kCounting, P2_USER | P2_USER_MARKED}, {kCounting, 0}}));
  b.effects.clear();
  b.set(reg::kMark, 1);
  b.set(reg::kImr, 0x90);
  EXPECT_EQ(b.effects, (std::vector<Told>{{kMarked, 1}, {kMatching, 0x90}}));
  b.effects.clear();
  p2_correctable_errors(&b.monitors[0], 3);
  EXPECT_TRUE(b.effects.empty()) << "nothing counts";
  b.set(reg::kMmcr, 0);
  b.effects.clear();
  p2_correctable_errors(&b.monitors[0], 3);
  p2_correctable_errors(&b.monitors[0], UINT32_MAX);
  EXPECT_EQ(b.effects, (std::vector<Told>{
                           {kErrorsCounted, 3}, {kErrorsCounted, UINT32_MAX}, {kRolledOver, kErrorCounter}}));
}

TEST(P2View, RollOverIsToldOnce) {
  Bench b;
  b.set(reg::counter(kInstructions), 0xfffffff0);
  b.happens(P2S_insns, 0xf);
  EXPECT_EQ(b.count(kInstructions), 0xffffffffu);
  EXPECT_TRUE(b.effects.empty());
  b.happens(P2S_insns, 3);
  EXPECT_EQ(b.count(kInstructions), 2u);
  EXPECT_EQ(b.effects, (std::vector<Told>{{kRolledOver, kInstructions}}));
  b.happens(P2S_insns, 1);
  EXPECT_EQ(b.count(kInstructions), 3u);
  EXPECT_EQ(b.effects.size(), 1u);

  b.set(reg::counter(kInstructions), 0xffffffff);
  b.happens(P2S_insns, 1);
  b.effects.clear();
  b.set(reg::kMmcr, mmcr::kDis);
  EXPECT_EQ(b.effects, (std::vector<Told>{{kRolledOver, kInstructions}, {kCounting, 0}}))
      << "settled by the write";
  EXPECT_EQ(b.count(kInstructions), 0u);
}

TEST(P2View, NamesWhatIsThere) {
  EXPECT_EQ(view_error(view), "");
  EXPECT_TRUE(view.conditions.empty()) << "a monitor cannot interrupt";
}

}  // namespace
}  // namespace perfboard::p2
