// SPDX-License-Identifier: GPL-2.0-or-later
//
// The adapters in a stock QEMU: registers, BARs that move, and a vCPU's accesses to the window. The vCPU is
// in real mode, so the window is put below 1 MB.
#include <gtest/gtest.h>

#include "hw/sci/registers.h"
#include "tests/qtest/core/machine.h"

namespace perfboard::qtest {
namespace {

using namespace perfboard::sci;

constexpr uint32_t kId1234 = 0x5c101234, kBar0At = 0xe0000000, kLowWindow = 0xa0000;
constexpr unsigned kCommand = 4, kBar0 = 0x10, kBar2 = 0x18, kMemory = 2;

// stores and loads that the vCPU makes, of 4 bytes each, from kLowWindow on; then it halts.
std::vector<uint8_t> accesses(uint16_t stores, uint16_t loads) {
  const auto low = [](uint16_t v) { return static_cast<uint8_t>(v); };
  const auto high = [](uint16_t v) { return static_cast<uint8_t>(v >> 8); };
  return {
      0xfc, 0xb8,        0x00,         0xa0, 0x8e, 0xc0, 0x8e, 0xd8,  // cld; es = ds = 0xa000
      0x31, 0xff,        0x31,         0xf6,                          // di = si = 0
      0xb9, low(stores), high(stores), 0xf3, 0x66, 0xab,              // rep stosd
      0xb9, low(loads),  high(loads),  0xf3, 0x66, 0xad,              // rep lodsd
      0xf4, 0xeb,        0xfd,                                        // hlt; jmp to it
  };
}

struct Rig {
  explicit Rig(MachineOptions o = {}, const std::string& properties = ",size=64K")
      : m(options(std::move(o), properties)) {
    for (device = 0; device < 32 && m.pci_read32(device, 0) != kId1234; ++device) {
    }
    if (device == 32) throw std::runtime_error("no smile-sci");
    m.pci_write32(device, kBar0, kBar0At);
    window_at(kLowWindow);
    m.pci_write16(device, kCommand, kMemory);
  }
  static MachineOptions options(MachineOptions o, const std::string& properties) {
    o.devices.push_back("smile-sci,id=sci" + properties);
    o.args.insert(o.args.end(), {"-smp", "4"});
    return o;
  }
  void window_at(uint64_t at) {
    m.pci_write32(device, kBar2, static_cast<uint32_t>(at));
    m.pci_write32(device, kBar2 + 4, static_cast<uint32_t>(at >> 32));
  }
  uint32_t get(uint32_t offset) { return m.read32(kBar0At + offset); }
  void put(uint32_t offset, uint32_t v) { m.write32(kBar0At + offset, v); }
  uint64_t count(unsigned node, Count which) {
    return m.read64(kBar0At + kStatisticsBase + kStatisticsStep * node + 8 * which);
  }

  Machine m;
  unsigned device = 0;
};

TEST(Sci, Registers) {
  Rig r;
  EXPECT_EQ(r.m.pci_read32(r.device, 8) >> 8, 0x028000u);
  EXPECT_EQ(r.get(kId), kIdValue);
  EXPECT_EQ(r.get(kNodes), 4u) << "one for each vCPU";
  EXPECT_EQ(r.get(kPages), 16u);
  EXPECT_EQ(r.get(kNode), UINT32_MAX) << "qtest is no node";
  r.put(kAtt, 3);
  EXPECT_EQ(r.get(kAtt), 3u);
  r.m.write32(kLowWindow + 0xfffc, 0x12345678);
  EXPECT_EQ(r.m.read32(kLowWindow + 0xfffc), 0x12345678u);
}

TEST(Sci, AGuestsAccessesBecomePackets) {
  Rig r({.program = accesses(10, 3)});
  r.put(kAtt, 2);
  r.put(kCtrl, 1);
  r.m.step(100'000);
  EXPECT_EQ(r.count(0, kWrites), 10u);
  EXPECT_EQ(r.count(0, kReads), 3u);
  EXPECT_EQ(r.count(2, kReceived), 13u);
  EXPECT_EQ(r.count(0, kPackets), 16u);
  EXPECT_EQ(r.count(2, kPackets), 16u);
}

TEST(Sci, AWindowThatHasMovedIsFollowed) {
  Rig r({.program = accesses(10, 3)});
  r.put(kAtt, 2);
  r.put(kCtrl, 1);
  r.window_at(0xd0000000);
  r.window_at(UINT64_C(0x4'0000'0000));
  r.m.pci_write16(r.device, kCommand, 0);
  r.window_at(kLowWindow);
  r.m.pci_write16(r.device, kCommand, kMemory);
  r.m.step(100'000);
  EXPECT_EQ(r.count(0, kWrites), 10u);
  EXPECT_EQ(r.count(0, kReads), 3u);
}

TEST(Sci, NoPacketFromWhereTheWindowWas) {
  Rig r({.program = accesses(10, 3)});
  r.put(kAtt, 2);
  r.put(kCtrl, 1);
  r.window_at(0xd0000000);
  r.m.step(100'000);
  EXPECT_EQ(r.count(0, kPackets), 0u);
}

TEST(Sci, WithLatencyTheSameAccessesBecomeTheSamePackets) {
  Rig r({.program = accesses(10, 3)}, ",size=64K,latency=on");
  EXPECT_EQ(r.get(kStatus), 1u);
  r.put(kAtt, 2);
  r.put(kCtrl, 1);
  r.m.step(100'000);
  EXPECT_EQ(r.count(0, kWrites), 10u);
  EXPECT_EQ(r.count(0, kReads), 3u);
  EXPECT_EQ(r.count(0, kPackets), 16u);
  EXPECT_EQ(r.count(2, kPackets), 16u);
  EXPECT_EQ(r.count(0, kOutstanding), 0u);
  const uint64_t each = r.count(0, kWait) / 3;
  EXPECT_GT(each, 3'000u);
  EXPECT_LT(each, 5'000u);
}

TEST(Sci, QtestsAccessesAreNobodys) {
  Rig r;
  r.put(kAtt, 2);
  r.put(kCtrl, 1);
  r.m.write32(kLowWindow, 5);
  r.m.read32(kLowWindow);
  for (unsigned node = 0; node < 4; ++node) EXPECT_EQ(r.count(node, kPackets), 0u) << node;
}

}  // namespace
}  // namespace perfboard::qtest
