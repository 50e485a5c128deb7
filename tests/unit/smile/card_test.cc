// SPDX-License-Identifier: GPL-2.0-or-later
//
// The card: the bridge's registers that act, and the interrupt's way to INTA#; the configuration cache
// manager, its loads in virtual time, damaged images, the fall-back to flash, the interrupt's latch.
#include "hw/smile/view.h"
#include "tests/unit/smile/card_fixture.h"

namespace perfboard::smile {
namespace {

TEST(SmileBridge, ControlHasItsBits) {
  Card c;
  EXPECT_EQ(c.get(kControl), 0x88020000u);
  c.set(kControl, 0xffffffff);
  EXPECT_EQ(c.get(kControl), 0xef030000u);
  c.set(kControl, 0);
  EXPECT_EQ(c.get(kControl), 0x88020000u);
}

TEST(SmileBridge, WhatDoesNothingSaysSo) {
  Card c;
  for (uint32_t offset = 0; offset < 0x30; offset += 4) {
    c.unimp.clear();
    c.set(offset, 0);
    EXPECT_EQ(c.unimp.size(), 1u) << offset;
  }
  c.unimp.clear();
  for (uint32_t i = 0; i < 8; ++i) c.set(kMbox0 + 4 * i, i);
  EXPECT_TRUE(c.unimp.empty());
  c.unimp.clear();
  for (const uint32_t bit : {16u, 24u, 25u, 26u, 29u}) c.set(kControl, 1u << bit);
  EXPECT_EQ(c.unimp.size(), 5u);
}

TEST(SmileBridge, GapsAnswerWithAllOnesAndAreLogged) {
  for (const uint32_t offset : {0x30u, 0x3cu, 0x74u, 0xfcu}) {
    Card c;
    EXPECT_EQ(c.get(offset), 0xffffffffu);
    EXPECT_EQ(c.get(offset + 1, 1), 0xffu);
    EXPECT_EQ(c.get(offset + 2, 2), 0xffffu);
    c.set(offset, 0);
    EXPECT_EQ(c.log.size(), 4u) << offset;
  }
}

TEST(SmileBridge, DoorbellToLocalIsSetByOnesAndNeverCleared) {
  Card c;
  c.set(kToLocal, 0x10);
  c.set(kToLocal, 0x1);
  c.set(kToLocal + 3, 0x80, 1);
  EXPECT_EQ(c.get(kToLocal), 0x80000011u);
  EXPECT_EQ(c.get(kIntcsr) >> 20 & 1, 0u) << "not enabled";
  c.set(kIntcsr, 1u << 17);
  EXPECT_EQ(c.get(kIntcsr) >> 20 & 1, 1u);
  smile_reset(&*c.hwm);
  EXPECT_EQ(c.get(kToLocal), 0u);
}

TEST(SmileBridge, DoorbellToPciIsClearedByOnes) {
  Card c;
  c.hwm->state.card.bridge[kToPci / 4] = 0x101;  // as the local side would ring
  EXPECT_EQ(c.get(kIntcsr) >> 13 & 1, 1u);
  c.set(kToPci, 0);
  EXPECT_EQ(c.get(kToPci), 0x101u);
  c.set(kToPci, 1);
  EXPECT_EQ(c.get(kToPci), 0x100u);
  c.set(kToPci, 0x100);
  EXPECT_EQ(c.get(kIntcsr) >> 13 & 1, 0u);
}

// All settings of the bits that INTA# depends on.
TEST(SmileBridge, IntaIsEightAndElevenWithFifteenOrNineWithThirteen) {
  for (unsigned n = 0; n < 64; ++n) {
    const bool pci = n & 1, doorbell_enable = n & 2, local_enable = n & 4, doorbell = n & 8, local = n & 16,
               abort_enable = n & 32;
    Card c;
    c.hwm->state.card.bridge[kToPci / 4] = doorbell;
    if (local) c.demand();
    c.set(kIntcsr, uint32_t{pci} << 8 | uint32_t{doorbell_enable} << 9 | uint32_t{abort_enable} << 10 |
                       uint32_t{local_enable} << 11);
    EXPECT_EQ(c.get(kIntcsr) >> 15 & 1, local) << n;
    EXPECT_EQ(c.get(kIntcsr) >> 13 & 1, doorbell) << n;
    EXPECT_EQ(c.get(kIntcsr) >> 14 & 1, 0u) << n;
    EXPECT_EQ(c.irq, pci && ((local_enable && local) || (doorbell_enable && doorbell))) << n;
  }
}

TEST(SmileBridge, SoftwareResetHoldsTheMonitor) {
  Card c;
  c.set(kTargetNode, 5);
  c.set(kTargetMcr, kMcrRun);
  c.set(kMbox0, 0x1234);
  c.set(kControl, 1u << 30);
  EXPECT_EQ(c.get(kTargetMsr), 0xffffffffu) << "nothing answers";
  EXPECT_EQ(c.get(kMbox0), 0x1234u) << "the bridge is no part of it";
  EXPECT_EQ(c.ccm(kDesign), 2u);
  const SciPacket packet = {.ns = c.now, .words = 2};
  smile_packet(&*c.hwm, &packet);
  EXPECT_EQ(c.hwm->state.target.packets, 0u);
  EXPECT_EQ(c.refusal(c.hwm->state), "legal");
  c.set(kControl, 0);
  EXPECT_EQ(c.get(kTargetMsr) & 3, 2u);
  EXPECT_EQ(c.get(kTargetNode), 0u) << "as after a reset";
  EXPECT_EQ(c.get(kTargetMcr), 0u);
}

TEST(SmileBridge, StateThatTheRegistersCannotHoldIsRefused) {
  Card c;
  const SmileState good = c.hwm->state;
  EXPECT_EQ(c.refusal(good), "legal");
  const std::vector<std::pair<uint32_t, uint32_t>> wrong = {
      {0x04, 2}, {0x30, 1}, {0x3c, 1}, {0x68, 1u << 15}, {0x68, 1u << 20}, {0x6c, 1}, {0x6c, 0}, {0x70, 0}};
  for (const auto& [offset, value] : wrong) {
    SmileState s = good;
    s.card.bridge[offset / 4] = value;
    EXPECT_TRUE(c.refusal(s).starts_with("card.bridge[" + std::to_string(offset / 4) + "]=")) << c.refusal(s);
  }
}

// --- the configuration cache manager -----------------------------------------------------

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
    if (bit > 40) {
      EXPECT_LE(bad.clocks, bit + 2 * 613) << "it stops at the frame, or the next";
    }
    c.ccm(kCommand, 2);
    const uint64_t takes = ns_of(bad.ok ? kLoadClocks : bad.clocks + kLoadClocks);
    c.run(takes - 1);
    EXPECT_TRUE(c.away()) << bit;
    c.run(1);
    EXPECT_FALSE(c.away()) << bit;
    EXPECT_EQ(c.ccm(kDesign), bad.ok ? 1u : 2u) << bit;
    EXPECT_EQ(c.ccm(kStatus), bad.ok ? kDone | 2u << kSource : kError) << bit;
    EXPECT_EQ(c.log.size(), bad.ok ? 0u : 1u);
    EXPECT_EQ(c.logged("slot 1 of the RAM cache holds no configuration"), !bad.ok);
  }
}

