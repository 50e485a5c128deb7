// SPDX-License-Identifier: GPL-2.0-or-later
//
// The adapters as log, coverage and patterns see them, and their errors on purpose.
#include "hw/sci/view.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>

#include "hw/core/view_check.h"
#include "hw/sci/timing.h"
#include "tests/unit/sci/fixture.h"

namespace perfboard::sci {
namespace {

const BoardView& view = sci_view();

struct ViewBench : SciBench {
  explicit ViewBench(Setup setup = {}) : SciBench(setup) {
    adapter()->host.mistake = [](void* o, unsigned number, const char*) { self(o).mistakes.insert(number); };
    adapter()->host.effect = [](void* o, unsigned number, uint64_t value) {
      self(o).effects[number].push_back(value);
    };
  }
  std::set<unsigned> mistakes;
  std::map<unsigned, std::vector<uint64_t>> effects;

 private:
  static ViewBench& self(void* o) { return static_cast<ViewBench&>(*static_cast<SciBench*>(o)); }
};

TEST(SciView, NamesWhatIsThere) { EXPECT_EQ(view_error(view), ""); }

TEST(SciView, FindsEveryRegisterAndNothingElse) {
  ViewBench b;
  std::set<std::pair<const Register*, int>> found;
  uint32_t entries = 0;
  for (uint32_t offset = 0; offset < SCI_REGISTER_BYTES; ++offset) {
    const Place p = view.place(b.adapter(), 0, offset);
    EXPECT_EQ(p.byte, offset % 4);
    if (!p.reg) continue;
    found.insert({p.reg, p.unit});
    EXPECT_EQ(p.index >= 0, entries_of(view, *p.reg) == SCI_MAX_PAGES) << p.reg->name;
    if (p.reg == &kTable[0] && p.byte == 0) {
      EXPECT_EQ(p.index, static_cast<int>(entries++));
    }
  }
  for (const Register& r : kRegisters) EXPECT_TRUE(found.count({&r, -1})) << r.name;
  for (const Register& r : kStatistics)
    for (int node = 0; node < 4; ++node) EXPECT_TRUE(found.count({&r, node})) << r.name;
  EXPECT_EQ(found.size(), std::size(kRegisters) + 4 * std::size(kStatistics) + 1);
  EXPECT_EQ(entries, 16u);
  EXPECT_FALSE(view.place(b.adapter(), 1, 0).reg);
  EXPECT_FALSE(view.place(b.adapter(), 0, SCI_REGISTER_BYTES).reg);
  EXPECT_FALSE(view.peek(b.adapter(), 0, Place{}));
}

TEST(SciView, PeekIsWhatAReadGivesAndChangesNothing) {
  for (const bool latency : {false, true}) {
    ViewBench b({.latency = latency});
    std::mt19937 random(latency);
    for (uint32_t page = 0; page < 16; ++page) b.home(page, random() % 4);
    for (int round = 0; round < 400; ++round) {
      b.now += random() % 5000;
      const uint32_t vcpu = random() % 4;
      const uint64_t offset = random() % (b.memory.size() - 8) & ~7u;
      if (random() % 2)
        b.load(vcpu, offset, 8);
      else
        b.store(vcpu, offset, 4);
      const uint32_t at = random() % 3   ? kStatisticsBase + random() % (4 * kStatisticsStep)
                          : random() % 2 ? random() % 0x20
                                         : kAtt + random() % 64;
      const Place p = view.place(b.adapter(), 0, at & ~3u);
      if (!p.reg) continue;
      SciState before;
      std::memcpy(&before, &b.state(), sizeof before);
      const std::optional<uint32_t> peeked = view.peek(b.adapter(), b.now, p);
      ASSERT_TRUE(peeked) << p.reg->name;
      ASSERT_EQ(std::memcmp(&before, &b.state(), sizeof before), 0);
      b.state().latched[SCI_READERS - 1] = 0;
      EXPECT_EQ(*peeked & p.reg->readable(), b.read(at & ~3u)) << p.reg->name;
    }
  }
}

TEST(SciView, EveryMistakeIsToldOf) {
  const std::map<unsigned, void (*)(ViewBench&)> all = {
      {kStrangeVcpu, [](ViewBench& b) { b.load(9, 0); }},
      {kNoRegister, [](ViewBench& b) { b.read(0x20), b.write(kAtt + 4 * 16, 0); }},
      {kBadHome, [](ViewBench& b) { b.home(0, 4); }},
      {kReadOnly, [](ViewBench& b) { b.write(kId, 0), b.write(kStatisticsBase, 0); }},
      {kNarrowWrite, [](ViewBench& b) { sci_register_write(b.adapter(), kCtrl, 0, 2, 0); }},
  };
  for (unsigned number = 0; number < kMistakes; ++number) {
    ViewBench b;
    all.at(number)(b);
    EXPECT_EQ(b.mistakes, std::set<unsigned>{number}) << view.mistakes[number].name;
  }
}

// The manual's sequences, as a driver walks them: no mistake on the way, and they do what they say.
TEST(SciView, SequencesAreWalked) {
  ViewBench b({.enable = false});
  for (const uint32_t offset : {kId, kVersion, kNodes, kPages}) b.read(offset);
  b.home(3, 1);
  b.write(kCtrl, 3);
  EXPECT_TRUE(sci_enabled(b.adapter()));
  b.load(0, 0x3000);
  EXPECT_EQ(b.read(kStatisticsBase), 1u);
  EXPECT_EQ(b.read(kStatisticsBase + 4), 0u);
  b.write(kCtrl, 0);
  EXPECT_FALSE(sci_enabled(b.adapter()));
  EXPECT_TRUE(b.mistakes.empty());
  EXPECT_EQ(b.effects[kCleared].size(), 1u);
  EXPECT_EQ(b.effects[kSwitched], (std::vector<uint64_t>{1, 0}));
  EXPECT_EQ(b.effects[kLatched], std::vector<uint64_t>{kStatisticsBase});
  EXPECT_EQ(b.effects[kRequestSent], std::vector<uint64_t>{1u << 8});
}

TEST(SciView, EveryEffectIsToldOf) {
  ViewBench b({.latency = true});
  b.home(1, 1);
  b.access({.offset = 0x1000, .bytes = 4, .vcpu = 0, .store = true, .write_combining = true});
  b.load(0, 0);
  for (int i = 0; i < 65; ++i) b.store(0, 0x1000);
  for (const unsigned which : {SCI_INJECT_DROP, SCI_INJECT_LATE, SCI_INJECT_DAMAGE})
    sci_inject(b.adapter(), which, 1);
  for (int i = 0; i < 3; ++i) b.store(2, 0x1000);
  b.read(kStatisticsBase);
  b.write(kCtrl, 2);
  for (unsigned i = 0; i < kEffects; ++i) EXPECT_FALSE(b.effects[i].empty()) << view.effects[i].name;
}

// --- errors on purpose -----------------------------------------------------------------------------

struct InjectBench : SciBench {
  explicit InjectBench(Setup setup = {}) : SciBench(setup) { home(1, 1); }
  void inject(unsigned which, uint64_t value) { sci_inject(adapter(), which, value); }
};

TEST(SciInject, WhatIsLostIsOnItsOwnBLinkOnly) {
  InjectBench b;
  b.inject(SCI_INJECT_DROP, 2);
  b.load(0, 0x1000);
  b.store(0, 0x1004);
  b.load(0, 0x1008);
  EXPECT_EQ(b.take(), (Lines{"0: 0>1 read #0 1.000", "0: 0>1 write #1 1.004", "0: 0>1 read #2 1.008",
                             "1: 0>1 read #2 1.008", "1: 1>0 read' #2 1.008", "0: 1>0 read' #2 1.008"}));
  EXPECT_EQ(b.count(0, kReads), 2u);
  EXPECT_EQ(b.count(0, kWrites), 1u);
  EXPECT_EQ(b.count(1, kReceived), 1u);
  EXPECT_EQ(sci_injected(b.adapter(), SCI_INJECT_DROP), 0u);
}

TEST(SciInject, ALinkThatStopsLosesAllUntilItGoesOn) {
  InjectBench b;
  b.inject(SCI_INJECT_STOP, 1);
  b.inject(SCI_INJECT_DROP, 1);
  for (int i = 0; i < 5; ++i) b.load(0, 0x1000);
  EXPECT_EQ(b.count(1, kReceived), 0u);
  b.inject(SCI_INJECT_STOP, 0);
  EXPECT_EQ(sci_injected(b.adapter(), SCI_INJECT_DROP), 1u) << "not used up meanwhile";
  b.load(0, 0x1000);
  b.load(0, 0x1000);
  EXPECT_EQ(b.count(1, kReceived), 1u);
}

TEST(SciInject, LateIsLaterByTheTablesTime) {
  InjectBench b, same;
  b.inject(SCI_INJECT_LATE, 1);
  b.load(0, 0x1000);
  same.load(0, 0x1000);
  ASSERT_EQ(b.seen().size(), 4u);
  EXPECT_EQ(b.seen()[0].ns, same.packets[0].ns);
  for (int i = 1; i < 4; ++i) EXPECT_EQ(b.seen()[i].ns, same.packets[i].ns + timing("LATE")) << i;
}

TEST(SciInject, ADamagedOneHasAnotherTransIdFromItsHomeOn) {
  InjectBench b;
  b.inject(SCI_INJECT_DAMAGE, 1);
  b.load(0, 0x1000);
  EXPECT_EQ(b.take(), (Lines{"0: 0>1 read #0 1.000", "1: 0>1 read #32 1.000", "1: 1>0 read' #32 1.000",
                             "0: 1>0 read' #32 1.000"}));
}

TEST(SciInject, AProcessorWaitsForWhatIsLostAndForWhatIsLate) {
  const auto waited = [](unsigned which) {
    InjectBench b({.latency = true});
    if (which < 4) b.inject(which, 1);
    SciAccess a = {.offset = 0x1000, .bytes = 4, .vcpu = 0, .can_wait = true};
    EXPECT_EQ(b.access(a), SCI_WAIT);
    const uint64_t wait = b.until - b.now;
    b.now = b.until;
    EXPECT_EQ(b.access(a), SCI_DONE);
    EXPECT_EQ(b.count(0, kWait), wait);
    EXPECT_EQ(b.seen().size(), which == SCI_INJECT_DROP ? 1u : 4u);
    return wait;
  };
  const uint64_t plain = waited(4);
  EXPECT_EQ(waited(SCI_INJECT_DROP), timing("TIMEOUT"));
  EXPECT_EQ(waited(SCI_INJECT_LATE), plain + timing("LATE"));
  EXPECT_EQ(waited(SCI_INJECT_DAMAGE), plain);
}

TEST(SciInject, AResetLeavesItAndASnapshotHasIt) {
  InjectBench b, other;
  for (unsigned which = SCI_INJECT_DROP; which <= SCI_INJECT_STOP; ++which) {
    b.inject(which, which + 1);
    EXPECT_EQ(sci_injected(b.adapter(), which), which == SCI_INJECT_STOP ? 1u : which + 1);
  }
  sci_reset(b.adapter());
  EXPECT_EQ(sci_injected(b.adapter(), SCI_INJECT_DAMAGE), 3u);
  char why[PB_WHY_BYTES];
  EXPECT_TRUE(sci_load(other.adapter(), &b.state(), why, sizeof why)) << why;
  EXPECT_EQ(sci_injected(other.adapter(), SCI_INJECT_LATE), 2u);
  b.state().inject.stop = 2;
  EXPECT_FALSE(sci_load(other.adapter(), &b.state(), why, sizeof why));
  EXPECT_NE(std::string(why).find("stop"), std::string::npos) << why;
}

}  // namespace
}  // namespace perfboard::sci
