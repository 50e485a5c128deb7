// SPDX-License-Identifier: GPL-2.0-or-later
//
// The card's errors on purpose in a stock QEMU, with no guest: what registers and interrupt line show of
// them. Packets are those of a vCPU that stores to the adapter's window.
#include "tests/qtest/smile/rig.h"

namespace perfboard::qtest {
namespace {

constexpr uint32_t kLowWindow = 0xa0000, kSciBar0 = 0xd0000000, kSciId = 0x5c101234;
constexpr uint32_t kSciCtrl = 0x14, kSciAtt = 0x40000;

// So many stores of 4 bytes, from 0xa0000 on, `step` bytes apart; then it halts.
std::vector<uint8_t> stores(uint16_t n, uint16_t step) {
  const auto byte = [](uint16_t v, int i) { return static_cast<uint8_t>(v >> 8 * i); };
  return {0xb8, 0x00, 0xa0,          0x8e,          0xc0,
          0x31, 0xff, 0xb9,          byte(n, 0),    byte(n, 1),  // es = a000, di = 0, cx = n
          0x66, 0x26, 0x89,          0x05,                       // es:[di] = eax
          0x81, 0xc7, byte(step, 0), byte(step, 1), 0xe2,
          0xf6, 0xf4, 0xeb,          0xfd};  // di += step; loop; hlt
}

// A monitor at node 0 of an adapter whose first pages are node 1's; it counts every word by itself.
struct Listening : Rig {
  explicit Listening(const std::string& properties, std::vector<uint8_t> program,
                     const std::string& scenario = "")
      : Rig(properties, {.devices = {"smile-sci,id=sci,size=64K"},
                         .args = {"-smp", "2"},
                         .program = std::move(program),
                         .scenario = scenario}) {
    unsigned sci = 0;
    while (m.pci_read32(sci, 0) != kSciId) ++sci;
    m.pci_write32(sci, 0x10, kSciBar0);
    m.pci_write32(sci, 0x18, kLowWindow);
    m.pci_write16(sci, 4, 2);
    for (unsigned page = 0; page < 16; ++page) m.write32(kSciBar0 + kSciAtt + 4 * page, 1);
    m.write32(kSciBar0 + kSciCtrl, 1);
    put(SMR_MASK, 0xff);
    put(SMR_INTCSR, SMR_INTCSR_PCI | SMR_INTCSR_LOCAL);
    put(SMR_MCR, SMR_MCR_RUN | SMR_MCR_IEF);
  }
  std::string set(const char* property, const char* json) { return m.set("hwm", property, json); }
};

TEST(SmileInject, PacketsThatAreNotHeard) {
  Listening r(",inject-drop=3", stores(10, 4));
  EXPECT_EQ(r.m.get("hwm", "inject-drop"), 3u);
  r.m.step(100'000);
  EXPECT_EQ(r.get(SMR_PACKETS), 7u);
  EXPECT_EQ(r.m.get("hwm", "inject-drop"), 0u);
}

TEST(SmileInject, ASmallRingInterruptsAndASmallQueueLoses) {
  Listening r("", stores(40, 8), "0s hwm inject-ring 5\n");
  EXPECT_EQ(r.set("inject-queue", "true"), "");
  EXPECT_FALSE(r.irq());
  r.m.step(100'000);
  EXPECT_TRUE(r.irq());
  EXPECT_TRUE(r.get(SMR_MSR) & SMR_MSR_FULL);
  EXPECT_TRUE(r.get(SMR_MSR) & SMR_MSR_LOST);
  EXPECT_EQ(r.get(SMR_WRP), 2 * 5 - 1u);
  EXPECT_EQ(r.get(SMR_LOSTN), 40u - 16u - 5u);
  EXPECT_EQ(r.set("inject-ring", "0"), "");
  r.put(SMR_RDP, r.get(SMR_WRP));
  r.put(SMR_CCM_CLEAR, 0);
  EXPECT_FALSE(r.irq());
}

TEST(SmileInject, AnImageThatFails) {
  Rig r(",inject-image=1");
  r.load(0, design_image(1));
  r.m.step(kLoadNs);
  r.place();
  EXPECT_EQ(r.get(SMR_CCM_DESIGN), 2u) << "the flash's";
  EXPECT_EQ(r.get(SMR_CCM_STATUS) & 7, uint32_t{SMR_CCM_STATUS_ERROR});
  r.load(0, design_image(1));
  EXPECT_EQ(r.get(SMR_CCM_DESIGN), 1u);
}

TEST(SmileInject, ACounterThatSticks) {
  constexpr uint32_t kCount = SMR_TARGET + 0x408, kValue = SMR_TARGET + 0x40c, kEvent = SMR_TARGET + 0x38;
  Rig r(",initial=static,inject-saturate=on");
  EXPECT_TRUE(r.m.flag("hwm", "inject-saturate"));
  r.put(kCount, 1u << 31 | 17);
  r.put(kValue, 1u << 31 | 0xfffe);
  r.put(SMR_MCR, SMR_MCR_RUN);
  for (int i = 0; i < 3; ++i) r.put(kEvent, 1);
  EXPECT_EQ(r.get(kValue) & 0xffff, 0xffffu);
  EXPECT_EQ(r.get(SMR_WRP), 0xfffu) << "no record";
  EXPECT_EQ(r.m.set("hwm", "inject-saturate", "false"), "");
  r.put(kEvent, 1);
  EXPECT_EQ(r.get(kValue) & 0xffff, 0u);
  EXPECT_EQ(r.get(SMR_WRP), 1u);
}

TEST(SmileInject, IsInASnapshot) {
  Rig r;
  EXPECT_EQ(r.m.set("hwm", "inject-damage", "9"), "");
  EXPECT_EQ(r.m.set("hwm", "inject-ring", "2047"), "");
  EXPECT_EQ(r.m.set("hwm", "inject-ring", "2048"), "inject-ring=2048: legal are 0 to 2047");
  EXPECT_EQ(r.m.set("hwm", "inject-irq", "\"stuck-high\""), "");
  EXPECT_TRUE(r.irq());
  const std::string file = r.m.scratch("snapshot");
  r.m.save(file);
  Rig other = Rig::incoming();
  other.m.load(file);
  EXPECT_TRUE(other.irq());
  EXPECT_EQ(other.m.get("hwm", "inject-damage"), 9u);
  EXPECT_EQ(other.m.get("hwm", "inject-ring"), 2047u);
}

}  // namespace
}  // namespace perfboard::qtest
