// SPDX-License-Identifier: GPL-2.0-or-later
//
// A source's total over a raw count that falls when an instruction is taken back.
#include <gtest/gtest.h>

#include <cstdint>

#include "plugins/event_total.h"

namespace perfboard {
namespace {

TEST(EventTotal, CountsWhileItIsWatched) {
  EventTotal t;
  EXPECT_EQ(t.at(77), 0u);
  t.begin(100);
  EXPECT_EQ(t.at(100), 0u);
  EXPECT_EQ(t.at(107), 7u);
  t.end(110);
  EXPECT_EQ(t.at(5000), 10u);
  t.begin(6000);
  EXPECT_EQ(t.at(6001), 11u);
}

TEST(EventTotal, WhatIsTakenBackAfterALookIsMadeUpForByWhatComesNext) {
  EventTotal t;
  t.begin(100);
  EXPECT_EQ(t.at(110), 10u);  // the tenth is under way
  EXPECT_EQ(t.at(109), 10u);  // it faulted
  EXPECT_EQ(t.at(110), 10u);  // and was made again
  EXPECT_EQ(t.at(111), 11u);
  EXPECT_EQ(t.at(105), 11u);  // several accesses of one instruction
  EXPECT_EQ(t.at(112), 12u);
}

TEST(EventTotal, WhatNobodyHasSeenIsTakenBackAtOnce) {
  EventTotal t;
  t.begin(100);
  EXPECT_EQ(t.at(104), 4u);
  t.end(109);
  EXPECT_EQ(t.at(0), 9u);
}

// An instruction that was under way when the watch began is taken back, and made again within the watch.
TEST(EventTotal, DoesNotFallBelowItsBeginning) {
  EventTotal t;
  t.begin(100);
  EXPECT_EQ(t.at(99), 0u);
  EXPECT_EQ(t.at(100), 1u);
  EXPECT_EQ(t.at(102), 3u);
  EventTotal unseen;
  unseen.begin(100);
  unseen.end(99);
  EXPECT_EQ(unseen.at(0), 0u);
}

TEST(EventTotal, WhatItOwesIsKeptFromOneWatchToTheNext) {
  EventTotal t;
  t.begin(100);
  EXPECT_EQ(t.at(110), 10u);
  t.end(108);
  EXPECT_EQ(t.at(0), 10u);
  t.begin(500);
  EXPECT_EQ(t.at(501), 10u);
  EXPECT_EQ(t.at(502), 10u);
  EXPECT_EQ(t.at(503), 11u);
}

// Who begins from zero after he was told of what was taken back has all that comes after.
TEST(EventTotal, WhatItOwesCanBeForgotten) {
  for (const bool stopped : {false, true}) {
    EventTotal t;
    t.begin(100);
    EXPECT_EQ(t.at(110), 10u);
    if (stopped) t.end(109);
    t.rebase(109);
    if (stopped) t.begin(109);
    EXPECT_EQ(t.at(109), 9u);
    EXPECT_EQ(t.at(110), 10u);
    EXPECT_EQ(t.at(112), 12u);
    t.end(112);
    EXPECT_EQ(t.at(0), 12u);
  }
}

// What is under way while it is rebased, and is taken back, is none of what comes after, nor of its
// undercount.
TEST(EventTotal, AnInstructionUnderWayWhenItIsForgotten) {
  EventTotal t;
  t.begin(100);
  EXPECT_EQ(t.at(110), 10u);
  t.rebase(110);
  EXPECT_EQ(t.at(110), 10u);
  EXPECT_EQ(t.at(109), 10u);
  EXPECT_EQ(t.at(110), 11u);
  EXPECT_EQ(t.at(111), 12u);
}

TEST(EventTotal, TheRawCountMayWrap) {
  EventTotal t;
  t.begin(UINT64_MAX - 1);
  EXPECT_EQ(t.at(UINT64_MAX), 1u);
  EXPECT_EQ(t.at(UINT64_MAX - 1), 1u);
  EXPECT_EQ(t.at(3), 5u);
}

// Two processors, looked at in any order between counting and taking back: what is told never falls, is never
// more than what has been begun, and at rest is what has been completed.
TEST(EventTotal, NothingIsLostOrCountedTwice) {
  uint32_t x = 1;
  const auto random = [&x](uint32_t below) { return (x = x * 1664525 + 1013904223) / 65536 % below; };
  EventTotal t;
  uint64_t raw = 1000, completed = 0, told = 0;
  t.begin(raw);
  for (int i = 0; i < 100'000; ++i) {
    bool under_way[2] = {false, false};
    for (bool& mine : under_way)
      if (random(2)) {
        mine = true;
        ++raw;
      }
    const uint64_t begun = completed + under_way[0] + under_way[1];
    if (random(3) == 0) {
      const uint64_t n = t.at(raw);
      ASSERT_GE(n, told);
      ASSERT_LE(n, begun + 2) << "two may have been told of and taken back before";
      told = n;
    }
    for (const bool mine : under_way) {
      if (!mine) continue;
      if (random(2))
        --raw;
      else
        ++completed;
    }
    if (random(1000) == 0) {
      t.end(raw);
      raw += random(50);  // another source's
      t.begin(raw);
    }
    if (i % 1000 == 999) {
      raw += 10;
      completed += 10;
      told = t.at(raw);
      ASSERT_EQ(told, completed);
    }
  }
}

}  // namespace
}  // namespace perfboard
