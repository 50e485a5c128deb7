// SPDX-License-Identifier: GPL-2.0-or-later
//
// External connector: TTCR's polarities and masks, ECDR, ISCR.EXT, one wire for several boards, in a
// snapshot.
#include "tests/unit/surfboard/fixture.h"

namespace perfboard::surf {
namespace {

constexpr uint32_t kEip = bits("TTCR.EIP"), kEop = bits("TTCR.EOP"), kMeod = bits("TTCR.MEOD"),
                   kMei = bits("TTCR.MEI"), kMbv = bits("TTCR.MBV"), kExt = bits("ISCR.EXT"),
                   kBv = bits("ISCR.BV");

TEST(External, OutputEquationForAllInputs) {
  for (uint32_t c = 0; c < 256; ++c) {
    SurfBench bench;
    bench.wired_back = false;
    const bool eip = c & 1, eop = c & 2, meod = c & 4, mei = c & 8, mbv = c & 16, data = c & 32, low = c & 64,
               boc = c & 128;
    bench.pull(low);
    bench.state().iscr |= boc ? kBv : 0;
    bench.write("ECDR", data);
    bench.write("TTCR", (eip ? kEip : 0) | (eop ? kEop : 0) | (meod ? kMeod : 0) | (mei ? kMei : 0) |
                            (mbv ? kMbv : 0));
    const bool input = low != eip;  // no inversion: low is TRUE
    const bool out = (meod && data) || (mei && input) || (mbv && boc);
    EXPECT_EQ(bench.driven_low, out != eop) << c;
    bench.disable();
    EXPECT_FALSE(bench.driven_low);
    bench.enable();
    EXPECT_EQ(bench.driven_low, out != eop) << c;
  }
}

TEST(External, ExtIsTheTransitionToTrue) {
  SurfBench bench;
  bench.pull(true);
  EXPECT_TRUE(bench.is("ISCR.EXT"));
  bench.write("ISCR", kExt);
  EXPECT_FALSE(bench.is("ISCR.EXT"));  // the level alone does not set it again
  bench.pull(true);
  EXPECT_FALSE(bench.is("ISCR.EXT"));
  bench.pull(false);
  EXPECT_FALSE(bench.is("ISCR.EXT"));
  bench.pull(true);
  EXPECT_TRUE(bench.is("ISCR.EXT"));
}

// p. 50: monitoring is off while the board is disabled, and registers keep their values.
TEST(External, ExtIsNotLatchedWhileTheBoardIsDisabled) {
  SurfBench bench;
  bench.disable();
  bench.pull(true);
  bench.enable();
  EXPECT_FALSE(bench.is("ISCR.EXT"));
  bench.pull(false);
  bench.pull(true);
  EXPECT_TRUE(bench.is("ISCR.EXT"));
  bench.disable();
  bench.pull(false);
  bench.enable();
  EXPECT_TRUE(bench.is("ISCR.EXT"));  // kept
}

TEST(External, InvertedInputTakesHighAsTrue) {
  SurfBench bench;
  bench.pull(true);
  bench.write("ISCR", kExt);
  bench.write("TTCR", kEip);  // TRUE to FALSE
  EXPECT_FALSE(bench.is("ISCR.EXT"));
  bench.pull(false);
  EXPECT_TRUE(bench.is("ISCR.EXT"));
}

TEST(External, TogglingThePolarityIsATransition) {
  SurfBench bench;  // the wire is high: FALSE
  bench.write("TTCR", kEip);
  EXPECT_TRUE(bench.is("ISCR.EXT"));
  bench.write("ISCR", kExt);
  bench.write("TTCR", 0);
  EXPECT_FALSE(bench.is("ISCR.EXT"));
  bench.write("TTCR", kEip | kMbv);
  EXPECT_TRUE(bench.is("ISCR.EXT"));
}

// QUAL 1: "if the external input is TRUE when a packet arrives" (p. 56), the moment of its receive time.
class Qualifier : public testing::Test {
 protected:
  Qualifier() {
    bench.shift_in(shift_value(0));
    bench.write("TTCR", 1);
    bench.put("HTCR.TEN");
  }
  bool triggers(uint64_t first_word) {
    bench.deliver({.length_ns = 500}, first_word);
    bench.pass(kAfterEnd);
    return bench.is("HTCR.TRG");
  }
  SurfBench bench;
};

TEST_F(Qualifier, TheInputCountsAsItIsWhenThePacketArrives) {
  bench.pull(true);
  const uint64_t first = bench.now;
  bench.pass(1);
  bench.pull(false);
  EXPECT_TRUE(triggers(first));
}

TEST_F(Qualifier, TheInputAfterThePacketHasArrivedDoesNotCount) {
  const uint64_t first = bench.now;
  bench.pass(1);
  bench.pull(true);
  EXPECT_FALSE(triggers(first));
  EXPECT_TRUE(triggers(bench.now));
}

TEST_F(Qualifier, AChangeAtTheVeryMomentCounts) {
  bench.pull(true);
  EXPECT_TRUE(triggers(bench.now));
}

TEST_F(Qualifier, WhatTheInputDoesInStages2And3DoesNotCount) {
  bench.deliver({}, bench.now);
  bench.pull(true);
  bench.pass(kAfterEnd + 1000);
  EXPECT_FALSE(bench.is("HTCR.TRG"));
}

TEST_F(Qualifier, ThePolarityCountsAsItIsWhenThePacketArrives) {
  bench.write("TTCR", 1 | kEip);  // the wire is high: TRUE
  const uint64_t first = bench.now;
  bench.pass(1);
  bench.write("TTCR", 1);
  EXPECT_TRUE(triggers(first));
}

TEST_F(Qualifier, ThirtyTwoChangesAreRemembered) {
  bench.pull(true);
  const uint64_t first = bench.now;
  for (int i = 0; i < SURF_EXT_HISTORY; ++i) {
    bench.pass(10);
    bench.pull(i % 2 != 0);
  }
  bench.pass(1);
  EXPECT_TRUE(triggers(first));
}

TEST_F(Qualifier, AJoinedPacketHasTheInputOfItsFirstWord) {
  bench.pull(true);
  bench.deliver({.eod = false}, bench.now);
  bench.pull(false);
  bench.pass(10'000);
  EXPECT_TRUE(triggers(bench.now));
}

TEST(External, BinOverflowDrivesUntilBvIsCleared) {
  SurfBench bench;
  bench.select_size();
  bench.write("TTCR", kMbv);
  bench.put("HTCR.HEN");
  bench.set_bin(1, 0xffffffff);
  bench.send();
  EXPECT_TRUE(bench.driven_low);
  bench.send();
  EXPECT_TRUE(bench.driven_low);
  bench.write("ISCR", kBv);
  EXPECT_FALSE(bench.driven_low);
}

TEST(External, FollowingItsOwnWireLatches) {
  SurfBench bench;
  bench.write("TTCR", kMei);
  EXPECT_FALSE(bench.driven_low);
  bench.pull(true);
  EXPECT_TRUE(bench.driven_low);
  bench.pull(false);
  EXPECT_TRUE(bench.driven_low);  // its own output holds it
  bench.write("TTCR", 0);
  EXPECT_FALSE(bench.driven_low);
}

TEST(External, AnOscillatorIsStoppedAndNamed) {
  SurfBench bench;
  bench.write("TTCR", kMei | kEip);
  EXPECT_TRUE(bench.logged("TTCR"));
  bench.write("TTCR", 0);
  EXPECT_FALSE(bench.driven_low);
  EXPECT_LT(bench.drives, 10);
}

TEST(External, TheEventOfOneBoardTriggersAll) {
  SurfBench a, b;
  static SurfBench* both[2];
  both[0] = &a;
  both[1] = &b;
  // One open-collector wire for both.
  for (SurfBench* bench : both) {
    bench->select_size();
    bench->wired_back = false;
    bench->board.config.ext_drive = [](void* opaque, bool low) {
      static_cast<SurfBench*>(opaque)->driven_low = low;
      for (SurfBench* other : both)
        surf_ext_input(&other->board, !(both[0]->driven_low || both[1]->driven_low));
    };
  }
  a.write("TTCR", kMbv | 2);
  b.write("TTCR", 1);  // triggers on the input
  a.put("HTCR.HEN", "HTCR.TEN");
  b.put("HTCR.TEN");
  b.send();
  EXPECT_FALSE(b.is("HTCR.TRG"));
  a.set_bin(1, 0xffffffff);
  a.send();
  EXPECT_TRUE(a.is("HTCR.TRG"));
  EXPECT_TRUE(b.is("ISCR.EXT"));
  b.send();
  EXPECT_TRUE(b.is("HTCR.TRG"));
}

// --- snapshots ---

TEST(Snapshot, RestoresWireLineAndWindows) {
  SurfBench before;
  before.write("ECDR", 1);
  before.put("TTCR.MEOD");
  before.put("ISCR.EXT");
  ASSERT_TRUE(before.driven_low);
  SurfBench after;
  const int remaps = after.remaps;
  after.state() = before.state();
  surf_post_load(&after.board);
  EXPECT_TRUE(after.driven_low);
  EXPECT_EQ(after.remaps, remaps + 1);
  EXPECT_FALSE(after.is("ISCR.EXT"));  // loading is no transition

  SurfBench released;
  after.state() = released.state();
  surf_post_load(&after.board);
  EXPECT_FALSE(after.driven_low);
  EXPECT_EQ(after.state().ext_high, 1);
}

// The wire of the machine that loads was at another level: neither that nor the load is a change.
TEST(Snapshot, KeepsTheInputOfAPacketUnderWay) {
  SurfBench before;
  before.shift_in(shift_value(0));
  before.write("TTCR", 1);
  before.put("HTCR.TEN");
  before.pull(true);
  const uint64_t first = before.now;
  before.pass(10);
  before.pull(false);
  before.pass(10);
  SurfBench after;
  after.now = before.now;
  after.others_low = true;
  after.state() = before.state();
  surf_post_load(&after.board);
  EXPECT_EQ(after.state().ext_changed_ns[1], first);
  after.pull(false);
  after.deliver({.length_ns = 500}, first);
  after.pass(kAfterEnd);
  EXPECT_TRUE(after.is("HTCR.TRG"));
}

// Nobody who hears of the wire while it is loaded may make an edge of it.
TEST(SurfLoad, IsNoEdge) {
  for (const bool inverted : {false, true}) {
    SurfBench before;
    before.pull(inverted);
    before.write("TTCR", inverted ? bits("TTCR.EIP") : 0);  // the input is FALSE
    before.put("ISCR.EXT");
    SurfBench after;
    after.pull(!inverted);
    char why[PB_WHY_BYTES] = "";
    EXPECT_TRUE(surf_load(&after.board, &before.state(), why, sizeof why)) << why;
    EXPECT_EQ(after.state().ext_high, !inverted);
    EXPECT_FALSE(after.is("ISCR.EXT")) << inverted;
  }
}

}  // namespace
}  // namespace perfboard::surf
