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

}  // namespace
}  // namespace perfboard::qtest
