// SPDX-License-Identifier: GPL-2.0-or-later
//
// power2-pm in a Machine, placed by qtest as firmware would. No processor makes qtest's accesses: monitors
// are reached by number.
//
//   Rig r(",node=thin");
//   r.get(P2R_MMCR); r.put(P2R_COUNTER(3), 7);         of the first processor
//   r.big32(P2R_OF(0) + P2R_MMCR)                      through BAR 2
//   Rig counts = Rig::running(1000);                   the processor executes a loop of 1000 turns in the first step, and halts
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "guest/power2/events.h"
#include "guest/power2/regs.h"
#include "tests/qtest/core/machine.h"

namespace perfboard::qtest {

inline constexpr uint32_t kLittleAt = 0xe0000000, kBigAt = 0xe0100000;
inline constexpr unsigned kClass = 8, kBar0 = 0x10, kBar2 = 0x18;
inline constexpr uint32_t kIdentity = uint32_t{P2_PCI_DEVICE} << 16 | P2_PCI_VENDOR;

// mov ecx, turns; loop to itself; hlt; jmp to it.
inline std::vector<uint8_t> turning(uint32_t turns) {
  const auto byte = [turns](int i) { return static_cast<uint8_t>(turns >> 8 * i); };
  return {0x66, 0xb9, byte(0), byte(1), byte(2), byte(3), 0x67, 0xe2, 0xfd, 0xf4, 0xeb, 0xfd};
}

// What a program sees of the card, once it is placed.
struct Windows {
  explicit Windows(Machine& machine) : m(machine) {}
  void place(unsigned device) { m.pci_place(device, {kLittleAt, 0, kBigAt}); }
  uint32_t get(uint32_t r, unsigned processor = 0) { return m.read32(kLittleAt + P2R_OF(processor) + r); }
  void put(uint32_t r, uint32_t v, unsigned processor = 0) {
    m.write32(kLittleAt + P2R_OF(processor) + r, v);
  }
  uint32_t card(uint32_t r) { return m.read32(kLittleAt + P2R_CARD + r); }
  uint32_t big32(uint32_t offset) { return __builtin_bswap32(m.read32(kBigAt + offset)); }
  void big32(uint32_t offset, uint32_t v) { m.write32(kBigAt + offset, __builtin_bswap32(v)); }

  Machine& m;
};

struct Rig : Windows {
  explicit Rig(const std::string& properties = "", MachineOptions o = {})
      : Rig(std::make_unique<Machine>(with(properties, o))) {
    place();
  }
  static Rig running(uint32_t turns, const std::string& properties = "") {
    return Rig(properties, {.program = turning(turns)});
  }
  // A machine that waits for a snapshot: nothing is placed.
  static Rig incoming(const std::string& properties = "", MachineOptions o = {}) {
    o.args.insert(o.args.end(), {"-incoming", "defer"});
    return Rig(std::make_unique<Machine>(with(properties, o)));
  }
  static MachineOptions with(const std::string& properties, MachineOptions o) {
    o.devices.push_back("power2-pm,id=pm" + properties);
    return o;
  }
  void place() { Windows::place(device); }

 private:
  explicit Rig(std::unique_ptr<Machine> made)
      : Windows(*made), machine(std::move(made)), device(m.pci_device(kIdentity)) {}
  std::unique_ptr<Machine> machine;

 public:
  unsigned device;
};

// Where an event is counted: the first group that has it.
struct Counted {
  uint32_t mmcr;
  unsigned counter;
};
inline Counted event(const std::string& name) {
  const struct {
    const char* name;
    unsigned unit, group, counter;
  } rows[] = {
#define ROW(name, unit, group, counter, text) {#name, unit, group, counter},
      P2_EVENTS(ROW)
#undef ROW
  };
  for (const auto& r : rows)
    if (name == r.name) {
      if (r.unit == P2_UNITS) return {P2_MMCR_SGA, r.counter};
      if (r.unit > P2_UNITS) return {0, r.counter};
      return {r.group << (12 - 4 * r.unit), P2_UNIT_COUNTERS * r.unit + r.counter};
    }
  throw std::runtime_error("no event " + name);
}

}  // namespace perfboard::qtest
