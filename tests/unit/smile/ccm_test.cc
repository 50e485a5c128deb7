// SPDX-License-Identifier: GPL-2.0-or-later
//
// The configuration cache manager: loads in virtual time, damaged images, the fall-back to flash, the
// interrupt's latch.
#include "tests/unit/smile/card_fixture.h"

namespace perfboard::smile {
namespace {

constexpr uint32_t kDone = 2, kError = 4, kSource = 4;  // STATUS: bits, and SOURCE's place

uint64_t ns_of(uint64_t clocks, uint64_t hz = 10'000'000) { return (clocks * 1'000'000'000 + hz - 1) / hz; }

TEST(SmileCcm, PowerOnLoadsTheFlashAtOnce) {
  for (const unsigned design : {0u, 1u, 2u}) {
    Card c(design);
    EXPECT_FALSE(c.away());
    EXPECT_EQ(c.ccm(kDesign), design);
    EXPECT_EQ(c.ccm(kStatus), kDone);
    EXPECT_EQ(c.ccm(kInterrupt), 1u);
    EXPECT_EQ(c.get(kTargetMsr), design ? design | 16u << 16 : 0xffffffffu);
    EXPECT_EQ(c.armed, PB_NEVER);
  }
}

TEST(SmileCcm, ALoadTakesItsBitsAtCclk) {
  for (const uint32_t hz : {100'000u, 10'000'000u, 33'333'333u}) {
    Card c(SMILE_DYNAMIC, hz);
    c.slot(0, design_image(SMILE_STATIC));
    c.ccm(kCommand, 1);
    EXPECT_TRUE(c.away());
    const uint64_t takes = ns_of(kLoadClocks, hz);
    EXPECT_EQ(c.armed, c.now + takes);
    c.run(takes - 1);
    EXPECT_TRUE(c.away());
    c.run(1);
    EXPECT_FALSE(c.away());
    EXPECT_EQ(c.ccm(kDesign), 1u);
    EXPECT_EQ(c.ccm(kStatus), kDone | 1u << kSource);
    EXPECT_EQ(c.get(kTargetMsr) & 3, 1u);
    EXPECT_EQ(c.armed, PB_NEVER);
  }
}

TEST(SmileCcm, EachSourceHasItsDesign) {
  Card c(SMILE_NONE);
  c.slot(0, design_image(SMILE_STATIC));
  c.slot(1, design_image(SMILE_DYNAMIC));
  const struct {
    uint32_t command, design;
  } loads[] = {{1, 1}, {2, 2}, {0, 0}, {2, 2}, {1, 1}};
  for (const auto& l : loads) {
    c.ccm(kCommand, l.command);
    c.run(ns_of(kLoadClocks));
    EXPECT_EQ(c.ccm(kDesign), l.design);
    EXPECT_EQ(c.ccm(kStatus), kDone | l.command << kSource);
  }
}

TEST(SmileCcm, DamageInASlotLoadsTheFlashInstead) {
  for (const size_t bit : {0u, 20u, 41u, 45u, 5000u, 1000000u, 1433840u}) {
    Card c;
    std::vector<uint8_t> image = design_image(SMILE_STATIC);
    flip(image, bit);
    c.slot(1, image);
    const LoadedImage bad = load_image(c.cache.data() + 0x40000, 0x40000);
    ASSERT_EQ(bad.ok, bit == 0) << "the first dummy bit means nothing, as in the real part: " << bit;
    c.ccm(kCommand, 2);
    const uint64_t takes = ns_of(bad.ok ? kLoadClocks : bad.clocks + kLoadClocks);
    c.run(takes - 1);
    EXPECT_TRUE(c.away()) << bit;
    c.run(1);
    EXPECT_FALSE(c.away()) << bit;
    EXPECT_EQ(c.ccm(kDesign), bad.ok ? 1u : 2u) << bit;
    EXPECT_EQ(c.ccm(kStatus), bad.ok ? kDone | 2u << kSource : kError) << bit;
    EXPECT_EQ(c.log.size(), bad.ok ? 0u : 1u);
  }
}

TEST(SmileCcm, AnEmptySlotAndAForeignDesignAreErrors) {
  Card c;
  c.ccm(kCommand, 1);
  EXPECT_EQ(c.armed - c.now, ns_of(8 * 0x40000 + kLoadClocks)) << "the whole slot is tried";
  c.run(ns_of(8 * 0x40000 + kLoadClocks));
  EXPECT_EQ(c.ccm(kStatus), kError);
  Image foreign;
  foreign.design = SMILE_STATIC;
  foreign.device = 0x4001;
  c.slot(0, hot::assemble(foreign));
  c.ccm(kCommand, 1);
  c.run(ns_of(2 * kLoadClocks));
  EXPECT_FALSE(c.away());
  EXPECT_EQ(c.ccm(kStatus), kError);
  EXPECT_EQ(c.ccm(kDesign), 2u);
  c.slot(0, design_image(SMILE_STATIC));
  c.ccm(kCommand, 1);
  c.run(ns_of(kLoadClocks));
  EXPECT_EQ(c.ccm(kStatus), kDone | 1u << kSource) << "the error is the last load's only";
}

TEST(SmileCcm, AConfigurationResetsMonitorAndBridge) {
  Card c;
  c.slot(0, design_image(SMILE_DYNAMIC));
  c.set(kTargetNode, 5);
  c.set(kTargetMcr, kMcrRun);
  c.set(kMbox0, 7);
  c.set(kIntcsr, 0xf00);
  c.demand();
  EXPECT_TRUE(c.irq);
  std::memset(c.ring, 0x5a, sizeof c.ring);
  c.ccm(kCommand, 1);
  EXPECT_FALSE(c.irq) << "nobody drives INTA#";
  const SciPacket packet = {.ns = c.now, .words = 2};
  smile_packet(&*c.hwm, &packet);
  c.run(ns_of(kLoadClocks));
  EXPECT_EQ(c.get(kTargetNode), 0u);
  EXPECT_EQ(c.get(kTargetMcr), 0u);
  EXPECT_EQ(c.get(kMbox0), 0u);
  EXPECT_EQ(c.get(kIntcsr), 0x00018100u) << "the latch is the CCM's, and keeps";
  EXPECT_EQ(c.hwm->state.target.packets, 0u) << "what passed during the load was not heard";
  EXPECT_EQ(c.ring[0], 0x5a) << "memories keep";
  EXPECT_EQ(c.ccm(kInterrupt), 0u);
  c.ccm(kClear, 0);
  EXPECT_EQ(c.ccm(kInterrupt), 1u);
}

TEST(SmileCcm, AResetDuringALoadEndsIt) {
  Card c;
  c.slot(0, design_image(SMILE_STATIC));
  c.ccm(kCommand, 1);
  c.run(1000);
  smile_reset(&*c.hwm);
  EXPECT_FALSE(c.away());
  EXPECT_EQ(c.ccm(kDesign), 2u);
  EXPECT_EQ(c.ccm(kStatus), kDone);
  c.run(ns_of(kLoadClocks));
  EXPECT_EQ(c.ccm(kDesign), 2u) << "the old load does not come any more";
}

TEST(SmileCcm, TheLatchIsSetAgainWhileItsReasonHolds) {
  Card c;
  c.set(kIntcsr, 0x900);
  c.demand();
  EXPECT_EQ(c.ccm(kInterrupt), 0u);
  EXPECT_TRUE(c.irq);
  c.ccm(kClear, 0);
  EXPECT_EQ(c.ccm(kInterrupt), 0u) << "MSR.DONE is still there";
  EXPECT_TRUE(c.irq);
  c.set(kTargetMsr, kMsrDone);
  EXPECT_TRUE(c.irq) << "the latch keeps it";
  c.ccm(kClear, 0xffffffff);
  EXPECT_EQ(c.ccm(kInterrupt), 1u);
  EXPECT_FALSE(c.irq);
}

TEST(SmileCcm, AnyWidthClears) {
  for (const uint32_t size : {1u, 2u, 4u}) {
    Card c;
    c.demand();
    c.set(kTargetMsr, kMsrDone);
    EXPECT_EQ(c.ccm(kInterrupt), 0u);
    c.set(0x800000 + kClear, 0, size);
    EXPECT_EQ(c.ccm(kInterrupt), 1u) << size;
  }
}

TEST(SmileCcm, MistakesAreLoggedAndDoNothing) {
  Card c;
  c.ccm(kCommand, 3);
  EXPECT_FALSE(c.away());
  c.ccm(kStatus, 0xffffffff);
  c.ccm(kDesign, 1);
  c.ccm(kInterrupt, 0);
  c.ccm(0x10, 0);
  EXPECT_EQ(c.ccm(0x18), 0xffffffffu);
  EXPECT_EQ(c.log.size(), 6u);
  EXPECT_EQ(c.ccm(kDesign), 2u);
  c.set(0x800000 + kCommand + 1, 1, 1);
  EXPECT_FALSE(c.away()) << "COMMAND's other bytes mean nothing";
  c.slot(0, design_image(SMILE_STATIC));
  c.set(0x800000 + kCommand, 1, 1);
  EXPECT_TRUE(c.away());
  c.log.clear();
  c.ccm(kCommand, 0);
  EXPECT_EQ(c.log.size(), 1u) << "a second command, as it can come from a host that does not see the bus";
  EXPECT_EQ(c.ccm(kStatus) & 1, 1u);
}

TEST(SmileCcm, ASnapshotInTheMiddleOfALoadGoesOn) {
  Card a, b;
  a.slot(0, design_image(SMILE_STATIC));
  a.ccm(kCommand, 1);
  a.run(5000);
  const SmileState state = a.hwm->state;
  b.now = a.now;
  char why[PB_WHY_BYTES] = "";
  ASSERT_TRUE(smile_load(&*b.hwm, &state, why, sizeof why)) << why;
  EXPECT_TRUE(b.away());
  EXPECT_EQ(b.armed, a.armed);
  b.run(ns_of(kLoadClocks) - 5000);
  EXPECT_FALSE(b.away());
  EXPECT_EQ(b.ccm(kDesign), 1u);
}

TEST(SmileCcm, StateThatItCannotBeInIsRefused) {
  Card c;
  const SmileState good = c.hwm->state;
  const struct {
    const char* member;
    void (*damage)(SmileState&);
  } cases[] = {
      {"card.interrupt", [](SmileState& s) { s.card.interrupt = 2; }},
      {"card.busy", [](SmileState& s) { s.card.busy = 2; }},
      {"card.done", [](SmileState& s) { s.card.done = 2; }},
      {"card.error", [](SmileState& s) { s.card.error = 1; }},
      {"card.source", [](SmileState& s) { s.card.source = 3; }},
      {"card.source", [](SmileState& s) { s.card.done = 0, s.card.error = 1, s.card.source = 1; }},
      {"card.loaded", [](SmileState& s) { s.card.loaded = 3; }},
      {"card.ready", [](SmileState& s) { s.card.ready = 5; }},
      {"card.ready", [](SmileState& s) { s.card.busy = 1; }},
      {"target.design", [](SmileState& s) { s.card.busy = 1, s.card.ready = 5; }},
      {"target.design", [](SmileState& s) { s.card.loaded = SMILE_STATIC; }},
  };
  for (const auto& [member, damage] : cases) {
    SmileState s = good;
    damage(s);
    EXPECT_TRUE(c.refusal(s).starts_with(std::string(member) + "=")) << member << ": " << c.refusal(s);
  }
}

TEST(SmileCcm, CclkHasARange) {
  Card c;
  char why[200];
  SmileConfig config = c.config;
  for (const uint32_t hz : {0u, 99'999u, 100'000'001u}) {
    config.cclk = hz;
    EXPECT_FALSE(smile_config_ok(&config, why, sizeof why));
    EXPECT_EQ(why, "cclk=" + std::to_string(hz) + ": legal are 100000 to 100000000");
  }
}

}  // namespace
}  // namespace perfboard::smile
