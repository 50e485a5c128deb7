// SPDX-License-Identifier: GPL-2.0-or-later
//
// smile-hwm in a Machine: one or more cards, placed by qtest as firmware would.
//
//   Rig r;                        one card, BAR 0 at kBar0At
//   r.get(SMR_MSR); r.put(SMR_MCR, SMR_MCR_RUN);
//   r.load(0, design_image(1));   into slot 0, and loaded; the card is placed again
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
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
inline void write_file(const std::string& name, const std::vector<uint8_t>& bytes) {
  std::ofstream(name, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// 32-bit stores and then loads of the vCPU, from a0000 + kFirst on; it halts behind them.
inline constexpr uint16_t kFirst = 0x5124;
inline std::vector<uint8_t> accesses(uint16_t stores, uint16_t loads) {
  const auto low = [](uint16_t v) { return static_cast<uint8_t>(v); };
  const auto high = [](uint16_t v) { return static_cast<uint8_t>(v >> 8); };
  constexpr uint8_t kLow = kFirst & 0xff, kHigh = kFirst >> 8;
  return {0xfc, 0xb8,        0x00,         0xa0, 0x8e, 0xc0,  0x8e, 0xd8,  // cld; es = ds = 0xa000
          0xbf, kLow,        kHigh,        0xbe, kLow, kHigh,              // di = si = kFirst
          0xb9, low(stores), high(stores), 0xf3, 0x66, 0xab,               // rep stosd
          0xb9, low(loads),  high(loads),  0xf3, 0x66, 0xad,               // rep lodsd
          0xf4, 0xeb,        0xfd};                                        // hlt; jmp to it
}
inline void place_adapter(Machine& m, uint8_t home) {
  constexpr uint32_t kAdapterAt = 0xd0000000, kAtt = 0x40000, kCtrl = 0x14;
  const unsigned device = m.pci_device(0x5c101234);
  m.pci_place(device, {kAdapterAt, 0, 0xa0000});
  for (uint32_t page = 0; page < 16; ++page) m.write32(kAdapterAt + kAtt + 4 * page, home);
  m.write32(kAdapterAt + kCtrl, 1);
}
// INTA# to INTD# of all cards come at kIrq.
inline void route_interrupts(Machine& m) {
  m.level_triggered(1 << kIrq);
  for (unsigned i = 0; i < 4; ++i) m.pci_write8(kIsaBridge, kPirq + i, kIrq);
}

// A card; the cards of a machine are counted from 0.
class Smile {
 public:
  explicit Smile(Machine& machine, unsigned nth = 0)
      : m(machine),
        device(m.pci_device(kIdentity, nth)),
        at(kBar0At + nth * SMR_BAR_BYTES),
        io(static_cast<uint16_t>(kIoAt + 0x100 * nth)) {}
  void place() {
    m.pci_write8(device, kLine, kIrq);
    m.pci_place(device, {at, io}, kIo | kMemory);
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
  unsigned device;
  uint32_t at;
  uint16_t io;
};

struct Rig : Smile {
  explicit Rig(const std::string& properties = "", MachineOptions o = {})
      : Rig(std::make_unique<Machine>(with(properties, o))) {
    place();
    route_interrupts(m);
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
