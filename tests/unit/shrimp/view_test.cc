// SPDX-License-Identifier: GPL-2.0-or-later
//
// The board as log, coverage and patterns see it: each register is found, peeking says what reading would,
// and each row of the lists of mistakes and effects can be met.
#include "hw/shrimp/view.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "hw/core/view_check.h"
#include "tests/unit/shrimp/fixture.h"

namespace perfboard::sni {
namespace {

const BoardView& view = sni_view();

struct ViewBench : SniBench {
  ViewBench() : ViewBench(Setup{}) {}
  explicit ViewBench(Setup setup) : SniBench(setup) {
    board()->host.mistake = [](void* o, unsigned number, const char* line) {
      bench(o).mistakes.insert(number);
      bench(o).last_line = line;
    };
    board()->host.effect = [](void* o, unsigned number, uint64_t value) { bench(o).effects[number] = value; };
  }
  uint32_t get(uint32_t offset, uint32_t size = 4) { return sni_reg_read(board(), offset, size); }
  void put(uint32_t offset, uint32_t value, uint32_t size = 4) {
    sni_reg_write(board(), offset, value, size);
  }
  void update(uint32_t words) {
    write("DUSA", 0x4000), write("DUDA", 0x5000), write("DUDN", coordinate(board()->config, 2));
    write("DUWC", words);
  }

  std::set<unsigned> mistakes;
  std::map<unsigned, uint64_t> effects;
  std::string last_line;