TEST(SmileCcm, AnImageThatFailsOnPurpose) {
  Card c;
  c.slot(0, design_image(SMILE_STATIC));
  smile_inject(&*c.hwm, injection("inject-image"), 1);
  for (const bool fails : {true, false}) {
    c.ccm(kCommand, 1);
    c.run(ns_of(2 * kLoadClocks));
    EXPECT_EQ(c.ccm(kDesign), fails ? 2u : 1u);
    EXPECT_EQ(c.ccm(kStatus), fails ? kError : kDone | 1u << kSource);
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
  static constexpr boards::DamageOf<SmileState> kDamages[] = {
      SET(card.interrupt, 2),
      SET(card.busy, 2),
      SET(card.done, 2),
      SET(card.error, 1),
      SET(card.source, 3),
      {"card.source=", [](SmileState& s) { s.card.done = 0, s.card.error = 1, s.card.source = 1; }},
      SET(card.loaded, 3),
      SET(card.ready, 5),
      {"card.ready=", [](SmileState& s) { s.card.busy = 1; }},
      {"target.design=", [](SmileState& s) { s.card.busy = 1, s.card.ready = 5; }},
      {"target.design=", [](SmileState& s) { s.card.loaded = SMILE_STATIC; }},
  };
  c.expect_refused(kDamages);
}

}  // namespace
}  // namespace perfboard::smile
