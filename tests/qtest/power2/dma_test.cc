// SPDX-License-Identifier: GPL-2.0-or-later
//
// The SCU's counts of DMA and of the I/O bus, while a PCI device (edu) moves memory. A line is the data
// cache's: 256 bytes of a wide node, 64 of a thin one.
#include "tests/qtest/power2/rig.h"

namespace perfboard::qtest {
namespace {

void expect_lines(const std::string& node, uint32_t of_the_read) {
  constexpr unsigned kEdu = 6, kMaster = 4;
  constexpr uint32_t kEduAt = 0xfd000000, kEduBuffer = 0x40000;
  Rig r(",node=" + node, {.devices = {"edu,addr=6,dma_mask=0xffffffff"}});
  r.m.pci_write32(kEdu, kBar0, kEduAt);
  r.m.pci_write16(kEdu, kCommand, kMemory | kMaster);
  const auto move = [&](bool to_memory, uint32_t at, uint32_t bytes) {
    r.m.write64(kEduAt + 0x80, to_memory ? kEduBuffer : at);
    r.m.write64(kEduAt + 0x88, to_memory ? at : kEduBuffer);
    r.m.write64(kEduAt + 0x90, bytes);
    r.m.write64(kEduAt + 0x98, to_memory ? 3 : 1);
    r.m.step(200'000'000);
  };
  const Counted reads = event("dma_rd"), writes = event("dma_wr"), bus = event("sio_requests");
  ASSERT_TRUE(reads.mmcr == writes.mmcr && reads.mmcr == bus.mmcr);
  r.put(P2R_MMCR, reads.mmcr);
  move(false, 0x100040, 1000);
  EXPECT_EQ(r.get(P2R_COUNTER(reads.counter)), of_the_read);
  EXPECT_EQ(r.get(P2R_COUNTER(writes.counter)), 0u);
  move(true, 0x1810ff, 2);  // the last byte of a line, the first of the next
  EXPECT_EQ(r.get(P2R_COUNTER(reads.counter)), of_the_read);
  EXPECT_EQ(r.get(P2R_COUNTER(writes.counter)), 2u);
  EXPECT_EQ(r.get(P2R_COUNTER(bus.counter)), of_the_read + 2);
}

// 0x100040 to 0x100427.
TEST(Power2Dma, LinesThatADeviceMoves) {
  expect_lines("wide", 5);
  expect_lines("thin", 16);
}

}  // namespace
}  // namespace perfboard::qtest
