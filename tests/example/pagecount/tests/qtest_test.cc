// SPDX-License-Identifier: GPL-2.0-or-later
//
// The board from outside: its window, its tap, its interrupt, a snapshot. An error on purpose and its log:
// linux-test.
#include <gtest/gtest.h>

#include "tests/example/pagecount/driver/regs.h"
#include "tests/qtest/core/boards.h"

namespace perfboard::qtest {
namespace {

constexpr unsigned kCard = 5, kPiix3 = 1, kLine = 1 << 10;
constexpr uint32_t kBar = 0xfd000000;

struct Rig {
  explicit Rig(std::vector<uint8_t> program = {}, std::vector<std::string> args = {})
      : m({.devices = {"pagecount,addr=5,id=pc"}, .args = std::move(args), .program = std::move(program)}) {}
  Rig& start() {
    m.pci_write32(kCard, 0x10, kBar);
    m.pci_write16(kCard, 0x04, 2);
    for (unsigned pirq = 0x60; pirq < 0x64; ++pirq) m.pci_write8(kPiix3, pirq, 10);
    m.level_triggered(kLine);
    m.write32(kBar + PAGECOUNTR_CTRL, PAGECOUNTR_CTRL_IEN);
    return *this;
  }
  Machine m;
};

TEST(PageCount, SeesStoresToItsPageAndInterrupts) {
  Rig r(stores(0x8000, 5));
  r.start();
  r.m.write32(kBar, 0x8000);
  EXPECT_EQ(r.m.irr() & kLine, 0);
  r.m.step(10'000);
  r.m.write8(kBar + 1, 0);
  EXPECT_EQ(r.m.read32(kBar), 0x8005u) << "a narrow write is told as one";
  EXPECT_EQ(r.m.read8(kBar + 1), 0x80u);
  EXPECT_EQ(r.m.irr() & kLine, kLine);
  r.m.write32(kBar, 0x8000);
  EXPECT_EQ(r.m.read32(kBar), 0x8000u);
  EXPECT_EQ(r.m.irr() & kLine, 0);
}

TEST(PageCount, HearsNothingOfOtherPages) {
  Rig r(stores(0x8000, 5));
  r.start();
  r.m.write32(kBar, 0x9000);
  r.m.step(10'000);
  EXPECT_EQ(r.m.read32(kBar), 0x9000u);
  EXPECT_EQ(r.m.irr() & kLine, 0);
}

TEST(PageCount, ASnapshotHasItAll) {
  Scratch scratch;
  const std::string file = scratch.path("saved");
  Rig a(stores(0x8000, 5));
  a.start();
  EXPECT_EQ(a.m.set("pc", "inject-deaf", "2"), "");
  a.m.write32(kBar, 0x8000);
  a.m.save(file);
  Rig b({}, {"-incoming", "defer"});
  b.m.load(file);
  b.m.step(10'000);
  EXPECT_EQ(b.m.read32(kBar), 0x8003u)
      << "the vCPU's program is in the snapshot, too, and so is what the tap hears";
  EXPECT_EQ(b.m.irr() & kLine, kLine);
  b.m.save(file);
  Rig c({}, {"-incoming", "defer"});
  c.m.load(file);
  EXPECT_EQ(c.m.read32(kBar), 0x8003u);
  EXPECT_EQ(c.m.irr() & kLine, kLine);
  c.m.write32(kBar, 0x8000);
  EXPECT_EQ(c.m.irr() & kLine, 0);
}

}  // namespace
}  // namespace perfboard::qtest
