// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is odd about the card as it looks from outside: processors' own windows, what wakes a monitor, the
// effects' values; and the manual page's sequences.
#include "hw/power2/view.h"

#include <functional>
#include <map>

#include "hw/power2/registers.h"
#include "tests/unit/model/sequence_walk.h"
#include "tests/unit/power2/fixture.h"

namespace perfboard::p2 {
namespace {

const BoardView& view = p2_view();

constexpr uint32_t window(unsigned n, uint32_t r) { return reg::kWindow + reg::kWindowBytes * n + r; }

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
  EXPECT_TRUE(before == b.state()) << "asleep as before";
  EXPECT_FALSE(view.peek(&b.card, 0, {.reg = &kRegisters[0], .unit = 1})) << "no such monitor";
}

TEST(P2View, WhatAnAccessReaches) {
  Bench b({.monitors = 2});
  const struct {
    uint64_t first;
    uint32_t bytes;
    int vcpu;
    std::string_view name;  // of the register; "": none
    uint64_t word = 0;      // of two
  } rows[] = {
      {reg::kImr, 4, 0, "IMR"},
      {reg::kImr, 4, 1, "IMR"},
      {reg::kImr, 4, -1, ""},  // nobody's own window
      {reg::kImr, 4, 2, ""},
      {0x100, 4, 0, ""},
      {window(2, 0), 4, 0, ""},  // there are two
      {8, 8, 0, "FPU2", 4},
      {4, 4, 0, "FPU0"},
      {4, 8, 0, ""},
      {4, 2, 0, ""},
      {5, 1, 0, ""},
  };
  for (const auto& row : rows) {
    const Place place = place_of(view, &b.card, 0, row.first + row.word,
                                 {.first = row.first, .bytes = row.bytes, .vcpu = row.vcpu});
    EXPECT_EQ(place.reg ? place.reg->name : "", row.name) << row.first << ' ' << row.vcpu;
    if (place.reg) {
      EXPECT_EQ(place.unit, row.vcpu);
    }
  }
  EXPECT_FALSE(view.place(&b.card, 0, reg::kImr).reg) << "nobody asks";
}

TEST(P2View, Effects) {
  Bench b({.power = false, .awake = false});
  b.load(0, 4);
  b.load(0, 4);
  EXPECT_EQ(b.told(view), "awake=0") << "once";
  b.mode(mmcr::kDp);
  b.mode(mmcr::kDp | mmcr::fpu(3));
  b.mode(mmcr::kDis);
  EXPECT_EQ(b.told(view), "counting=" + std::to_string(P2_USER | P2_USER_MARKED) + " counting=0");
  b.set(reg::kMark, 1);
  b.set(reg::kImr, 0x90);
  EXPECT_EQ(b.told(view), "marked=1 matching=144");
  b.errors(3);
  EXPECT_EQ(b.told(view), "") << "nothing counts";
  b.mode(0);
  b.effects.clear();
  b.errors(3);
  b.errors(UINT32_MAX);
  EXPECT_EQ(b.told(view), "errors-counted=3 errors-counted=4294967295 rolled-over=21");
}

TEST(P2View, RollOverIsToldOnce) {
  Bench b;
  b.set(reg::counter(kInstructions), 0xfffffff0);
  b.happens(P2S_insns, 0xf);
  EXPECT_EQ(b.count(kInstructions), 0xffffffffu);
  EXPECT_EQ(b.told(view), "");
  b.happens(P2S_insns, 3);
  EXPECT_EQ(b.count(kInstructions), 2u);
  EXPECT_EQ(b.told(view), "rolled-over=10");
  b.happens(P2S_insns, 1);
  EXPECT_EQ(b.count(kInstructions), 3u);
  EXPECT_EQ(b.told(view), "");

  b.set(reg::counter(kInstructions), 0xffffffff);
  b.happens(P2S_insns, 1);
  b.effects.clear();
  b.mode(mmcr::kDis);
  EXPECT_EQ(b.told(view), "rolled-over=10 counting=0") << "settled by the write";
  EXPECT_EQ(b.count(kInstructions), 0u);
}

// --- the manual page's programming sequences, each walked by a program that does as it says, as log and
// coverage see it (what they count: sequences_test.cc)

// A bench whose accesses somebody looks at.
struct Seen {
  explicit Seen(std::string_view sequence) : walk(p2_view(), &bench.card, sequence) {
    bench.on_effect = [this](unsigned number, uint64_t value) { walk.tell(number, value); };
  }
  void write(uint32_t offset, uint64_t value, uint32_t bytes = 4) {
    walk.write(0, offset, bytes, value, [&] { bench.store(offset, bytes, value); });
  }
  uint64_t read(uint32_t offset, uint32_t bytes = 4) {
    return walk.read(0, offset, bytes, [&] { return bench.load(offset, bytes); });
  }

