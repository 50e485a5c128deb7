// SPDX-License-Identifier: GPL-2.0-or-later
//
// Each error on purpose shows as the paper says that its like shows, and only as often as asked.
#include "hw/surfboard/view.h"
#include "tests/unit/surfboard/bitstream.h"

namespace perfboard::surf {
namespace {

constexpr uint32_t kAll = bits("HTCR.TEN") | bits("HTCR.HEN") | bits("HTCR.WEN");

struct SurfInject : testing::Test {
  SurfBench bench;
  SurfInject() {
    bench.shift_in(shift_value(1));
    bench.select(HAS_SIZE_SHIFT, 10);
    bench.write("HTCR", kAll);
  }
  void inject(SurfInjection what, uint32_t value) { surf_inject(&bench.board, what, value); }
  uint32_t left(SurfInjection what) { return surf_injected(&bench.board, what); }
  // A packet of so many words that was sent 5 us ago.
  void send(uint16_t words = 1) { bench.send({.words = words, .timestamp = bench.now / 100 - 50}); }
  uint32_t iscr(std::string_view field) {
    return bench.read("ISCR") & at(kRegisters, "ISCR").field(field).mask();
  }
};

TEST_F(SurfInject, DroppedPacketsAreNotSeen) {
  inject(SURF_INJECT_DROP, 2);
  for (int i = 0; i < 5; ++i) send();
  EXPECT_EQ(bench.read("WCDR"), 3u);
  EXPECT_EQ(bench.read("TECR"), 3u);
  EXPECT_EQ(bench.bin(1), 3u);
  EXPECT_EQ(bench.read("ISCR") & 0x1f00, 0u) << "the board knows nothing of it";
  EXPECT_EQ(left(SURF_INJECT_DROP), 0u);
}

TEST_F(SurfInject, ADisabledBoardUsesNoneUp) {
  inject(SURF_INJECT_DROP, 2);
  bench.disable();
  send();
  EXPECT_EQ(left(SURF_INJECT_DROP), 2u);
}

TEST_F(SurfInject, LatePacketsHaveLongerLatencies) {
  send();
  inject(SURF_INJECT_LATE, 3000);
  send();
  EXPECT_EQ(bench.entry(1).word[0] - bench.entry(0).word[0], 30u);
  EXPECT_EQ(iscr("LV"), 0u);
  EXPECT_EQ(left(SURF_INJECT_LATE), 3000u) << "it lasts";
  inject(SURF_INJECT_LATE, UINT32_MAX);  // longer than the machine runs: sent at 0
  send();
  const uint64_t receive = bench.entry(2).word[2];
  EXPECT_EQ(bench.entry(2).word[0] & 0xffffff, receive);
}

TEST_F(SurfInject, LateBeyondTheWindowOverflowsIt) {
  bench.write("HTCR", 0);
  bench.shift_in(shift_value(1, 3));  // 6 bits: 6.3 us
  bench.write("HTCR", kAll);
  send();
  EXPECT_EQ(iscr("LV"), 0u);
  inject(SURF_INJECT_LATE, 2000);
  send();
  EXPECT_NE(iscr("LV"), 0u);
  EXPECT_EQ(bench.entry(1).word[0] & 0x3ffffff, bits("TRACE0.V") | 0xffffff);
}

TEST_F(SurfInject, ADamagedPacketComesFromTheFutureAndFromNowhere) {
  inject(SURF_INJECT_DAMAGE, 1);
  send();
  send();
  EXPECT_NE(iscr("LU"), 0u);
  EXPECT_EQ(bench.entry(0).word[0], 0x3fu << 26 | bits("TRACE0.U"));
  EXPECT_EQ(bench.entry(1).word[0], 50u);
}

TEST_F(SurfInject, APacketWithoutEndOfDataSwallowsTheNext) {
  inject(SURF_INJECT_NO_END, 1);
  send(3);
  EXPECT_EQ(bench.read("TECR"), 0u);
  EXPECT_NE(surf_leds(&bench.board) & 1 << 8, 0u) << "LED 9: a packet in Stage 1";
  send(5);
  EXPECT_EQ(bench.read("TECR"), 1u);
  EXPECT_EQ(bench.read("WCDR"), 3u + 4 + 5);
  send();
  EXPECT_EQ(bench.read("TECR"), 2u);
}

TEST_F(SurfInject, ThePipelinesResetEndsThePacketWithoutEnd) {
  inject(SURF_INJECT_NO_END, 1);
  send(3);
  bench.write("HTCR", kAll | bits("HTCR.PRS"));
  bench.write("HTCR", kAll);
  send(5);
  EXPECT_EQ(bench.read("WCDR"), 5u);
}

TEST_F(SurfInject, AnOverrunSetsPv) {
  bench.write("IEMR", bits("IEMR.PV"));
  inject(SURF_INJECT_OVERRUN, 1);
  send();
  EXPECT_NE(iscr("PV"), 0u);
  EXPECT_TRUE(bench.irq);
  EXPECT_EQ(bench.read("TECR"), 0u);
  bench.write("ISCR", bits("ISCR.PV"));
  send();
  EXPECT_EQ(iscr("PV"), 0u);
  EXPECT_EQ(bench.read("TECR"), 1u);
}

TEST_F(SurfInject, SkewedClocksUnderflow) {
  inject(SURF_INJECT_SKEW, 49);
  send();
  EXPECT_EQ(bench.entry(0).word[0], 1u);
  EXPECT_EQ(iscr("LU"), 0u);
  inject(SURF_INJECT_SKEW, 51);
  send();
  EXPECT_NE(iscr("LU"), 0u);
  EXPECT_EQ(bench.entry(1).word[0], bits("TRACE0.U"));
}

TEST_F(SurfInject, TheReceiveClockWrapsWhenAsked) {
  bench.write("IEMR", bits("IEMR.RTV"));
  inject(SURF_INJECT_CLOCK_WRAP, 5000);
  EXPECT_EQ(left(SURF_INJECT_CLOCK_WRAP), 5000u);
  bench.pass(4999);
  EXPECT_FALSE(bench.irq);
  bench.pass(1);
  EXPECT_TRUE(bench.irq);
  EXPECT_NE(iscr("RTV"), 0u);
  EXPECT_EQ(left(SURF_INJECT_CLOCK_WRAP), 0u);
  surf_global_reset(&bench.board);
  EXPECT_FALSE(bench.irq);
}

TEST_F(SurfInject, TheReceiveClockWrapsAtOnce) {
  inject(SURF_INJECT_CLOCK_WRAP, 0);
  EXPECT_NE(iscr("RTV"), 0u);
}

TEST_F(SurfInject, ABinsAddressFindsTheFifoFull) {
  inject(SURF_INJECT_FIFO_OVERFLOW, 1);
  for (const uint32_t slots : {0u, 3u}) {
    bench.set_bin(1, 0xffffffff);
    send();
    EXPECT_NE(iscr("BV"), 0u);
    EXPECT_EQ(bench.state().fifo.count, slots);
    EXPECT_EQ(iscr("FV") != 0, slots == 0);
    bench.write("ISCR", bits("ISCR.FV") | bits("ISCR.BV"));
  }
}

TEST_F(SurfInject, ASelectorThatIsNeverDone) {
  inject(SURF_INJECT_SELECTOR, SURF_SELECTOR_NEVER_DONE);
  EXPECT_NE(bench.read("FCCR") & bits("FCCR.DONE"), 0u) << "the one that is configured works on";
  configure(bench, good_stream());
  EXPECT_EQ(bench.read("FCCR") & 0xf, bits("FCCR.CFG"));
  inject(SURF_INJECT_SELECTOR, SURF_SELECTOR_GOOD);
  configure(bench, good_stream());
  EXPECT_EQ(bench.read("FCCR") & 0xf, bits("FCCR.DONE"));
}

TEST_F(SurfInject, ASelectorThatHoldsInitLow) {
  inject(SURF_INJECT_SELECTOR, SURF_SELECTOR_INIT_LOW);
  configure(bench, good_stream());
  EXPECT_EQ(bench.read("FCCR") & 0xf, bits("FCCR.ERR") | bits("FCCR.CFG"));
}

TEST_F(SurfInject, AnAbsentSimm) {
  inject(SURF_INJECT_TRACE_SIMM, SURF_SIMM_ABSENT);
  inject(SURF_INJECT_HIST_SIMM, SURF_SIMM_ABSENT);
  EXPECT_EQ(bench.read("FCCR") >> 4, 0xffu);
  EXPECT_EQ(surf_memory_bytes(&bench.board, SURF_MEM_TRACE), 0u);
  bench.stored = 0;
  send();
  EXPECT_EQ(bench.read("TECR"), 1u) << "the counters run";
  EXPECT_EQ(bench.stored, 0u);
}

TEST_F(SurfInject, AHalfSizedSimmRepeatsAndPresenceDetectDoesNotSaySo) {
  const uint32_t fccr = bench.read("FCCR");
  inject(SURF_INJECT_TRACE_SIMM, SURF_SIMM_HALF);
  inject(SURF_INJECT_HIST_SIMM, SURF_SIMM_HALF);
  EXPECT_EQ(bench.read("FCCR"), fccr);
  bench.write("TICR", 0x20000 + 5);  // beyond 2 MB
  send(7);
  EXPECT_EQ(bench.read("TECR"), 1u);
  EXPECT_EQ(bench.entry(5).word[1] >> 18 & 0x3ff, 7u);
  bench.write("HTCR", 0);
  bench.write("HTCR", bits("HTCR.TEN"));
  EXPECT_TRUE(bench.mistaken(mistake("trace-too-large")));
}

// Else the guest would have plain RAM where nothing is.
TEST_F(SurfInject, ABrokenSimmIsWatched) {
  bench.write("HTCR", 0);
  bench.touch_memory();
  EXPECT_FALSE(bench.watched);
  inject(SURF_INJECT_HIST_SIMM, SURF_SIMM_ABSENT);
  EXPECT_TRUE(bench.watched);
  bench.touch_memory();
  EXPECT_TRUE(bench.watched);
}

TEST_F(SurfInject, NoResetEndsOne) {
  inject(SURF_INJECT_DROP, 9);
  surf_bus_reset(&bench.board);
  EXPECT_EQ(left(SURF_INJECT_DROP), 9u);
  surf_power_on(&bench.board);
  EXPECT_EQ(left(SURF_INJECT_DROP), 0u);
}

TEST_F(SurfInject, ASnapshotHoldsThem) {
  configure(bench, good_stream());
  inject(SURF_INJECT_SKEW, 77);
  inject(SURF_INJECT_SELECTOR, SURF_SELECTOR_INIT_LOW);
  const SurfState saved = bench.state();
  surf_power_on(&bench.board);
  char why[PB_WHY_BYTES];
  ASSERT_TRUE(surf_load(&bench.board, &saved, why, sizeof why)) << why;
  EXPECT_EQ(left(SURF_INJECT_SKEW), 77u);
  SurfState damaged = saved;
  damaged.injected.hist_simm = 3;
  EXPECT_FALSE(surf_load(&bench.board, &damaged, why, sizeof why));
  EXPECT_NE(std::string(why).find("hist_simm"), std::string::npos) << why;
}

}  // namespace
}  // namespace perfboard::surf
