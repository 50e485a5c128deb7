// SPDX-License-Identifier: GPL-2.0-or-later
//
// The example board from outside: its register, its tap, its interrupt.
#include <gtest/gtest.h>

#include "tests/qtest/core/boards.h"

namespace perfboard::qtest {
namespace {

constexpr unsigned kCard = 5, kPiix3 = 1, kLine = 1 << 10;
constexpr uint32_t kBar = 0xfd000000;

struct Rig {
  explicit Rig(std::vector<uint8_t> program = {}, const std::string& more = "")
      : m({.devices = {"pagecount,addr=5" + more}, .program = std::move(program)}) {
    m.pci_write32(kCard, 0x10, kBar);
    m.pci_write16(kCard, 0x04, 2);
    for (unsigned pirq = 0x60; pirq < 0x64; ++pirq) m.pci_write8(kPiix3, pirq, 10);
    m.level_triggered(kLine);
  }
  Machine m;
};

TEST(PageCount, ItsRegister) {
  Rig r;
  EXPECT_EQ(r.m.read32(kBar), 0u);
  r.m.write32(kBar, 0x12345fff);
  EXPECT_EQ(r.m.read32(kBar), 0x12345000u) << "the count is read only";
  EXPECT_EQ(r.m.read8(kBar + 3), 0x12u);
  r.m.write8(kBar + 3, 0);
  EXPECT_EQ(r.m.read32(kBar), 0x12345000u) << "a narrow write is ignored";
  r.m.write32(kBar, 0);
  EXPECT_EQ(r.m.read32(kBar), 0u);
}

TEST(PageCount, SeesStoresToItsPageAndInterrupts) {
  Rig r(stores(0x8000, 5));
  r.m.write32(kBar, 0x8000);
  EXPECT_EQ(r.m.irr() & kLine, 0);
  r.m.step(10'000);
  EXPECT_EQ(r.m.read32(kBar), 0x8005u);
  EXPECT_EQ(r.m.irr() & kLine, kLine);
  r.m.write32(kBar, 0x8000);
  EXPECT_EQ(r.m.read32(kBar), 0x8000u);
  EXPECT_EQ(r.m.irr() & kLine, 0);
}

TEST(PageCount, HearsNothingOfOtherPages) {
  Rig r(stores(0x8000, 5));
  r.m.write32(kBar, 0x9000);
  r.m.step(10'000);
  EXPECT_EQ(r.m.read32(kBar), 0x9000u);
  EXPECT_EQ(r.m.irr() & kLine, 0);
}

TEST(PageCount, ItsLogSaysWhatTheTableSays) {
  Scratch scratch;
  const std::string file = scratch.path("log");
  Rig r(stores(0x8000, 5), ",log=" + file);
  r.m.write32(kBar, 0x8000);
  r.m.step(10'000);
  r.m.read32(kBar);
  r.m.read32(kBar + 8);
  r.m.quit();
  const std::string log = contents(file);
  EXPECT_NE(log.find(" pagecount    WATCH <- 00008000 PAGE=8\n"), std::string::npos) << log;
  EXPECT_NE(log.find(" *      -                pagecount    irq 1\n"), std::string::npos) << log;
  EXPECT_NE(log.find(" pagecount    WATCH -> 00008005 STORES=5 PAGE=8\n"), std::string::npos) << log;
  EXPECT_NE(log.find(" pagecount    bar0+0x8 -> "), std::string::npos) << log;
}

}  // namespace
}  // namespace perfboard::qtest
