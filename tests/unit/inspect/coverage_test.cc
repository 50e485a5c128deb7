// SPDX-License-Identifier: GPL-2.0-or-later
//
// What counts as covered: each kind of item, by hand-made accesses of a board of five registers.
#include "hw/inspect/coverage.h"

#include <gtest/gtest.h>

#include "tests/unit/inspect/coverage_board.h"

namespace perfboard::inspect {
namespace {

class CoverageTest : public CoverageBoardTest {
 protected:
  void SetUp() override { look_at(kCoverageView); }
  void look_at(const BoardView& view) {
    std::string why;
    coverage = Coverage::make(view, {&board, [](void*) { return uint64_t{8}; }}, why);
    ASSERT_NE(coverage, nullptr) << why;
    listener = coverage.get();
  }
  uint64_t count(Kind kind, std::string_view name) { return count_in(coverage->items(), kind, name); }

  std::unique_ptr<Coverage> coverage;
};

TEST_F(CoverageTest, ListsWhatTheViewHasAndNothingThatIsReserved) {
  std::string all;
  for (const Item& i : coverage->items()) all += std::string(kind_name(i.kind)) + " " + i.name + "\n";
  EXPECT_EQ(all,
            "read CTRL.MODE\nwritten CTRL.MODE\nvalue CTRL.MODE=0\nvalue CTRL.MODE=2\n"
            "read CTRL.EN\nwritten CTRL.EN\n"
            "read STAT.SIZE\nvalue STAT.SIZE=1\nvalue STAT.SIZE=2\nread STAT.DONE\nset STAT.DONE\ncleared "
            "STAT.DONE\n"
            "read MASK.DONE\nwritten MASK.DONE\n"
            "read DATA.WORD[31:16]\nwritten DATA.WORD[31:16]\nread DATA.WORD[15:0]\nwritten "
            "DATA.WORD[15:0]\nnarrow DATA\n"
            "written KICK.GO\n"
            "raised DONE\nenabled DONE\nserviced DONE\nraised SIZE\nenabled SIZE\n"
            "sequence start\neffect kicked\ninjection inject-drop\nmistake kicked-twice\nnothing slot\n");
}

TEST_F(CoverageTest, FieldsThatTheAccessTouches) {
  read("CTRL", 0xff);  // the lowest byte: EN is bit 0, MODE is bits 9..8
  EXPECT_EQ(count(Kind::kRead, "CTRL.EN"), 1u);
  EXPECT_EQ(count(Kind::kRead, "CTRL.MODE"), 0u);
  write("CTRL", 0x200, 0xff00);
  EXPECT_EQ(count(Kind::kWritten, "CTRL.EN"), 0u);
  EXPECT_EQ(count(Kind::kWritten, "CTRL.MODE"), 1u);
  read("CTRL");
  EXPECT_EQ(count(Kind::kRead, "CTRL.EN"), 2u);
  EXPECT_EQ(count(Kind::kRead, "CTRL.MODE"), 1u);
  write("KICK", 1);
  EXPECT_EQ(count(Kind::kWritten, "KICK.GO"), 1u);
}

TEST_F(CoverageTest, NarrowWriteIsNoWrite) {
  write("DATA", 0x12, 0xff);
  write("DATA", 0x12, 0xffff);
  EXPECT_EQ(count(Kind::kNarrow, "DATA"), 2u);
  EXPECT_EQ(count(Kind::kWritten, "DATA.WORD[15:0]"), 0u);
  write("DATA", 0x12);
  EXPECT_EQ(count(Kind::kNarrow, "DATA"), 2u);
  EXPECT_EQ(count(Kind::kWritten, "DATA.WORD[15:0]"), 1u);
  EXPECT_EQ(count(Kind::kWritten, "DATA.WORD[31:16]"), 1u);
  read("DATA", 0xff);  // a narrow read is a read
  EXPECT_EQ(count(Kind::kRead, "DATA.WORD[15:0]"), 1u);
  EXPECT_EQ(count(Kind::kNarrow, "DATA"), 2u);
}

TEST_F(CoverageTest, ANarrowWriteIsNoStep) {
  static constexpr std::string_view kSteps[] = {"DATA", "CTRL.EN=1"};
  static constexpr Sequence kSequences[] = {{"fill", kSteps, "data first", "p. 6"}};
  BoardView view = kCoverageView;
  view.sequences = kSequences;
  ASSERT_NO_FATAL_FAILURE(look_at(view));
  write("DATA", 0x12, 0xff);
  EXPECT_EQ(steps(coverage->items(), "fill"), "0 0");
  write("DATA", 0x12);
  write("CTRL", 1);
  EXPECT_EQ(steps(coverage->items(), "fill"), "1 1");
}

TEST_F(CoverageTest, ANarrowWriteIsOneMistake) {
  const Event mistake{What::kMistake, 5, 0, 0, {}}, effect{What::kEffect, 5, 0, 0, {}};
  write("DATA", 0x12, 0xff, {&mistake, 1});
  EXPECT_EQ(count(Kind::kMistake, "kicked-twice"), 1u);
  EXPECT_EQ(count(Kind::kNarrow, "DATA"), 0u);
  write("DATA", 0x12, 0xff, {&effect, 1});
  EXPECT_EQ(count(Kind::kNarrow, "DATA"), 1u);
}

TEST_F(CoverageTest, AnIgnoredWriteIsNoStep) {
  static constexpr std::string_view kSteps[] = {"DATA", "CTRL.EN=1"};
  static constexpr Sequence kSequences[] = {{"fill", kSteps, "data first", "p. 6"}};
  static constexpr Mistake kMistakes[] = {{"odd", "it is taken all the same", "p. 5"},
                                          {"full", "nobody takes it", "p. 5", kIgnored}};
  BoardView view = kCoverageView;
  view.sequences = kSequences;
  view.mistakes = kMistakes;
  ASSERT_NO_FATAL_FAILURE(look_at(view));
  const Event odd{What::kMistake, 5, 0, 0, {}}, full{What::kMistake, 5, 1, 0, {}};
  write("DATA", 0x12, ~0u, {&full, 1});
  EXPECT_EQ(steps(coverage->items(), "fill"), "0 0");
  EXPECT_EQ(count(Kind::kWritten, "DATA.WORD[15:0]"), 0u);
  EXPECT_EQ(count(Kind::kNarrow, "DATA"), 0u);
  EXPECT_EQ(count(Kind::kMistake, "full"), 1u);
  write("DATA", 0x12, ~0u, {&odd, 1});
  EXPECT_EQ(count(Kind::kWritten, "DATA.WORD[15:0]"), 1u);
  EXPECT_EQ(steps(coverage->items(), "fill"), "1 0");
}

TEST_F(CoverageTest, ValuesWrittenIfTheGuestCanWriteThem) {
  write("CTRL", 0x200);
  write("CTRL", 0x300);  // no legal value
  EXPECT_EQ(count(Kind::kValue, "CTRL.MODE=2"), 1u);
  EXPECT_EQ(count(Kind::kValue, "CTRL.MODE=0"), 0u);
  read("CTRL");  // 3, but a read is no test of it anyhow
  write("CTRL", 0x000);
  EXPECT_EQ(count(Kind::kValue, "CTRL.MODE=0"), 1u);
  board.stat = 0x20;
  read("STAT");
  EXPECT_EQ(count(Kind::kValue, "STAT.SIZE=2"), 1u);
  write("STAT", 0x10);  // it cannot be written
  EXPECT_EQ(count(Kind::kValue, "STAT.SIZE=1"), 0u);
}

TEST_F(CoverageTest, ValueOfAFieldInTwoHalvesIsTheRegisters) {
  // SIZE is bits 9..4: a read of the lowest byte sees a part of it.
  board.stat = 0x210;
  read("STAT", 0xff);
  EXPECT_EQ(count(Kind::kValue, "STAT.SIZE=1"), 0u);
  board.stat = 0x010;
  read("STAT", 0xff);
  EXPECT_EQ(count(Kind::kValue, "STAT.SIZE=1"), 1u);
}

TEST_F(CoverageTest, WriteOneToClear) {
  read("STAT");
  write("STAT", 1);  // clears nothing
  EXPECT_EQ(count(Kind::kSet, "STAT.DONE"), 0u);
  EXPECT_EQ(count(Kind::kCleared, "STAT.DONE"), 0u);
  board.stat |= 1;
  write("STAT", 0);  // the fault that is looked for: a 0 clears nothing
  read("STAT");
  EXPECT_EQ(count(Kind::kSet, "STAT.DONE"), 1u);
  EXPECT_EQ(count(Kind::kCleared, "STAT.DONE"), 0u);
  write("STAT", 1);
  EXPECT_EQ(count(Kind::kCleared, "STAT.DONE"), 1u);
}

TEST_F(CoverageTest, ConditionThatNobodyEnabled) {
  board.stat |= 1;
  read("CTRL");  // the status is seen whatever the guest looks at
  EXPECT_EQ(count(Kind::kRaised, "DONE"), 1u);
  EXPECT_EQ(count(Kind::kEnabled, "DONE"), 0u);
  read("STAT");
  EXPECT_EQ(count(Kind::kRaised, "DONE"), 1u);  // still the same one
  write("STAT", 1);
  EXPECT_EQ(count(Kind::kServiced, "DONE"), 1u);
  write("STAT", 1);  // nothing to be serviced
  EXPECT_EQ(count(Kind::kServiced, "DONE"), 1u);
  write("MASK", 1);
  write("MASK", 1);
  EXPECT_EQ(count(Kind::kEnabled, "DONE"), 1u);
}

TEST_F(CoverageTest, ConditionThatIsAlwaysEnabledAndHasNoService) {
  board.stat = 0x10;
  read("STAT");
  EXPECT_EQ(count(Kind::kRaised, "SIZE"), 1u);
  EXPECT_EQ(count(Kind::kEnabled, "SIZE"), 1u);
}

TEST_F(CoverageTest, ConditionThatNobodyLookedAtIsFoundAtTheEnd) {
  board.stat |= 1;
  board.mask |= 1;
  EXPECT_EQ(count(Kind::kRaised, "DONE"), 0u);
  coverage->settle();
  coverage->settle();
  EXPECT_EQ(count(Kind::kRaised, "DONE"), 1u);
  EXPECT_EQ(count(Kind::kEnabled, "DONE"), 1u);
  EXPECT_EQ(board.peeked_at, 8u);  // now
}

TEST_F(CoverageTest, ConditionsOfABoardWithALockOfItsOwnAreSeenByItsAccesses) {
  static int held;
  held = 0;
  std::string why;
  coverage =
      Coverage::make(kCoverageView, {&board, nullptr, [](void*, bool on) { held += on ? 1 : 100; }}, why);
  ASSERT_NE(coverage, nullptr) << why;
  listener = coverage.get();
  board.stat |= 1;
  read("CTRL");
  EXPECT_EQ(held, 0);  // whoever calls may be in the way of who has the lock
  EXPECT_EQ(count(Kind::kRaised, "DONE"), 0u);
  write("STAT", 1);  // it was set before, and is not after
  EXPECT_EQ(count(Kind::kRaised, "DONE"), 1u);
  EXPECT_EQ(count(Kind::kServiced, "DONE"), 1u);
  coverage->settle();
  EXPECT_EQ(held, 101);
}

TEST_F(CoverageTest, WithoutAModelWhatIsReadIsKnown) {
  std::string why;
  coverage = Coverage::make(kCoverageView, {}, why);
  listener = coverage.get();
  says_nothing = true;
  board.stat |= 1;
  read("STAT", 0xff00);  // another byte
  EXPECT_EQ(count(Kind::kRaised, "DONE"), 0u);
  read("STAT");
  EXPECT_EQ(count(Kind::kRaised, "DONE"), 1u);
}

TEST_F(CoverageTest, SequenceWithOtherAccessesBetween) {
  write("CTRL", 0x201);  // a later step first
  EXPECT_EQ(steps(coverage->items(), "start"), "0 0 0");
  write("MASK", 1);
  read("STAT");
  write("CTRL", 0x200);
  write("CTRL", 0x201);
  EXPECT_EQ(steps(coverage->items(), "start"), "1 1 0");
  EXPECT_EQ(count(Kind::kSequence, "start"), 0u);
  event(What::kEffect, 0);  // the last step is no access
  EXPECT_EQ(steps(coverage->items(), "start"), "1 1 1");
  EXPECT_EQ(count(Kind::kSequence, "start"), 1u);
  event(What::kEffect, 0);  // it is to begin anew
  EXPECT_EQ(count(Kind::kSequence, "start"), 1u);
}

TEST_F(CoverageTest, AnAccessAndWhatItCausesAreTwoSteps) {
  write("MASK", 1);
  const Event caused[] = {{What::kEffect, 0, 0, 0, {}}};
  write("CTRL", 0x201, ~0u, caused);
  EXPECT_EQ(count(Kind::kSequence, "start"), 1u);
  EXPECT_EQ(count(Kind::kEffect, "kicked"), 1u);
}

// CTRL.MODE is 0 after a reset, so a driver that wants 0 has it.
TEST_F(CoverageTest, AStepThatIsAResetValueNeedNotBeWritten) {
  static constexpr std::string_view kSteps[] = {"MASK=1", "CTRL.MODE=0", "read STAT"};
  static constexpr Sequence kSequences[] = {{"look", kSteps, "in mode 0", "p. 6"}};
  BoardView view = kCoverageView;
  view.sequences = kSequences;
  ASSERT_NO_FATAL_FAILURE(look_at(view));
  write("MASK", 1);
  read("CTRL");
  EXPECT_EQ(steps(coverage->items(), "look"), "1 0 0");
  read("STAT");
  EXPECT_EQ(steps(coverage->items(), "look"), "1 1 1");
  write("MASK", 1);
  write("CTRL", 0);  // or it writes it
  read("STAT");
  EXPECT_EQ(steps(coverage->items(), "look"), "2 2 2");
  write("CTRL", 0x200);
  write("MASK", 1);
  read("STAT");  // it holds something else now
  EXPECT_EQ(steps(coverage->items(), "look"), "3 2 2");
  const Event reset[] = {{What::kReset, 0, 0, 0, {}}};
  write("KICK", 1, ~0u, reset);
  write("MASK", 1);
  read("STAT");
  EXPECT_EQ(steps(coverage->items(), "look"), "4 3 3");
  EXPECT_EQ(count(Kind::kSequence, "look"), 3u);
}

TEST_F(CoverageTest, ResetBeginsSequencesAnew) {
  write("MASK", 1);
  event(What::kReset, 0);
  write("CTRL", 0x201);
  EXPECT_EQ(steps(coverage->items(), "start"), "1 0 0");
  write("MASK", 1);
  const Event reset[] = {{What::kReset, 0, 0, 0, {}}};
  write("KICK", 1, ~0u, reset);  // by a register
  write("CTRL", 0x201);
  EXPECT_EQ(steps(coverage->items(), "start"), "2 0 0");
}

TEST_F(CoverageTest, UnitsWalkByThemselves) {
  unit = 0;
  write("MASK", 1);
  unit = 1;
  write("CTRL", 0x201);
  EXPECT_EQ(steps(coverage->items(), "start"), "1 0 0");
  unit = 0;
  write("CTRL", 0x201);
  EXPECT_EQ(steps(coverage->items(), "start"), "1 1 0");
}

TEST_F(CoverageTest, MistakesEffectsInjections) {
  event(What::kMistake, 0);
  event(What::kInjected, 0, 3);
  event(What::kInjected, 0, 0);  // taken back
  for (const What what : {What::kMistake, What::kInjected, What::kEffect})
    event(what, 1, 1);  // the view has one of each
  EXPECT_EQ(count(Kind::kMistake, "kicked-twice"), 1u);
  EXPECT_EQ(count(Kind::kInjection, "inject-drop"), 1u);
  EXPECT_EQ(count(Kind::kEffect, "kicked"), 0u);
}

TEST_F(CoverageTest, NothingAnswers) {
  const Part part{{}, 0xffffffff, 0xffffffff, {}, {}};
  Access access;
  access.bytes = 4;
  access.parts = {&part, 1};
  listener->access(access);
  EXPECT_EQ(count(Kind::kNothing, "slot"), 1u);
  access.window = 7;  // none of the view's
  listener->access(access);
  access.parts = {};
  listener->access(access);
  EXPECT_EQ(count(Kind::kNothing, "slot"), 1u);
}

TEST_F(CoverageTest, RegisterThatNoTableHasIsLeftOut) {
  static constexpr Field kFields[] = {{"BIT", 0, 0, ::perfboard::Access::rw, 0, "of no board", "p. 1"}};
  static constexpr Register kStray{"STRAY", 0, 1, kFields, "of no board", "p. 1"};
  const Part part{{&kStray}, ~0u, 1, 1, 1};
  Access access;
  access.parts = {&part, 1};
  listener->access(access);
  for (const Item& i : coverage->items()) EXPECT_EQ(i.count, 0u) << i.name;
}

TEST(CoverageView, WhatItNamesMustBeThere) {
  const auto refused = [](BoardView view, auto change) {
    std::string why;
    change(view);
    EXPECT_EQ(Coverage::make(view, {}, why), nullptr);
    return why;
  };
  static constexpr Condition kNoStatus[] = {{"X", "STAT.NONE", "", "", "", ""}};
  static constexpr Condition kNoEnable[] = {{"X", "STAT.DONE", "NONE.DONE", "", "", ""}};
  static constexpr Condition kNoPattern[] = {{"X", "STAT.DONE", "", "write", "", ""}};
  static constexpr std::string_view kNoSteps[] = {"write CTRL.NONE=1"};
  static constexpr Sequence kNoSequence[] = {{"s", kNoSteps, "", ""}};
  EXPECT_EQ(refused(kCoverageView, [](auto& v) { v.conditions = kNoStatus; }),
            "fake: no register has STAT.NONE");
  EXPECT_EQ(refused(kCoverageView, [](auto& v) { v.conditions = kNoEnable; }),
            "fake: no register has NONE.DONE");
  EXPECT_NE(refused(kCoverageView, [](auto& v) { v.conditions = kNoPattern; }), "");
  EXPECT_NE(refused(kCoverageView, [](auto& v) { v.sequences = kNoSequence; }), "");
}

}  // namespace
}  // namespace perfboard::inspect
