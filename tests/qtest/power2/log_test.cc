// SPDX-License-Identifier: GPL-2.0-or-later
//
// The POWER2 monitors' access log: whose monitor, in both byte orders, and two registers in one access.
#include "tests/qtest/power2/rig.h"

namespace perfboard::qtest {
namespace {

TEST(Power2Log, NamesWhatAnAccessReaches) {
  Scratch scratch;
  Rig r(",log=" + scratch.path("log"), {.args = {"-smp", "2"}});
  r.put(P2R_MMCR, P2_MMCR_DIS | 1u << 16, 1);
  r.m.write64(kLittleAt + P2R_OF(0) + P2R_COUNTER(1), 0x0000000200000001);
  r.big32(P2R_OF(0) + P2R_COUNTER(1));
  r.big32(P2R_OF(0) + P2R_IMR, 0x90);
  r.m.read16(kLittleAt + P2R_OF(0));
  r.m.set("pm", "inject-silent", "1");
  r.get(P2R_COUNTER(2));
  EXPECT_EQ(r.m.quit(), 0);
  const std::vector<std::string> wanted = {
      "power2       reset",
      "power2       1:MMCR <- 80010000 DIS=1; awake; MISTAKE reserved-bits (Monitor mode control register): "
      "MMCR: bits "
      "0x10000 are reserved: ignored; counting",
      "power2       0:FPU1 <- 00000001 COUNT=1, 0:FPU2 <- 00000002 COUNT=2",
      "power2       0:FPU1 -> 00000001 COUNT=1",
      "power2       0:IMR <- 00000090 INSTRUCTION=0x90; matching 0x90",
      "power2       bar0+0x1000 -> ffff (nothing answers); MISTAKE bad-size (INFERRED): read of 2 bytes at "
      "offset 0x1000: the "
      "card takes 4 and 8 bytes, aligned; ignored",
      "power2       inject-silent 1",
      "power2       0:FPU2 -> ffffffff COUNT=0xffffffff; unanswered",
  };
  EXPECT_EQ(log_lines(scratch.path("log"), "power2"), wanted);
}

TEST(Power2Log, RegistersOfEachMonitor) {
  Rig r("", {.args = {"-smp", "2"}});
  r.put(P2R_IMR, 7, 1);
  const std::string all = r.m.text("pm", "registers");
  EXPECT_NE(all.find(R"({"reg":"IMR","part":0,"value":0)"), all.npos) << all;
  EXPECT_NE(all.find(R"({"reg":"IMR","part":1,"value":7)"), all.npos) << all;
  EXPECT_EQ(all.find("IMR", all.find("IMR", all.find("IMR") + 1) + 1), all.npos) << "once for each monitor";
}

}  // namespace
}  // namespace perfboard::qtest
