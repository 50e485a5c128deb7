// SPDX-License-Identifier: GPL-2.0-or-later
//
// The monitor as log, coverage and patterns see it, and its errors on purpose.
#include "hw/smile/view.h"

#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "hw/core/view_check.h"
#include "hw/smile/bridge.h"
#include "hw/smile/ccm.h"
#include "hw/smile/registers.h"
#include "tests/unit/smile/fixture.h"

namespace perfboard::smile {
namespace {

const BoardView& view = smile_view();

// Hears what the monitor tells of.
struct ViewBench : Bench {
  explicit ViewBench(const Options& o = {}) : Bench(o) {
    hwm->host.log = nullptr;
    hwm->host.mistake = [](void* p, unsigned number, const char*) { self(p).mistakes.insert(number); };
    hwm->host.effect = [](void* p, unsigned number, uint64_t value) {
      self(p).effects[number].push_back(value);
    };
  }
  void inject(unsigned which, uint64_t n) { smile_inject(hwm.get(), which, n); }
  uint32_t bar0(uint32_t offset) { return smile_read(hwm.get(), offset, 4); }
  void bar0(uint32_t offset, uint32_t v) { smile_write(hwm.get(), offset, 4, v); }
  // As many regions as that: each a record, when the table is full.
  void regions(uint32_t n, uint32_t first = 0) {
    for (uint32_t i = 0; i < n; ++i) send(write(1, 0, first + i, 0));
  }
  std::set<unsigned> mistakes;
  std::map<unsigned, std::vector<uint64_t>> effects;

