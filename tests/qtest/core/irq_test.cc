// SPDX-License-Identifier: GPL-2.0-or-later
//
// Interrupt lines, as the machine's 8259s see them: every legal level, level-triggered through the
// ELCR, OR-ed with other boards and with PCI devices.
//
// A SurfBoard's FIFO makes the request: writing a byte into it raises ISCR.FNE, reading it clears that. An
// SNI's is a deliberate update of no words.
#include <gtest/gtest.h>

#include "tests/qtest/core/boards.h"

namespace perfboard::qtest {
namespace {

constexpr uint16_t kAllLevels = 1 << 5 | 1 << 9 | 1 << 10 | 1 << 12 | 1 << 14 | 1 << 15;

void listen(Surf& surf, uint32_t irlev, uint32_t registers = Surf::kRegisters,
            uint32_t memory = Surf::kMemory) {
  surf.enable(irlev, registers, memory);
  surf.write(SURF_HTCR, 0);
  surf.write(SURF_IEMR, SURF_IEMR_FNE);
}
void request(Surf& surf) { surf.write(SURF_HFDR, 1); }
void serve(Surf& surf) { surf.read(SURF_HFDR); }
void listen(Sni& sni, uint32_t irlev) {
  sni.enable(irlev, SNI_SCR_EN);
  sni.write(SNI_SIER, SNI_SIER_DUE);
}
void request(Sni& sni) { sni.write(SNI_DUWC, 0); }  // an error: 0 words
void serve(Sni& sni) { sni.write(SNI_SISR, SNI_SISR_DUE); }

uint16_t line(unsigned irq) { return static_cast<uint16_t>(1 << irq); }

TEST(Irq, EveryLevelReachesItsLine) {
  Machine m({.devices = {"surfboard,slot=2", "shrimp-sni,slot=1"}});
  Surf surf(m, 2);
  Sni sni(m, 1);
  m.level_triggered(kAllLevels);
  for (uint32_t irlev = 0; irlev < 8; ++irlev) {
    const uint16_t expected = kIrqOf[irlev] ? line(kIrqOf[irlev]) : 0;
    listen(surf, irlev);
    listen(sni, irlev);
    EXPECT_EQ(m.irr() & kAllLevels, 0) << irlev;
    request(surf);
    EXPECT_EQ(m.irr() & kAllLevels, expected) << irlev;
    serve(surf);
    EXPECT_EQ(m.irr() & kAllLevels, 0) << irlev;
    request(sni);
    EXPECT_EQ(m.irr() & kAllLevels, expected) << "the SNI, " << irlev;
    serve(sni);
    EXPECT_EQ(m.irr() & kAllLevels, 0) << "the SNI, " << irlev;
  }
}

TEST(Irq, ChangingTheLevelMovesTheRequest) {
  Machine m({.devices = {"surfboard,slot=2"}});
  Surf surf(m, 2);
  m.level_triggered(kAllLevels);
  listen(surf, SURF_IRLEV_IRQ10);
  request(surf);
  EXPECT_EQ(m.irr() & kAllLevels, line(10));
  surf.enable(SURF_IRLEV_IRQ5);
  EXPECT_EQ(m.irr() & kAllLevels, line(5));
  surf.ebcr(0);
  EXPECT_EQ(m.irr() & kAllLevels, 0) << "a disabled board asks for nothing";
}

TEST(Irq, ASharedLineStaysUntilTheLastBoardLetsGo) {
  const uint32_t irlev = SURF_IRLEV_IRQ9;
  const uint16_t irq = line(9);
  Machine m({.devices = {"surfboard,slot=2", "surfboard,slot=7", "shrimp-sni,slot=1"}});
  Surf a(m, 2), b(m, 7);
  Sni sni(m, 1);
  m.level_triggered(kAllLevels);
  listen(a, irlev);
  listen(b, irlev, 0xc0010000, 0xd8000000);
  listen(sni, irlev);
  request(a);
  request(b);
  request(sni);
  EXPECT_EQ(m.irr() & kAllLevels, irq);
  serve(a);
  EXPECT_EQ(m.irr() & kAllLevels, irq) << "b and the SNI hold it";
  serve(sni);
  EXPECT_EQ(m.irr() & kAllLevels, irq) << "b holds it";
  request(a);
  serve(b);
  EXPECT_EQ(m.irr() & kAllLevels, irq) << "a holds it";
  serve(a);
  EXPECT_EQ(m.irr() & kAllLevels, 0);
}

// QEMU's "edu" device on INTA of PCI device 5, which the PIIX3 routes to IRQ 10.
TEST(Irq, SharedWithAPciDevice) {
  constexpr unsigned kEdu = 5, kPiix3 = 1;
  constexpr uint32_t kEduBar = 0xfd000000, kRaise = kEduBar + 0x60, kAcknowledge = kEduBar + 0x64;
  Machine m({.devices = {"surfboard,slot=2", "edu,addr=5"}});
  Surf surf(m, 2);
  ASSERT_EQ(m.pci_read32(kEdu, 0), 0x11e81234u);
  m.pci_place(kEdu, {kEduBar});
  for (unsigned pirq = 0x60; pirq < 0x64; ++pirq) m.pci_write8(kPiix3, pirq, 10);
  m.level_triggered(line(10));
  listen(surf, SURF_IRLEV_IRQ10);

  m.write32(kRaise, 1);
  EXPECT_EQ(m.irr() & line(10), line(10)) << "the PCI device alone";
  request(surf);
  m.write32(kAcknowledge, 1);
  EXPECT_EQ(m.irr() & line(10), line(10)) << "the board holds it";
  m.write32(kRaise, 1);
  serve(surf);
  EXPECT_EQ(m.irr() & line(10), line(10)) << "the PCI device holds it";
  m.write32(kAcknowledge, 1);
  EXPECT_EQ(m.irr() & line(10), 0);
  request(surf);
  EXPECT_EQ(m.irr() & line(10), line(10)) << "the board alone";
}

}  // namespace
}  // namespace perfboard::qtest