  Bench bench;
  SequenceWalk walk;
};

constexpr uint32_t kCycleRegister = reg::counter(kCycleCounter);

// A choice of who counts, a look, and the end.
void count_some(Seen& s, uint32_t mmcr) {
  s.write(reg::kMmcr, mmcr::kDis);
  s.write(kCycleRegister, 0);
  s.write(reg::kMmcr, mmcr);
  s.read(kCycleRegister);
  s.write(reg::kMmcr, mmcr::kDis);
}

const std::map<std::string_view, std::function<void(Seen&)>> kPrograms = {
    {"one-process", [](Seen& s) { count_some(s, mmcr::kDmr); }},
    {"all-but-one", [](Seen& s) { count_some(s, mmcr::kDms); }},
    {"kernel-only", [](Seen& s) { count_some(s, mmcr::kDu); }},
    {"user-only", [](Seen& s) { count_some(s, mmcr::kDp); }},
    {"private-counters",
     [](Seen& s) {
       uint64_t saved[12];
       s.write(reg::kMmcr, mmcr::kDis);
       for (unsigned i = 0; i < 12; ++i) saved[i] = s.read(8 * i, 8);
       for (unsigned i = 12; i-- > 1;) s.write(8 * i, saved[i], 8);
       s.write(0, saved[0] & ~uint64_t{mmcr::kDis}, 8);
     }},
    {"segment",
     [](Seen& s) {
       s.write(reg::kMmcr, 0);
       s.write(reg::kMmcr, mmcr::kDis);
       s.read(kCycleRegister);
     }},
    {"interval",
     [](Seen& s) {
       s.write(reg::kMmcr, mmcr::fxu(13));
       s.write(reg::kSpe, 1);
       s.bench.happens(P2S_cycles, 17);
       s.write(reg::kSpe, 0);
       EXPECT_EQ(s.read(reg::counter(kFxu + 1)), 17u) << "the counter that the manual names";
     }},
    {"opcodes",
     [](Seen& s) {
       s.write(reg::kImr, 0x7c000214);
       s.write(reg::kMmcr, mmcr::fxu(13));
       s.bench.happens(P2S_imr_matches, 4);
       EXPECT_EQ(s.read(reg::counter(kFxu)), 4u);
       s.write(reg::kImr, 0);
     }},
    {"storage",
     [](Seen& s) {
       s.write(reg::kMmcr, mmcr::kSga);
       s.read(reg::counter(kFpu));
       s.read(reg::counter(kScu + 4));
     }},
};

TEST(P2View, EverySequenceCanBeWalked) {
  for (const Sequence& sequence : p2_view().sequences) {
    const auto program = kPrograms.find(sequence.name);
    ASSERT_NE(program, kPrograms.end()) << sequence.name;
    Seen s(sequence.name);
    program->second(s);
    EXPECT_EQ(s.walk.next(), "") << sequence.name;
  }
}

}  // namespace
}  // namespace perfboard::p2
