// SPDX-License-Identifier: GPL-2.0-or-later
//
// The board as log, coverage and patterns see it: each register is found, peeking says what reading would,
// and each row of the lists of mistakes and effects can be met.
#include "hw/surfboard/view.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "hw/core/view_check.h"
#include "tests/unit/surfboard/view_bench.h"

namespace perfboard::surf {
namespace {

const BoardView& view = surf_view();

TEST(SurfView, NamesWhatIsThere) { EXPECT_EQ(view_error(view), ""); }

TEST(SurfView, FindsEveryRegisterOfTheTables) {
  ViewBench bench;
  for (const Register& r : kSlotRegisters) EXPECT_EQ(view.place(&bench.board, 0, r.offset + 3).reg, &r);
  for (const Register& r : kRegisters)
    for (const uint32_t mirror : {0u, 0x40u, 0xffc0u}) {
      const Place place = view.place(&bench.board, 1, mirror + r.offset + 2);
      EXPECT_EQ(place.reg, &r) << mirror;
      EXPECT_EQ(place.byte, 2u);
      EXPECT_EQ(place.index, -1);
    }
}

TEST(SurfView, FindsNothingElsewhere) {
  ViewBench bench;
  EXPECT_EQ(view.place(&bench.board, 0, 0xC7F).reg, nullptr);
  EXPECT_EQ(view.place(&bench.board, 0, 0xC88).reg, nullptr);
  EXPECT_EQ(view.place(&bench.board, 1, 0x3C).reg, nullptr);
  EXPECT_EQ(view.place(&bench.board, 1, 0x10000).reg, nullptr);
  EXPECT_EQ(view.place(&bench.board, 2, 0).reg, nullptr);
  EXPECT_FALSE(view.peek(&bench.board, 0, Place{}));
}

TEST(SurfView, PeekingSaysWhatReadingWouldAndChangesNothing) {
  ViewBench bench;
  std::mt19937 random(11);
  for (int round = 0; round < 3000; ++round) {
    const Register& written = kRegisters[random() % std::size(kRegisters)];
    bench.write_at(written.offset, random() & random(), 4);
    if (random() % 3 == 0)
      bench.send({.words = static_cast<uint16_t>(1 + random() % 9), .timestamp = bench.now / 100});
    surf_timer(&bench.board);  // the model is at the present
    const Register& r = kRegisters[random() % std::size(kRegisters)];
    const SurfState before = bench.state();
    const std::optional<uint32_t> peeked = view.peek(&bench.board, bench.now, {.reg = &r});
    ASSERT_EQ(std::memcmp(&before, &bench.state(), sizeof before), 0) << r.name;
    ASSERT_TRUE(peeked);
    EXPECT_EQ(*peeked & r.readable(), bench.read_at(r.offset, 4)) << r.name;
  }
  for (const Register& r : kSlotRegisters)
    EXPECT_EQ(view.peek(&bench.board, bench.now, {.reg = &r}), bench.io_read(r.offset, 4));
}

// ---- mistakes --------------------------------------------------------------------------------

// What a driver does wrong, for each row of the list.
struct Wrong {
  SurfMistake mistake;
  void (*make)(ViewBench& b);
};
constexpr uint32_t kTen = bits("HTCR.TEN"), kHen = bits("HTCR.HEN");
const Wrong kWrongs[] = {
    {kDisabled, [](ViewBench& b) { b.disable(), b.read("HTCR"); }},
    {kUnusedOffset, [](ViewBench& b) { b.read_at(0x3C, 4); }},
    {kNarrowWrite, [](ViewBench& b) { b.write_at(at(kRegisters, "TECR").offset, 0, 2); }},
    {kNarrowFifoWrite,
     [](ViewBench& b) { b.write("HTCR", 0), b.write_at(at(kRegisters, "HFDR").offset, 1, 1); }},
    {kFifoHeld, [](ViewBench& b) { b.read("HFCR"); }},
    {kFifoEmpty, [](ViewBench& b) { b.write("HTCR", 0), b.read("HFDR"); }},
    {kFifoFull,
     [](ViewBench& b) {
       b.write("HTCR", 0);
       for (int i = 0; i <= SURF_FIFO_SLOTS; ++i) b.write("HFDR", 1);
     }},
    {kBadSendId, [](ViewBench& b) { b.shift_in(shift_value(1, 12, 0, 5)), b.write("HTCR", kTen); }},
    {kBadLatS, [](ViewBench& b) { b.shift_in(shift_value(1, 12, 21)), b.write("HTCR", kTen); }},
    {kBadLatN, [](ViewBench& b) { b.shift_in(shift_value(1, 13)), b.write("HTCR", kTen); }},
    {kReservedMode, [](ViewBench& b) { b.write("TTCR", bits("TTCR.MODE")), b.write("HTCR", kTen); }},
    {kTraceTooLarge, [](ViewBench& b) { b.shift_in(shift_value(2)), b.write("HTCR", kTen); }},
    {kShiftWhileCollecting, [](ViewBench& b) { b.write("HTCR", kTen), b.write("ACDR", 0); }},
    {kNoSelector, [](ViewBench& b) { b.write("HTCR", kHen); }},
    {kBitLost, [](ViewBench& b) { b.write("FCDR", 1); }},
    {kCauseLasts,
     [](ViewBench& b) {
       b.write("TTCR", 2 << 2);
       b.write("HTCR", kTen);
       b.send();
       b.write("ISCR", bits("ISCR.TC"));
     }},
    {kNoLine, [](ViewBench& b) { b.enable(1), b.write("IEMR", bits("IEMR.TC")); }},
    {kOscillates, [](ViewBench& b) { b.write("TTCR", bits("TTCR.MEI") | bits("TTCR.EOP")); }},
};
static_assert(std::size(kWrongs) == kMistakes);

TEST(SurfView, EveryMistakeIsToldOf) {
  for (const Wrong& wrong : kWrongs) {
    ViewBench bench;
    wrong.make(bench);
    EXPECT_TRUE(bench.mistakes.contains(wrong.mistake)) << view.mistakes[wrong.mistake].name;
    EXPECT_FALSE(bench.last_line.empty());
  }
}

TEST(SurfView, WhatThePaperAllowsIsNoMistake) {
  ViewBench bench;
  bench.shift_in(shift_value(1));
  bench.load(good_stream());
  bench.write("TTCR", 0);
  bench.write("IEMR", bits("IEMR.TC"));
  bench.write("HTCR", kTen | kHen);
  bench.send();
  bench.write("HTCR", 0);
  bench.write("TECR", 0);
  bench.write("ISCR", 0x1f87);
  EXPECT_TRUE(bench.mistakes.empty()) << bench.last_line;
}

// ---- effects -----------------------------------------------------------------------------------

uint64_t value_of(const ViewBench& bench, SurfEffect effect) {
  const auto found = bench.effects.find(effect);
  return found == bench.effects.end() ? ~uint64_t{0} : found->second;
}

TEST(SurfView, TellsOfAPacketOnItsWay) {
  ViewBench bench;
  bench.shift_in(shift_value(1));
  EXPECT_EQ(value_of(bench, kShifted), shift_value(1));
  bench.select(HAS_SIZE_SHIFT, 10);
  bench.write("TICR", 7);
  bench.write("WCDR", 0xffffffff);
  bench.set_bin(5, 0xffffffff);
  bench.write("HTCR", kTen | kHen | bits("HTCR.WEN"));
  bench.send({.words = 5});
  surf_timer(&bench.board);
  EXPECT_EQ(value_of(bench, kPacket), 5u);
  EXPECT_EQ(value_of(bench, kTriggered), 7u);
  EXPECT_EQ(value_of(bench, kRecorded), 7u);
  EXPECT_EQ(value_of(bench, kBinCounted), 5u);
  EXPECT_EQ(value_of(bench, kBinOverflow), 5u);
  EXPECT_EQ(value_of(bench, kAddressPushed), 5u);
  EXPECT_TRUE(bench.effects.contains(kWordsWrapped));
  EXPECT_EQ(bench.read("HFDR"), 0x105u);
  EXPECT_EQ(value_of(bench, kFifoPopped), 0x105u);
}

TEST(SurfView, TellsOfEveryRowOfItsList) {
  ViewBench bench;
  bench.shift_in(shift_value(0, 1));  // 16 entries, a latency of 2 bits
  bench.load(good_stream());
  bench.load(bad_stream());
  bench.select(HAS_SIZE_SHIFT, 10);
  bench.write("WCDR", 0xffffffff);
  bench.write("HTCR", 0);
  bench.write("HTCR", bits("HTCR.FRS"));
  bench.write("HTCR", kTen | kHen | bits("HTCR.WEN"));
  bench.read("HFCR");
  bench.write("HFDR", 3);
  bench.read("HFDR");
  bench.set_bin(1, 0xffffffff);
  bench.send();  // an address goes into the FIFO
  for (int i = 0; i < SURF_FIFO_SLOTS; ++i) bench.write("HFDR", 0);
  bench.set_bin(1, 0xffffffff);
  bench.send();                               // and one does not
  bench.send({.timestamp = bench.now});       // received before it was sent
  for (int i = 0; i < 16; ++i) bench.send();  // complete
  bench.send({.eod = false});
  bench.send();
  const uint64_t start = bench.now;
  bench.deliver({}, start);
  bench.deliver({}, start + 300);  // too early
  bench.pull(true);
  bench.pull(false);
  bench.write("TTCR", bits("TTCR.EIP"));
  bench.write("TTCR", bits("TTCR.MEOD"));
  bench.write("ECDR", 1);
  surf_set_receive_time(&bench.board, kTimeMask);
  bench.pass(200);
  bench.read("ISCR");
  surf_global_reset(&bench.board);
  surf_inject(&bench.board, SURF_INJECT_DROP, 1);
  bench.send();
  for (unsigned i = 0; i < kEffects; ++i) EXPECT_TRUE(bench.effects.contains(i)) << view.effects[i].name;
}

}  // namespace
}  // namespace perfboard::surf
