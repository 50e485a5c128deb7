// SPDX-License-Identifier: GPL-2.0-or-later
//
// The POWER2 monitors' errors on purpose in a stock QEMU: by a property and by a scenario, as the registers
// show them.
#include "tests/qtest/power2/rig.h"

namespace perfboard::qtest {
namespace {

TEST(Power2Inject, AMonitorThatAnswersNothing) {
  Rig r("", {.args = {"-smp", "2"}});
  r.put(P2R_MMCR, P2_MMCR_DIS);
  r.put(P2R_IMR, 7);
  EXPECT_EQ(r.m.set("pm", "inject-silent", "1"), "");
  EXPECT_EQ(r.m.get("pm", "inject-silent"), 1u);
  EXPECT_EQ(r.get(P2R_MMCR), UINT32_MAX);
  EXPECT_EQ(r.big32(P2R_OF(0) + P2R_IMR), UINT32_MAX);
  r.put(P2R_IMR, 8);
  EXPECT_EQ(r.get(P2R_IMR, 1), 0u) << "the other answers";
  EXPECT_EQ(r.card(P2R_CARD_VERSION), 1u) << "and the card";
  EXPECT_EQ(r.m.set("pm", "inject-silent", "0"), "");
  EXPECT_EQ(r.get(P2R_IMR), 7u) << "the write was lost";
}

TEST(Power2Inject, CountersRollOver) {
  Rig r = Rig::running(1000);
  const Counted instructions = event("instructions");
  r.put(P2R_MMCR, instructions.mmcr);
  EXPECT_EQ(r.m.set("pm", "inject-roll-over", "500"), "");
  EXPECT_EQ(r.get(P2R_COUNTER(instructions.counter)), 0u - 500);
  r.m.step(1'000'000);
  const uint32_t after = r.get(P2R_COUNTER(instructions.counter));
  EXPECT_GT(after, 500u) << "1000 turns";
  EXPECT_LT(after, 100000u) << "from 0 again";
}

TEST(Power2Inject, MemoryErrors) {
  Rig r;
  r.put(P2R_MMCR, 0);
  EXPECT_EQ(r.m.set("pm", "inject-errors", "3"), "");
  EXPECT_EQ(r.get(P2R_COUNTER(P2_ERRORS)), 3u);
}

TEST(Power2Inject, FromTheCommandLineTheyWaitForTheFirstAccess) {
  Rig r(",inject-roll-over=16,inject-errors=5");
  EXPECT_EQ(r.get(P2R_COUNTER(P2_ERRORS)), 0u - 16 + 5);
  EXPECT_EQ(r.get(P2R_COUNTER(0)), 0u - 16);
}

TEST(Power2Inject, ThroughASnapshot) {
  Rig r;
  r.put(P2R_MMCR, P2_MMCR_DIS);
  EXPECT_EQ(r.m.set("pm", "inject-silent", "1"), "");
  r.m.save(r.m.scratch("state"));
  Rig after = Rig::incoming();
  after.m.load(r.m.scratch("state"));
  EXPECT_EQ(after.get(P2R_MMCR), UINT32_MAX);
  EXPECT_EQ(after.m.set("pm", "inject-silent", "0"), "");
  EXPECT_EQ(after.get(P2R_MMCR), P2_MMCR_DIS);
}

TEST(Power2Inject, ByAScenario) {
  Rig r("", {.scenario = "1ms power2 inject-errors 2\n3ms pm inject-silent 0x1\n"});
  r.put(P2R_MMCR, 0);
  r.m.step(2'000'000);
  EXPECT_EQ(r.get(P2R_COUNTER(P2_ERRORS)), 2u);
  r.m.step(2'000'000);
  EXPECT_EQ(r.get(P2R_COUNTER(P2_ERRORS)), UINT32_MAX);
}

}  // namespace
}  // namespace perfboard::qtest