 private:
  static ViewBench& self(void* p) { return static_cast<ViewBench&>(*static_cast<Bench*>(p)); }
};
constexpr Bench::Options kStaticOptions = {.design = SMILE_STATIC};
constexpr uint32_t kCommandAt = SMILE_CCM_BASE + 4, kClearAt = SMILE_CCM_BASE + 0x14;

// It has a daughter board from now on, with the dynamic design.
void with_daughter(ViewBench& b) {
  SmileConfig config = b.hwm->config;
  config.two = true;
  config.initial = SMILE_TARGET;
  config.daughter = SMILE_DYNAMIC;
  const PbHost host = b.hwm->host;
  smile_init(b.hwm.get(), &config, &host);
  b.effects.clear();
}

TEST(SmileView, NamesWhatIsThere) { EXPECT_EQ(view_error(view), ""); }

TEST(SmileView, FindsEveryRegisterInEachWindow) {
  ViewBench b({.entries = 20});
  std::map<const Register*, std::set<int>> found[2];
  for (unsigned window : {0u, 1u})
    for (uint64_t offset = 0; offset < view.windows[window].bytes;
         offset += offset < 0x900000 ? 1 : 0x100000) {
      const Place p = view.place(b.hwm.get(), window, offset);
      EXPECT_EQ(p.byte, offset % 4);
      if (!p.reg) continue;
      const auto entries = static_cast<int>(entries_of(view, *p.reg));
      EXPECT_TRUE(entries ? p.index >= 0 && p.index < entries : p.index < 0) << p.reg->name;
      found[window][p.reg].insert(p.index);
    }
  for (const Register& r : kBridgeRegisters)
    for (auto& f : found) EXPECT_EQ(f[&r], std::set<int>{-1}) << r.name;
  EXPECT_EQ(found[1].size(), std::size(kBridgeRegisters));
  for (const Register& r : kCcmRegisters) EXPECT_EQ(found[0][&r], std::set<int>{-1}) << r.name;
  for (const Register& r : kRegisters) {
    const unsigned n = r.name.starts_with("RANGE")     ? 20
                       : r.name.starts_with("PAGE0")   ? 32
                       : r.name.starts_with("EVENT0")  ? 16
                       : r.name.starts_with("COUNTER") ? 16
                                                       : 0;
    std::set<int> wanted = {-1};
    if (n) {
      std::vector<int> all(n);
      std::iota(all.begin(), all.end(), 0);
      wanted = {all.begin(), all.end()};
    }
    EXPECT_EQ(found[0][&r], wanted) << r.name;
  }
  EXPECT_EQ(found[0].size(), std::size(kBridgeRegisters) + std::size(kCcmRegisters) + std::size(kRegisters));
  EXPECT_FALSE(view.place(b.hwm.get(), 2, 0).reg);
  EXPECT_FALSE(view.peek(b.hwm.get(), 0, Place{}));
}

// Where a read is answered. Of what reads nothing a peek says nothing.
TEST(SmileView, PeekIsWhatAReadGivesAndChangesNothing) {
  for (const enum smile_design design : {SMILE_STATIC, SMILE_DYNAMIC}) {
    ViewBench b({.design = design});
    std::mt19937 random(design);
    for (int round = 0; round < 4000; ++round) {
      b.put(random() & 0x3f'001f'000f'001f, random() & 0xff'000'ffc);
      if (round % 3 == 0) b.set(4 * (random() % 0x280), random() & (random() % 8 ? 0xffffffff : 0x1d));
      if (round % 5 == 0) b.bar0(4 * (random() % 0x20), random() & ~0x40000000u);
      static constexpr uint32_t kBases[] = {SMILE_BRIDGE_BASE, SMILE_TARGET_BASE, SMILE_CCM_BASE};
      const uint32_t offset = kBases[random() % 3] + 4 * (random() % 0x280);
      smile_pre_save(b.hwm.get());  // the model is at the present
      const Place p = view.place(b.hwm.get(), 0, offset);
      const SmileState before = b.hwm->state;
      const std::optional<uint32_t> peeked = view.peek(b.hwm.get(), b.now, p);
      ASSERT_EQ(std::memcmp(&before, &b.hwm->state, sizeof before), 0);
      ASSERT_EQ(peeked.has_value(), p.reg && p.reg->readable());
      b.mistakes.clear();
      const uint32_t read = b.bar0(offset);
      if (!peeked || b.mistakes.contains(kOtherDesign)) continue;
      EXPECT_EQ(*peeked & p.reg->readable(), read) << p.reg->name << " " << p.index;
    }
  }
}

TEST(SmileView, EveryMistakeIsToldOf) {
  const std::map<unsigned, void (*)(ViewBench&)> all = {
      {kNowhere, [](ViewBench& b) { b.bar0(0x300000), b.bar0(0x300000, 0); }},
      {kNoRegister,
       [](ViewBench& b) { b.get(0x48), b.bar0(0x74), b.bar0(SMILE_CCM_BASE + 0x10), b.bar0(0x74, 0); }},
      {kOtherDesign, [](ViewBench& b) { b.get(reg::kPage), b.set(reg::kTimer, 1); }},
      {kReadOnly, [](ViewBench& b) { b.set(reg::kWrp, 0), b.bar0(SMILE_CCM_BASE + 8, 0); }},
      {kNarrowWrite, [](ViewBench& b) { b.set_sized(reg::kNode, 1, 0); }},
      {kReadPointer, [](ViewBench& b) { b.set(reg::kRdp, 5); }},
      {kBadImage, [](ViewBench& b) { b.bar0(kCommandAt, 1); }},
      {kLoadUnderWay, [](ViewBench& b) { b.bar0(kCommandAt, 0), b.bar0(kCommandAt, 0); }},
      {kNoSource, [](ViewBench& b) { b.bar0(kCommandAt, 3); }},
  };
  for (unsigned number = 0; number < kMistakes; ++number) {
    ViewBench b;
    if (number == kTimersEvent) continue;
    all.at(number)(b);
    EXPECT_EQ(b.mistakes, std::set<unsigned>{number}) << view.mistakes[number].name;
  }
  ViewBench b(kStaticOptions);
  b.global(0);
  EXPECT_EQ(b.mistakes, std::set<unsigned>{kTimersEvent});
}

TEST(SmileView, WhatTheManualProgramsIsNoMistake) {
  ViewBench b;
  b.set(reg::kMcr, mcr::kReset);
  b.set(reg::kNode, 0);
  b.set(reg::kMaxr, 7);
  b.set(reg::kMask, mask::kAll);
  b.set(reg::kMcr, mcr::kRun | mcr::kIef);
  b.regions(40);
  b.records();
  b.set(reg::kMcr, 0);
  b.set(reg::kMcr, mcr::kSwap | mcr::kIed);
  EXPECT_TRUE(b.get(reg::kMsr) & msr::kDone);
  b.set(reg::kMsr, msr::kDone);
  b.drain();
  b.bar0(kClearAt, 0);
  EXPECT_TRUE(b.mistakes.empty());
  EXPECT_EQ(b.effects[kMonitorReset].size(), 1u);
  EXPECT_EQ(b.effects[kSwappedOut], std::vector<uint64_t>{16});
  EXPECT_EQ(b.effects[kLatchSet].size(), b.effects[kLatchCleared].size());
}

TEST(SmileView, EveryEffectIsToldOf) {
  ViewBench b({.queue = 2});
  b.send(response(kReadType, 1, 0, 5));
  b.send(read(0, 1, 1, 0, 6));
  b.send(read(0, 1, 1, 0, 6));
  b.regions(16 + 2047 + 3);
  b.records();
  b.set(reg::kMcr, mcr::kReset);
  b.set(reg::kMcr, mcr::kRun);
  for (int i = 0; i < 65536; ++i) b.send(write(1, 0, 9, 9));
  b.set(reg::kMcr, mcr::kRun | mcr::kIed | mcr::kSwap);
  b.bar0(kClearAt, 0);
  b.inject(SMILE_INJECT_SATURATE, 1);
  for (int i = 0; i < 65536; ++i) b.send(write(1, 0, 9, 9));
  b.inject(SMILE_INJECT_DROP, 1);
  b.inject(SMILE_INJECT_DAMAGE, 1);
  b.regions(2);
  b.bar0(kCommandAt, 1);
  b.run_until(b.now + 1'000'000'000);
  ViewBench d;
  with_daughter(d);
  // A header, and a start bit that is no zero.
  static constexpr uint8_t kProg[] = {'P'}, kBad[] = {'D', 5, 0xff, 0x21, 0xd5, 0xf7, 0x5f, 0x80};
  smile_xchecker(d.hwm.get(), kProg, sizeof kProg);
  d.run_until(d.now + 1'000'000);
  smile_xchecker(d.hwm.get(), kBad, sizeof kBad);
  d.run_until(d.now + 1'000'000);
  d.inject(SMILE_INJECT_DAUGHTER, SMILE_STATIC);
  d.run_until(d.now + 30'000'000'000);
  EXPECT_EQ(d.effects[kDaughterCleared].size(), 1u);
  EXPECT_EQ(d.effects[kDaughterFailed], std::vector<uint64_t>{41});
  EXPECT_EQ(d.effects[kDaughterLoaded], std::vector<uint64_t>{SMILE_STATIC});
  for (unsigned i = 0; i < kEffects; ++i)
    EXPECT_FALSE(b.effects[i].empty() && d.effects[i].empty()) << view.effects[i].name;
  EXPECT_EQ(b.effects[kOrphan], std::vector<uint64_t>{5});
  EXPECT_EQ(b.effects[kClash], std::vector<uint64_t>{6});
  EXPECT_EQ(b.effects[kRecordStored].front(), 0u);
  EXPECT_EQ(b.effects[kDesignLoaded], std::vector<uint64_t>{SMILE_DYNAMIC});
}

// --- errors on purpose -----------------------------------------------------------------------------

TEST(SmileInject, APacketThatIsNotHeardLeavesAnOrphanOrAClash) {
  ViewBench b;
  const Packet first = read(0, 1, 3, 4, 9);
  b.inject(SMILE_INJECT_DROP, 1);
  b.send(first);
  EXPECT_EQ(b.get(reg::kPackets), 0u);
  b.send(answer(first));
  EXPECT_EQ(b.get(reg::kOrphans), 1u);
  b.send(first);
  b.inject(SMILE_INJECT_DROP, 1);
  b.send(answer(first));
  b.send(first);
  EXPECT_EQ(b.get(reg::kClashes), 1u);
  EXPECT_EQ(smile_injected(b.hwm.get(), SMILE_INJECT_DROP), 0u);
}

TEST(SmileInject, ADamagedPacketIsOfAnotherTransaction) {
  ViewBench b;
  const Packet first = read(0, 1, 3, 4, 9);
  b.inject(SMILE_INJECT_DAMAGE, 1);
  b.send(first);
  b.send(answer(first));
  EXPECT_EQ(b.get(reg::kOrphans), 1u);
  b.send(read(0, 1, 3, 4, 8));
  EXPECT_EQ(b.get(reg::kClashes), 1u);
  EXPECT_EQ(b.effects[kPacketDamaged], std::vector<uint64_t>{9});
}

TEST(SmileInject, NothingIsUsedUpWhileTheMonitorStands) {
  ViewBench b;
  b.set(reg::kMcr, 0);
  b.inject(SMILE_INJECT_DROP, 2);
  b.regions(3);
  EXPECT_EQ(smile_injected(b.hwm.get(), SMILE_INJECT_DROP), 2u);
}

TEST(SmileInject, ASmallRingIsFullAndNothingIsLost) {
  ViewBench b;
  b.set(reg::kMcr, mcr::kRun | mcr::kIef);
  b.inject(SMILE_INJECT_RING, 3);
  b.regions(16 + 3);
  EXPECT_FALSE(b.get(reg::kMsr) & msr::kFull);
  EXPECT_FALSE(b.interrupt());
  b.regions(2, 100);
  EXPECT_TRUE(b.get(reg::kMsr) & msr::kFull);
  EXPECT_TRUE(b.interrupt());
  EXPECT_EQ(b.get(reg::kQueue), 2u);
  EXPECT_EQ(b.records().size(), 3u);
  EXPECT_EQ(b.records().size(), 2u);
  EXPECT_EQ(b.get(reg::kLostN), 0u);
}

TEST(SmileInject, AQueueThatTakesNothingLosesAndTells) {
  ViewBench b;
  b.inject(SMILE_INJECT_RING, 2);
  b.inject(SMILE_INJECT_QUEUE, 1);
  b.regions(16 + 2 + 5);
  EXPECT_EQ(b.get(reg::kLostN), 5u);
  EXPECT_TRUE(b.get(reg::kMsr) & msr::kLost);
  EXPECT_EQ(b.records().size(), 2u);
  const std::vector<Record> more = b.drain();
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(more[0].kind(), unsigned{kLossKind});
  EXPECT_EQ(more[0].word1, 5u);
}

TEST(SmileInject, RoomThatComesBackIsUsedAtOnce) {
  ViewBench b;
  b.inject(SMILE_INJECT_RING, 1);
  b.inject(SMILE_INJECT_QUEUE, 1);
  b.regions(16 + 3);
  EXPECT_EQ(b.get(reg::kLostN), 2u);
  b.inject(SMILE_INJECT_QUEUE, 0);
  EXPECT_EQ(b.get(reg::kQueue), 1u) << "the loss record";
  b.inject(SMILE_INJECT_RING, 0);
  EXPECT_EQ(b.get(reg::kQueue), 0u);
  EXPECT_FALSE(b.get(reg::kMsr) & msr::kFull);
  EXPECT_EQ(b.drain().size(), 2u);
}

TEST(SmileInject, ACounterThatSaturates) {
  ViewBench b;
  b.inject(SMILE_INJECT_SATURATE, 1);
  for (int i = 0; i < 70'000; ++i) b.send(write(1, 0, 9, 9));
  EXPECT_EQ(entry(b, 0).count, 0xffffu);
  EXPECT_TRUE(b.records().empty());
  b.inject(SMILE_INJECT_SATURATE, 0);
  b.send(write(1, 0, 9, 9));
  const std::vector<Record> all = b.records();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_TRUE(all[0].ovf());

  ViewBench fixed(kStaticOptions);
  fixed.counter(2, -1, -1, 17);
  fixed.activate(2, 0xfffe);
  fixed.counter(3, -1, -1, 16);
  fixed.activate(3, 0xff00);
  fixed.set(reg::kTimer, 100);
  fixed.inject(SMILE_INJECT_SATURATE, 1);
  for (int i = 0; i < 3; ++i) fixed.global(1);
  fixed.run_until(fixed.now + 2000 * 100'000);
  EXPECT_EQ(fixed.value(2), 0xffffu);
  EXPECT_EQ(fixed.value(3), 0xffffu) << "the timer's";
  EXPECT_TRUE(fixed.records().empty());
  fixed.inject(SMILE_INJECT_SATURATE, 0);
  fixed.run_until(fixed.now + 2000);
  EXPECT_EQ(fixed.records().size(), 1u);
}

TEST(SmileInject, NoResetEndsItAndASnapshotHasIt) {
  ViewBench b, other;
  for (unsigned which = SMILE_INJECT_DROP; which <= SMILE_INJECT_SATURATE; ++which)
    b.inject(which, which + 1);
  const auto check = [](ViewBench& x) {
    for (unsigned which = SMILE_INJECT_DROP; which <= SMILE_INJECT_SATURATE; ++which)
      EXPECT_EQ(smile_injected(x.hwm.get(), which), which < SMILE_INJECT_QUEUE ? which + 1 : 1u) << which;
  };
  check(b);
  b.set(reg::kMcr, mcr::kReset);
  smile_reset(b.hwm.get());
  check(b);
  char why[PB_WHY_BYTES];
  EXPECT_TRUE(smile_load(other.hwm.get(), &b.hwm->state, why, sizeof why)) << why;
  check(other);
  b.hwm->state.inject.ring = 2048;
  EXPECT_FALSE(smile_load(other.hwm.get(), &b.hwm->state, why, sizeof why));
  EXPECT_NE(std::string(why).find("ring"), std::string::npos) << why;
}

}  // namespace
}  // namespace perfboard::smile
