// SPDX-License-Identifier: GPL-2.0-or-later
//
// What QMP sees and does: LEDs (A.3), the receive clock, the external connector; and the wire that
// boards share by name.
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "tests/qtest/core/boards.h"

namespace perfboard::qtest {
namespace {

constexpr uint64_t kLedFlashNs = 100'000'000;  // hw/surfboard/README.md

MachineOptions two_boards(const char* first, const char* second) {
  return {.devices = {std::string("surfboard,slot=2,id=a") + first,
                      std::string("surfboard,slot=3,id=b") + second}};
}

struct Pair {
  explicit Pair(Machine& m) : a(m, 2), b(m, 3) {
    a.enable(SURF_IRLEV_IRQ10);
    b.enable(SURF_IRLEV_IRQ5, 0xc0010000, 0xd8000000);
  }
  Surf a, b;
};

TEST(Leds, EachAsAPropertyAndAllAsOne) {
  Machine m({.devices = {"surfboard,slot=2,id=surf"}});
  Surf surf(m, 2);
  const auto led = [&](int n) {
    const bool one = m.flag("surf", "led" + std::to_string(n));
    EXPECT_EQ(one, (m.get("surf", "leds") >> (n - 1) & 1) != 0) << n;
    return one;
  };
  EXPECT_TRUE(led(2)) << "power-on was a reset";
  m.step(kLedFlashNs);
  for (int n = 1; n <= 10; ++n) EXPECT_FALSE(led(n)) << n;
  surf.enable(SURF_IRLEV_IRQ10);
  EXPECT_TRUE(led(6)) << "EISA access";
  m.step(kLedFlashNs);
  EXPECT_FALSE(led(6)) << "a flash, not for ever";
  const std::pair<int, std::function<void()>> causes[] = {
      {1, [&] { m.set("surf", "ext-pull", "true"); }},
      {3, [&] { surf.write(SURF_HTCR, SURF_HTCR_TRG); }},
      {5, [&] { surf.write(SURF_HTCR, SURF_HTCR_TRG | SURF_HTCR_TEN); }},
      {4, [&] { surf.write(SURF_HFDR, 1); }},
      {7, [&] { surf.write(SURF_IEMR, SURF_IEMR_FNE); }},
      {10, [&] { surf.write(SURF_PCLR, SURF_PCLR_LED); }}};
  for (const auto& [n, cause] : causes) {
    EXPECT_FALSE(led(n)) << n;
    cause();
    EXPECT_TRUE(led(n)) << n;
  }
  m.qmp("system_reset");
  m.qmp("query-status");
  EXPECT_TRUE(led(2)) << "any reset";
}

TEST(Leds, PacketsShine) {
  Machine m({.devices = {"shrimp-sni,slot=1", "surfboard,slot=2,id=surf"}});
  Sni sni(m, 1);
  Surf surf(m, 2);
  sni.enable();
  surf.enable();
  m.step(kLedFlashNs);
  EXPECT_EQ(m.get("surf", "leds"), 0u);
  sni.accept(0x10, SNI_IPT_VALID);
  sni.deliberate(0x8000, 0x10000, 1);
  m.step(20'000);
  EXPECT_TRUE(m.flag("surf", "led8")) << "packet in stage 2";
  EXPECT_TRUE(m.flag("surf", "led9")) << "packet in stage 1";
  m.step(kLedFlashNs);
  EXPECT_EQ(m.get("surf", "leds"), 0u);
}

TEST(Leds, CannotBeSet) {
  Machine m({.devices = {"surfboard,slot=2,id=surf"}});
  EXPECT_NE(m.set("surf", "leds", "1"), "");
  EXPECT_NE(m.set("surf", "led10", "true"), "");
  EXPECT_NE(m.set("surf", "ext-output", "true"), "");
  EXPECT_NE(m.set("surf", "ext-wire", "false"), "");
}

TEST(ReceiveTime, IsSettableInItsRange) {
  Machine m({.devices = {"surfboard,slot=2,id=surf"}});
  const uint64_t top = (uint64_t{1} << 44) - 1;
  for (uint64_t t : {uint64_t{0}, uint64_t{1}, uint64_t{123456789012}, top}) {
    EXPECT_EQ(m.set("surf", "receive-time", std::to_string(t)), "");
    EXPECT_EQ(m.get("surf", "receive-time"), t);
  }
  const std::string over = m.set("surf", "receive-time", std::to_string(top + 1));
  EXPECT_TRUE(has(over, "receive-time=17592186044416")) << over;
  EXPECT_TRUE(has(over, "0..2^44-1")) << over;
  EXPECT_NE(m.set("surf", "receive-time", "-1"), "");
  EXPECT_NE(m.set("surf", "receive-time", "\"soon\""), "");
  EXPECT_EQ(m.get("surf", "receive-time"), top) << "a refused value changes nothing";
}

TEST(ReceiveTime, OverflowInterruptsOnTime) {
  Machine m({.devices = {"shrimp-sni,slot=1", "surfboard,slot=2,id=surf"}});
  Surf surf(m, 2);
  surf.enable(SURF_IRLEV_IRQ10);
  m.level_triggered(1 << 10);
  surf.write(SURF_IEMR, SURF_IEMR_RTV);
  ASSERT_EQ(m.set("surf", "receive-time", std::to_string((uint64_t{1} << 44) - 100)), "");
  m.step(8'000);
  EXPECT_EQ(m.irr() & 1 << 10, 0);
  m.step(8'000);
  EXPECT_EQ(m.irr() & 1 << 10, 1 << 10);
  EXPECT_EQ(surf.read(SURF_ISCR), SURF_ISCR_PEND | SURF_ISCR_RTV);
  EXPECT_LT(m.get("surf", "receive-time"), 100u);
  surf.write(SURF_ISCR, 0xffffffff);
  EXPECT_EQ(surf.read(SURF_ISCR), SURF_ISCR_PEND | SURF_ISCR_RTV) << "only a global reset clears it (p. 57)";
  Sni sni(m, 1);
  sni.enable();
  sni.write(SNI_SCR, SNI_SCR_EN | SNI_SCR_GRST);
  EXPECT_EQ(surf.read(SURF_ISCR), 0u);
  EXPECT_EQ(m.irr() & 1 << 10, 0);
  EXPECT_EQ(m.get("surf", "receive-time"), 0u);
}

// --- the external connector ----------------------------------------------------------

TEST(External, PulledFromOutside) {
  Machine m({.devices = {"surfboard,slot=2,id=surf"}});
  Surf surf(m, 2);
  surf.enable();
  EXPECT_TRUE(m.flag("surf", "ext-wire")) << "pulled up";
  EXPECT_FALSE(m.flag("surf", "ext-pull"));
  EXPECT_EQ(m.set("surf", "ext-pull", "true"), "");
  EXPECT_FALSE(m.flag("surf", "ext-wire"));
  EXPECT_TRUE(m.flag("surf", "ext-pull"));
  EXPECT_FALSE(m.flag("surf", "ext-output")) << "it is not the board that pulls";
  EXPECT_EQ(surf.read(SURF_ISCR) & SURF_ISCR_EXT, SURF_ISCR_EXT);
  EXPECT_EQ(m.set("surf", "ext-pull", "false"), "");
  EXPECT_TRUE(m.flag("surf", "ext-wire"));
  EXPECT_NE(m.set("surf", "ext-pull", "2"), "");
  EXPECT_NE(m.set("surf", "ext-pull", "\"low\""), "");
}

TEST(External, BoardDrivesItsWire) {
  Machine m({.devices = {"surfboard,slot=2,id=surf"}});
  Surf surf(m, 2);
  surf.enable();
  surf.write(SURF_ECDR, SURF_ECDR_DATA);
  EXPECT_FALSE(m.flag("surf", "ext-output")) << "masked";
  surf.write(SURF_TTCR, SURF_TTCR_MEOD);
  EXPECT_TRUE(m.flag("surf", "ext-output"));
  EXPECT_FALSE(m.flag("surf", "ext-wire"));
  surf.ebcr(0);
  EXPECT_FALSE(m.flag("surf", "ext-output")) << "a disabled board floats";
  EXPECT_TRUE(m.flag("surf", "ext-wire"));
}

TEST(Wire, WithoutANameOrWithAnotherTheyAreOtherWires) {
  for (const auto& [first, second] : {std::pair("", ""), std::pair(",wire=left", ",wire=right")}) {
    Machine m(two_boards(first, second));
    Pair p(m);
    EXPECT_EQ(m.set("a", "ext-pull", "true"), "");
    EXPECT_FALSE(m.flag("a", "ext-wire"));
    EXPECT_TRUE(m.flag("b", "ext-wire"));
    EXPECT_EQ(p.b.read(SURF_ISCR) & SURF_ISCR_EXT, 0u);
  }
}

TEST(Wire, IsOpenCollector) {
  Machine m(two_boards(",wire=all", ",wire=all"));
  Pair p(m);
  p.a.write(SURF_TTCR, SURF_TTCR_MEOD);
  p.b.write(SURF_TTCR, SURF_TTCR_MEOD);
  p.a.write(SURF_ECDR, 1);
  EXPECT_FALSE(m.flag("b", "ext-wire"));
  EXPECT_FALSE(m.flag("b", "ext-output"));
  EXPECT_EQ(p.b.read(SURF_ISCR) & SURF_ISCR_EXT, SURF_ISCR_EXT);
  p.b.write(SURF_ECDR, 1);
  p.a.write(SURF_ECDR, 0);
  EXPECT_FALSE(m.flag("a", "ext-wire")) << "b pulls still";
  p.b.write(SURF_ECDR, 0);
  EXPECT_TRUE(m.flag("a", "ext-wire"));
  EXPECT_EQ(m.set("b", "ext-pull", "true"), "");
  EXPECT_FALSE(m.flag("a", "ext-wire")) << "whoever holds b's end of the cable pulls a's, too";
}

// One board's threshold is the other's trigger: bin overflow -> output -> wire -> input -> trigger
// packet and interrupt (3.3).
TEST(Wire, ThresholdOfOneTriggersTheOther) {
  Machine m(
      {.devices = {"shrimp-sni,slot=1", "surfboard,slot=2,id=a,wire=all", "surfboard,slot=3,id=b,wire=all"}});
  Sni sni(m, 1);
  Pair p(m);
  m.level_triggered(1 << 5 | 1 << 10);
  sni.enable();
  sni.accept(0x10, SNI_IPT_VALID);
  m.write32(p.a.bin_at(0xffffff), 0xfffffffe);  // an unconfigured HAS names this bin
  p.a.write(SURF_TTCR, SURF_TTCR_MBV);
  p.a.write(SURF_HTCR, SURF_HTCR_HEN);
  p.b.shift_in(kPlainShift);
  p.b.write(SURF_TTCR, SURF_PUT(TTCR_QUAL, uint32_t{SURF_QUAL_EXT}));
  p.b.write(SURF_IEMR, SURF_IEMR_EXT);
  p.b.write(SURF_HTCR, SURF_HTCR_TEN);

  sni.deliberate(0x8000, 0x10000, 1);
  m.step(20'000);
  EXPECT_EQ(m.irr() & 1 << 5, 0);
  EXPECT_EQ(p.b.read(SURF_HTCR), SURF_HTCR_TEN);

  sni.deliberate(0x8000, 0x10000, 2);
  m.step(20'000);
  EXPECT_EQ(m.irr() & 1 << 5, 1 << 5) << "b heard of a's overflow with no access to either board";
  EXPECT_EQ(p.a.read(SURF_ISCR) & SURF_ISCR_BV, SURF_ISCR_BV);
  EXPECT_FALSE(m.flag("b", "ext-wire"));
  p.b.write(SURF_ISCR, SURF_ISCR_EXT);
  EXPECT_EQ(m.irr() & 1 << 5, 0);

  sni.deliberate(0x8000, 0x10000, 3);
  m.step(20'000);
  EXPECT_EQ(p.b.read(SURF_HTCR), SURF_HTCR_TEN | SURF_HTCR_TRG);
  EXPECT_EQ(p.b.trace(p.b.read(SURF_TECR) - 1, 1) >> SURF_TRACE1_SIZE_SHIFT & 0x3ff, 3u);
  p.a.write(SURF_ISCR, SURF_ISCR_BV);
  EXPECT_TRUE(m.flag("b", "ext-wire")) << "BOC is ISCR.BV (p. 56)";
}

}  // namespace
}  // namespace perfboard::qtest