 private:
  static ViewBench& bench(void* o) { return static_cast<ViewBench&>(*static_cast<SniBench*>(o)); }
};

TEST(SniView, NamesWhatIsThere) { EXPECT_EQ(view_error(view), ""); }

TEST(SniView, FindsEveryRegisterOfTheTables) {
  for (const Register& r : kIoRegisters) EXPECT_EQ(view.place(nullptr, 0, r.offset + 1).reg, &r);
  for (const auto& table : view.tables.subspan(1))
    for (const Register& r : table) {
      const Place place = view.place(nullptr, 1, r.offset + 3);
      EXPECT_EQ(place.reg, &r);
      EXPECT_EQ(place.byte, 3u);
    }
}

TEST(SniView, EntriesAreAsManyAsPlacesHave) {
  std::map<const Register*, uint32_t> most;
  for (uint64_t offset = 0; offset < view.windows[1].bytes; offset += 4) {
    const Place p = view.place(nullptr, 1, offset);
    if (p.reg) most[p.reg] = std::max(most[p.reg], static_cast<uint32_t>(p.index + 1));
  }
  for (const auto& [reg, entries] : most) EXPECT_EQ(entries_of(view, *reg), entries) << reg->name;
}

TEST(SniView, FindsEachEntryAndHalf) {
  const auto at = [](uint64_t offset) { return view.place(nullptr, 1, offset); };
  EXPECT_EQ(at(kCounters + 8 * RXD + 4).reg->name, "RXD");
  EXPECT_EQ(at(kCounters + 8 * RXD + 4).index, 1);
  EXPECT_EQ(at(kTerms + 16 * EISA + 12).reg->name, "EISA");
  EXPECT_EQ(at(kTerms + 16 * EISA + 12).index, 3);
  EXPECT_EQ(at(kOutTable + 8 * 32767 + 4).reg->name, "OPT1");
  EXPECT_EQ(at(kOutTable + 8 * 32767 + 4).index, 32767);
  EXPECT_EQ(at(kInTable + 4 * 5).reg->name, "IPT");
  EXPECT_EQ(at(kInTable + 4 * 5).index, 5);
}

TEST(SniView, FindsNothingElsewhere) {
  for (const uint32_t offset :
       {0x2cu, 0x50u, kCounters + 8 * kNoCounter, kTermsEnd, kInTableEnd, kWindowBytes})
    EXPECT_EQ(view.place(nullptr, 1, offset).reg, nullptr) << offset;
  EXPECT_EQ(view.place(nullptr, 0, 0xc88).reg, nullptr);
  EXPECT_EQ(view.place(nullptr, 2, 0).reg, nullptr);
}

TEST(SniView, PeekingSaysWhatReadingWouldAndChangesNothing) {
  ViewBench bench;
  std::mt19937 random(5);
  std::vector<uint32_t> offsets;
  for (uint32_t offset = 0; offset < kTermsEnd; offset += 4)
    if (view.place(nullptr, 1, offset).reg) offsets.push_back(offset);
  for (const uint32_t page : {0u, 3u, 4u, 32767u}) {
    offsets.push_back(kOutTable + 8 * page);
    offsets.push_back(kOutTable + 8 * page + 4);
    offsets.push_back(kInTable + 4 * page);
  }
  bench.map(3, {.page = 4, .comb = true});
  for (int round = 0; round < 3000; ++round) {
    const uint32_t written = offsets[random() % offsets.size()];
    if (written != at(kRegisters, "SCR").offset) bench.put(written, random() & random());
    bench.store32(0x3000 + 4 * (random() % 64), random());
    bench.run_for(random() % 3000);
    sni_timer(bench.board());  // the model is at the present
    bench.pop();
    const uint32_t offset = offsets[random() % offsets.size()];
    const Place place = view.place(bench.board(), 1, offset);
    SniState& s = bench.state();
    const uint32_t scr = s.scr, latch = s.latch, clkh = s.clkh, latch_offset = s.latch_offset;
    const std::optional<uint32_t> peeked = view.peek(bench.board(), bench.now, place);
    EXPECT_TRUE(s.scr == scr && s.latch == latch && s.clkh == clkh && s.latch_offset == latch_offset);
    ASSERT_TRUE(peeked) << offset;
    EXPECT_EQ(*peeked & place.reg->readable(), bench.get(offset)) << place.reg->name << " " << round;
  }
  for (const Register& r : kIoRegisters)
    EXPECT_EQ(view.peek(bench.board(), bench.now, {.reg = &r}), sni_io_read(bench.board(), r.offset, 4));
  EXPECT_FALSE(view.peek(bench.board(), 0, Place{}));
}

// What a driver does wrong, for each row of the list.
struct Wrong {
  SniMistake mistake;
  void (*make)(ViewBench& b);
};
const Wrong kWrongs[] = {
    {kCrosses, [](ViewBench& b) { b.get(2, 4); }},
    {kUnusedOffset, [](ViewBench& b) { b.get(0x50); }},
    {kReadOnly, [](ViewBench& b) { b.write("FSIZE", 1); }},
    {kNarrowWrite, [](ViewBench& b) { b.put(at(kRegisters, "DUWC").offset, 1, 1); }},
    {kHighFirst, [](ViewBench& b) { b.get(kCounters + 4); }},
    {kBusy, [](ViewBench& b) { b.update(1), b.update(1); }},
    {kNotEnabled, [](ViewBench& b) { b.write("SCR", 0), b.update(1); }},
    {kBadLength, [](ViewBench& b) { b.update(0); }},
    {kCrossesPage, [](ViewBench& b) { b.write("DUDA", 0x5ffc), b.write("DUWC", 2); }},
    {kNoSource, [](ViewBench& b) { b.write("DUSA", 0x40000000), b.write("DUWC", 2); }},
    {kNoNode, [](ViewBench& b) { b.put(kOutTable, 1u << 31 | 0xfff << 16); }},
    {kReservedBoundary, [](ViewBench& b) { b.put(kOutTable + 4, 5 << 1); }},
    {kNoLine,
     [](ViewBench& b) {
       sni_io_write(b.board(), 0xc84, 0xc0000000 | bit::kEnable, 4);
       b.write("SIER", 1);
     }},
};
static_assert(std::size(kWrongs) == kMistakes);

TEST(SniView, EveryMistakeIsToldOf) {
  for (const Wrong& wrong : kWrongs) {
    ViewBench bench;
    wrong.make(bench);
    EXPECT_TRUE(bench.mistakes.contains(wrong.mistake)) << view.mistakes[wrong.mistake].name;
    EXPECT_FALSE(bench.last_line.empty());
  }
}

TEST(SniView, WhatTheManualAllowsIsNoMistake) {
  ViewBench bench;
  bench.write("SIER", 0xff);
  bench.map(3, {.page = 4, .comb = true, .interrupt = true});
  bench.store32(0x3000, 1);
  bench.write("SCR", bit::kEn | bit::kAue | bit::kTse | bit::kFlush);
  bench.run_for(20'000);
  bench.update(4);
  bench.run_for(20'000);
  bench.counter(TXP);
  bench.term_sum(TOTAL);
  bench.read("CLKL"), bench.read("CLKH");
  bench.write("SISR", 0xff);
  EXPECT_TRUE(bench.mistakes.empty()) << bench.last_line;
}

TEST(SniView, TellsOfEveryRowOfItsList) {
  ViewBench bench(SniBench::Setup{.fifo_words = SNI_FIFO_MIN});
  bench.map(3, {.page = 4});
  bench.store32(0x3000, 1);
  bench.run_for(20'000);
  EXPECT_EQ(bench.effects.at(kClosed), ENDD);
  EXPECT_EQ(bench.effects.at(kSent), 1u);
  EXPECT_EQ(bench.effects.at(kDelivered), 4u);
  EXPECT_EQ(bench.effects.at(kPageMapped), 3u);
  bench.put(kInTable + 4 * 4, 0);
  bench.store32(0x3000, 1);
  bench.run_for(20'000);
  EXPECT_EQ(bench.effects.at(kDropped), 4u);
  for (int i = 0; i < 2000; ++i) bench.store32(0x3000, 1);  // more than the FIFO holds, at once
  bench.run_for(20'000'000);
  bench.update(9);
  EXPECT_EQ(bench.effects.at(kDeliberateStarted), 9u);
  bench.run_for(20'000);
  bench.put(kOutTable + 8 * 3, 1u << 31 | 0xfffu << 16);
  bench.store32(0x3000, 1);
  bench.run_for(20'000);
  bench.put(kOutTable + 8 * 3, 0);
  EXPECT_EQ(bench.effects.at(kPageUnmapped), 3u);
  bench.write("SCR", bit::kEn | bit::kGrst | bit::kCrst);
  bench.set_clock(kClockMask);
  bench.run_for(1000);
  bench.read("SISR");
  bench.write("SCR", bit::kEn | bit::kAue);
  sni_inject(bench.board(), SNI_INJECT_FIFO_OVERFLOW, 1);
  bench.map(3, {.page = 4});
  bench.store32(0x3000, 1);
  for (unsigned i = 0; i < kEffects; ++i) {
    EXPECT_TRUE(bench.effects.contains(i)) << view.effects[i].name;
  }
}

}  // namespace
}  // namespace perfboard::sni
