// SPDX-License-Identifier: GPL-2.0-or-later
//
// The bridge's registers that act, and the interrupt's way to INTA#.
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

}  // namespace
}  // namespace perfboard::smile
