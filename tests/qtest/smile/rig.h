// SPDX-License-Identifier: GPL-2.0-or-later
//
// smile-hwm in a Machine: one or more cards, placed by qtest as firmware would.
//
//   Rig r;                        one card, BAR 0 at kBar0At
//   r.get(SMR_MSR); r.put(SMR_MCR, SMR_MCR_RUN);
//   r.load(0, design_image(1));   into slot 0, and loaded; the card is placed again
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "firmware/smile/hot.h"
#include "guest/smile/regs.h"
#include "tests/qtest/core/machine.h"

namespace perfboard::qtest {

inline constexpr uint32_t kBar0At = 0xe0000000, kIoAt = 0xc000;
inline constexpr unsigned kCommand = 4, kClass = 8, kBar0 = 0x10, kBar1 = 0x14, kLine = 0x3c;
inline constexpr unsigned kIo = 1, kMemory = 2, kIsaBridge = 1, kPirq = 0x60, kIrq = 10;
inline constexpr uint32_t kIdentity = uint32_t{SMR_DEVICE} << 16 | SMR_VENDOR;
inline constexpr uint64_t kLoadNs = 143'385'700;  // 1433857 bits at 10 MHz

inline std::vector<uint8_t> design_image(unsigned design) {
  smile::Image image;
  image.design = static_cast<uint8_t>(design);
  return hot::assemble(image);
}

// What QEMU says before it ends with status 1, as it must.
inline std::string refusal(const std::vector<std::string>& words) {
  const Refusal r = start_and_end(words, qemu_path(), plugin_path());
  EXPECT_EQ(r.status.value_or(-1), 1) << words.back() << (r.status ? "" : ": it runs");
  return r.output;
}

// A card; the cards of a machine are counted from 0.
class Smile {
 public:
  explicit Smile(Machine& machine, unsigned nth = 0)
      : m(machine), at(kBar0At + nth * SMR_BAR_BYTES), io(kIoAt + 0x100 * nth) {
    for (device = 0; device < 32; ++device)
      if (m.pci_read32(device, 0) == kIdentity && nth-- == 0) break;
    if (device == 32) throw std::runtime_error("no card");
  }
  void place() {
    m.pci_write32(device, kBar0, at);
    m.pci_write32(device, kBar1, io);
    m.pci_write8(device, kLine, kIrq);
    m.pci_write16(device, kCommand, kIo | kMemory);
  }
  uint32_t get(uint32_t offset) { return m.read32(at + offset); }
  void put(uint32_t offset, uint32_t v) { m.write32(at + offset, v); }
  uint32_t id() { return m.pci_read32(device, 0); }
  void slot(unsigned n, const std::vector<uint8_t>& image) { m.write_bytes(at + SMR_SLOT(n), image); }
  void load(unsigned n, const std::vector<uint8_t>& image) {
    slot(n, image);
    put(SMR_CCM_COMMAND, SMR_CCM_LOAD_SLOT(n));
    m.step(kLoadNs);
    place();
  }
  // A demanded SWAP_OUT that interrupts, all enables set.
  void interrupt() {
    put(SMR_INTCSR, SMR_INTCSR_PCI | SMR_INTCSR_LOCAL);
    put(SMR_MCR, SMR_MCR_IED | SMR_MCR_SWAP);
  }

  Machine& m;
  unsigned device = 0;
  uint32_t at;
  uint16_t io;
};

struct Rig : Smile {
  explicit Rig(const std::string& properties = "", MachineOptions o = {})
      : Rig(std::make_unique<Machine>(with(properties, o))) {
    place();
    m.level_triggered(1 << kIrq);
    for (unsigned i = 0; i < 4; ++i) m.pci_write8(kIsaBridge, kPirq + i, kIrq);
  }
  // A machine that waits for a snapshot: nothing is placed.
  static Rig incoming(const std::string& properties = "") {
    return Rig(std::make_unique<Machine>(with(properties, {.args = {"-incoming", "defer"}})));
  }
  bool irq() { return m.irr() >> kIrq & 1; }
  static MachineOptions with(const std::string& properties, MachineOptions o) {
    o.devices.push_back("smile-hwm,id=hwm" + properties);
    return o;
  }

 private:
  explicit Rig(std::unique_ptr<Machine> made) : Smile(*made), machine(std::move(made)) {}
  std::unique_ptr<Machine> machine;
};

}  // namespace perfboard::qtest
