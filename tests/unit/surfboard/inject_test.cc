// SPDX-License-Identifier: GPL-2.0-or-later
//
// Each error on purpose shows as the paper says that its like shows, and only as often as asked.
#include "hw/surfboard/view.h"
#include "tests/unit/surfboard/fixture.h"

namespace perfboard::surf {
namespace {

constexpr uint32_t kAll = bits("HTCR.TEN") | bits("HTCR.HEN") | bits("HTCR.WEN");

struct SurfInject : testing::Test {
  SurfBench bench;
  SurfInject() {
    bench.select_size(1);
    bench.write("HTCR", kAll);
  }
  struct Which {
    consteval Which(const char* name) : number(injection(name)) {}
    unsigned number;
  };
  void inject(Which which, uint32_t value) { surf_view().inject(&bench.board, which.number, value); }
  uint64_t left(Which which) { return surf_view().injected(&bench.board, which.number); }
  // A packet of so many words that was sent 5 us ago.
  void send(uint16_t words = 1) { bench.send({.words = words, .timestamp = bench.now / 100 - 50}); }
};

TEST_F(SurfInject, DroppedPacketsAreNotSeen) {
  inject("inject-drop", 2);
  for (int i = 0; i < 5; ++i) send();
  EXPECT_EQ(bench.read("WCDR"), 3u);
  EXPECT_EQ(bench.read("TECR"), 3u);
  EXPECT_EQ(bench.bin(1), 3u);
  EXPECT_EQ(bench.read("ISCR") & 0x1f00, 0u) << "the board knows nothing of it";
  EXPECT_EQ(left("inject-drop"), 0u);
}

TEST_F(SurfInject, ADisabledBoardUsesNoneUp) {
  inject("inject-drop", 2);
  bench.disable();
  send();
  EXPECT_EQ(left("inject-drop"), 2u);
}

TEST_F(SurfInject, LatePacketsHaveLongerLatencies) {
  send();
  inject("inject-late", 3000);
  send();
  EXPECT_EQ(bench.entry(1).word[0] - bench.entry(0).word[0], 30u);
  EXPECT_FALSE(bench.is("ISCR.LV"));
  EXPECT_EQ(left("inject-late"), 3000u) << "it lasts";
  inject("inject-late", UINT32_MAX);  // longer than the machine runs: sent at 0
  send();
  const uint64_t receive = bench.entry(2).word[2];
  EXPECT_EQ(bench.entry(2).word[0] & 0xffffff, receive);
}

TEST_F(SurfInject, LateBeyondTheWindowOverflowsIt) {
  bench.write("HTCR", 0);
  bench.shift_in(shift_value(1, 3));  // 6 bits: 6.3 us
  bench.write("HTCR", kAll);
  send();
  EXPECT_FALSE(bench.is("ISCR.LV"));
  inject("inject-late", 2000);
  send();
  EXPECT_TRUE(bench.is("ISCR.LV"));
  EXPECT_EQ(bench.entry(1).word[0] & 0x3ffffff, bits("TRACE0.V") | 0xffffff);
}

TEST_F(SurfInject, ADamagedPacketComesFromTheFutureAndFromNowhere) {
  inject("inject-damage", 1);
  send();
  send();
  EXPECT_TRUE(bench.is("ISCR.LU"));
  EXPECT_EQ(bench.entry(0).word[0], 0x3fu << 26 | bits("TRACE0.U"));
  EXPECT_EQ(bench.entry(1).word[0], 50u);
}

TEST_F(SurfInject, APacketWithoutEndOfDataSwallowsTheNext) {
  inject("inject-no-eod", 1);
  send(3);
  EXPECT_EQ(bench.read("TECR"), 0u);
  EXPECT_NE(surf_leds(&bench.board) & 1 << 8, 0u) << "LED 9: a packet in Stage 1";
  send(5);
  EXPECT_EQ(bench.read("TECR"), 1u);
  EXPECT_EQ(bench.read("WCDR"), 3u + 4 + 5);
  send();
  EXPECT_EQ(bench.read("TECR"), 2u);
}

TEST_F(SurfInject, AnOverrunSetsPv) {
  bench.put("IEMR.PV");
  inject("inject-overrun", 1);
  send();
  EXPECT_TRUE(bench.is("ISCR.PV"));
  EXPECT_TRUE(bench.irq);
  EXPECT_EQ(bench.read("TECR"), 0u);
  bench.put("ISCR.PV");
  send();
  EXPECT_FALSE(bench.is("ISCR.PV"));
  EXPECT_EQ(bench.read("TECR"), 1u);
}

TEST_F(SurfInject, SkewedClocksUnderflow) {
  inject("inject-skew", 49);
  send();
  EXPECT_EQ(bench.entry(0).word[0], 1u);
  EXPECT_FALSE(bench.is("ISCR.LU"));
  inject("inject-skew", 51);
  send();
  EXPECT_TRUE(bench.is("ISCR.LU"));
  EXPECT_EQ(bench.entry(1).word[0], bits("TRACE0.U"));
}

TEST_F(SurfInject, TheReceiveClockWrapsWhenAsked) {
  bench.put("IEMR.RTV");
  inject("inject-clock-wrap", 5000);
  EXPECT_EQ(left("inject-clock-wrap"), 5000u);
  bench.pass(4999);
  EXPECT_FALSE(bench.irq);
  bench.pass(1);
  EXPECT_TRUE(bench.irq);
  EXPECT_TRUE(bench.is("ISCR.RTV"));
  EXPECT_EQ(left("inject-clock-wrap"), 0u);
  surf_global_reset(&bench.board);
  EXPECT_FALSE(bench.irq);
}

TEST_F(SurfInject, TheReceiveClockWrapsAtOnce) {
  inject("inject-clock-wrap", 0);
  EXPECT_TRUE(bench.is("ISCR.RTV"));
}

TEST_F(SurfInject, ABinsAddressFindsTheFifoFull) {
  inject("inject-fifo-overflow", 1);
  for (const uint32_t slots : {0u, 3u}) {
    bench.set_bin(1, 0xffffffff);
    send();
    EXPECT_TRUE(bench.is("ISCR.BV"));
    EXPECT_EQ(bench.state().fifo.count, slots);
    EXPECT_EQ(bench.is("ISCR.FV"), slots == 0);
    bench.put("ISCR.FV", "ISCR.BV");
  }
}

TEST_F(SurfInject, ASelectorThatIsNeverDone) {
  inject("inject-selector", SURF_SELECTOR_NEVER_DONE);
  EXPECT_TRUE(bench.is("FCCR.DONE")) << "the one that is configured works on";
  configure(bench, good_stream());
  EXPECT_EQ(bench.read("FCCR") & 0xf, bits("FCCR.CFG"));
  inject("inject-selector", SURF_SELECTOR_GOOD);
  configure(bench, good_stream());
  EXPECT_EQ(bench.read("FCCR") & 0xf, bits("FCCR.DONE"));
}

TEST_F(SurfInject, ASelectorThatHoldsInitLow) {
  inject("inject-selector", SURF_SELECTOR_INIT_LOW);
  configure(bench, good_stream());
  EXPECT_EQ(bench.read("FCCR") & 0xf, bits("FCCR.ERR") | bits("FCCR.CFG"));
  inject("inject-selector", SURF_SELECTOR_GOOD);
  EXPECT_FALSE(bench.is("FCCR.ERR"));
}

TEST_F(SurfInject, AnAbsentSimm) {
  inject("inject-trace-simm", SURF_SIMM_ABSENT);
  inject("inject-hist-simm", SURF_SIMM_ABSENT);
  EXPECT_EQ(bench.read("FCCR") >> 4, 0xffu);
  EXPECT_EQ(surf_memory_bytes(&bench.board, SURF_MEM_TRACE), 0u);
  bench.stored = 0;
  send();
  EXPECT_EQ(bench.read("TECR"), 1u) << "the counters run";
  EXPECT_EQ(bench.stored, 0u);
}

TEST_F(SurfInject, AHalfSizedSimmRepeatsAndPresenceDetectDoesNotSaySo) {
  const uint32_t fccr = bench.read("FCCR");
  inject("inject-trace-simm", SURF_SIMM_HALF);
  inject("inject-hist-simm", SURF_SIMM_HALF);
  EXPECT_EQ(bench.read("FCCR"), fccr);
  bench.write("TICR", 0x20000 + 5);  // beyond 2 MB
  send(7);
  EXPECT_EQ(bench.read("TECR"), 1u);
  EXPECT_EQ(bench.entry(5).word[1] >> 18 & 0x3ff, 7u);
  bench.write("HTCR", 0);
  bench.put("HTCR.TEN");
  EXPECT_TRUE(bench.mistaken(mistake("trace-too-large")));
}

// Else the guest would have plain RAM where nothing is.
TEST_F(SurfInject, ABrokenSimmIsWatched) {
  bench.write("HTCR", 0);
  bench.touch_memory();
  EXPECT_FALSE(bench.watched);
  inject("inject-hist-simm", SURF_SIMM_ABSENT);
  EXPECT_TRUE(bench.watched);
  bench.touch_memory();
  EXPECT_TRUE(bench.watched);
}

TEST_F(SurfInject, PowerOnEndsThem) {
  inject("inject-drop", 9);
  surf_power_on(&bench.board);
  EXPECT_EQ(left("inject-drop"), 0u);
}

}  // namespace
}  // namespace perfboard::surf
