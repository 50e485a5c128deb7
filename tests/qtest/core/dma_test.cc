// SPDX-License-Identifier: GPL-2.0-or-later
//
// The events dma-reads and dma-writes (hw/qemu/core/memory/bus.c): a PCI device, and a virtio device that
// does not use its bus's IOMMU, move memory, while a MULTIKRON counts the lines. What they move is what it
// was without counting.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "guest/multikron/regs.h"
#include "tests/qtest/core/machine.h"

namespace perfboard::qtest {
namespace {

constexpr unsigned kCard = 4, kEdu = 5, kVirtio = 6;  // PCI devices
constexpr uint32_t kCardAt = 0xe0000000;
constexpr uint16_t kVirtioAt = 0xd000;
constexpr uint64_t kLine = 128;

class Dma : public testing::Test {
 protected:
  Dma()
      : m({.devices = {"multikron,addr=4,ext0=dma-reads:0,ext1=dma-writes", "edu,addr=5,dma_mask=0xffffffff",
                       "virtio-rng-pci,addr=6,disable-legacy=off,disable-modern=on"}}) {
    m.pci_place(kCard, {kCardAt, 0, kCardAt + MKR_BAR_BYTES, 0, kCardAt + 2 * MKR_BAR_BYTES});
    m.pci_place(kVirtio, {kVirtioAt}, 1 | 4);
  }
  uint64_t at(unsigned address) const { return kCardAt + MKR_BAR_BYTES + MKR_AT8(address); }
  void count(bool on) {
    m.write64(at(MKR_MUXSEL), MKR_MUX_PUT(0, MKR_MUX_EXTERNAL) | MKR_MUX_PUT(1, MKR_MUX_EXTERNAL));
    m.write32(at(on ? MKR_ENABLE : MKR_DISABLE), 3);
  }
  uint64_t counter(unsigned i) { return m.read64(at(MKR_COUNTER(i))) & MKR_COUNTER_VALUE_MASK; }
  static uint64_t lines(uint64_t addr, uint64_t bytes) {
    return (addr + bytes - 1) / kLine - addr / kLine + 1;
  }

  Machine m;
  Edu edu{m, kEdu};
};

TEST_F(Dma, APciDevicesLines) {
  std::vector<uint8_t> data(1000);
  std::iota(data.begin(), data.end(), uint8_t{3});
  m.write_bytes(0x100040, data);
  edu.move(false, 0x100040, 1000);
  EXPECT_EQ(counter(0), 0u) << "nobody counts yet";
  count(true);
  uint64_t reads = 0, writes = 0;
  const struct {
    bool to_memory;
    uint64_t addr;
    uint32_t bytes;
  } all[] = {{false, 0x100040, 1000}, {true, 0x180000, 1000}, {true, 0x18107f, 2}, {true, 0x181080, 128},
             {false, 0x100fff, 4096}, {true, 0x182001, 4095}, {false, 0x200000, 1}};
  for (const auto& t : all) {
    edu.move(t.to_memory, t.addr, t.bytes);
    (t.to_memory ? writes : reads) += lines(t.addr, t.bytes);
    EXPECT_EQ(counter(0), reads) << std::hex << t.addr;
    EXPECT_EQ(counter(1), writes) << std::hex << t.addr;
  }
  EXPECT_EQ(m.read_bytes(0x180000, 1000), data) << "and it moved the bytes";
  count(false);
  m.fill(0x190000, 1000, 0xa5);
  edu.move(true, 0x190000, 1000);
  EXPECT_EQ(counter(1), writes) << "nobody counts any more";
  EXPECT_NE(m.read_bytes(0x190000, 1000), std::vector<uint8_t>(1000, 0xa5));
}

TEST_F(Dma, OtherPlacesThanMemory) {
  count(true);
  edu.move(true, kCardAt + 2 * MKR_BAR_BYTES, 4);  // another device's registers
  edu.move(false, 0xf8000000, 64);                 // nothing
  EXPECT_EQ(counter(0), 0u);
  EXPECT_EQ(counter(1), 0u);
  EXPECT_TRUE(m.answers());
}

// Its rings are set up before anybody counts, and used then.
TEST_F(Dma, AVirtioDevicesLines) {
  constexpr uint32_t kQueue = 0x200000, kBuffer = 0x300040, kBytes = 200, kPage = 4096;
  constexpr uint16_t kQueuePage = 8, kQueueSize = 12, kQueueSelect = 14, kNotify = 16, kStatus = 18;
  m.out8(kVirtioAt + kStatus, 3);
  m.out16(kVirtioAt + kQueueSelect, 0);
  const unsigned entries = m.in16(kVirtioAt + kQueueSize);
  ASSERT_GT(entries, 0u);
  // 8 entries in QEMU 10.0.2, 1024 in 10.0.13. The used ring begins the page behind the available one.
  const uint32_t available = kQueue + 16 * entries;
  const uint32_t used = (available + 6 + 2 * entries + kPage - 1) / kPage * kPage;
  m.out32(kVirtioAt + kQueuePage, kQueue >> 12);
  m.out8(kVirtioAt + kStatus, 7);
  const auto request = [&](uint16_t nth) {
    m.write64(kQueue, kBuffer);
    m.write32(kQueue + 8, kBytes);
    m.write32(kQueue + 12, 2);  // the device writes there
    m.write16(available + 4 + 2 * (nth - 1), 0);
    m.write16(available + 2, nth);
    m.fill(kBuffer, kBytes, 0);
    m.out16(kVirtioAt + kNotify, 0);
    m.step(1'000'000);
    for (int i = 0; i < 1000 && m.read16(used + 2) != nth; ++i) m.step(1'000'000);
    EXPECT_EQ(m.read16(used + 2), nth);
    const auto got = m.read_bytes(kBuffer, kBytes);
    EXPECT_GT(std::count_if(got.begin(), got.end(), [](uint8_t b) { return b != 0; }), int{kBytes} / 2);
  };
  request(1);
  EXPECT_EQ(counter(1), 0u);
  count(true);
  request(2);
  const uint64_t reads = counter(0), writes = counter(1);
  EXPECT_GE(reads, 3u) << "the ring's head, its entry, the descriptor";
  EXPECT_GE(writes, lines(kBuffer, kBytes) + 2) << "the used ring's entry and its head";
  EXPECT_LT(reads + writes, 40u);
  count(false);
  request(3);
  EXPECT_EQ(counter(0), reads);
  EXPECT_EQ(counter(1), writes);
}

}  // namespace
}  // namespace perfboard::qtest
