// SPDX-License-Identifier: GPL-2.0-or-later
//
// Machine - a stock QEMU with the object loaded, driven from outside through qtest and QMP.
//
//   Machine m({.devices = {"surfboard,slot=2,id=surf"}});   // i82375 is there always
//   m.out32(0x2c84, ebcr); m.in8(0x2c80); m.write32(addr, v); m.read32(addr);
//   m.step(5'000);                                          // 5 us of virtual time, rounded up
//   m.get("surf", "leds"); m.set("surf", "ext-pull", "true");
//
// Time. QEMU's clock_step command exists only with -accel qtest, which Debian's QEMU lacks and
// which would keep plugins out. So the machine runs: -icount with sleep=off, its one vCPU halted,
// goes from one deadline of a virtual timer to the next at once, and an i6300ESB watchdog, set
// through qtest while the machine stands still, pauses it again at a nanosecond that is known
// (the HPET helps: machine.cc, set_backstop).
// Between steps virtual time stands still, so a test sees the same times in every run.
//
// The vCPU has a ROM of two instructions that goes to 0000:0600, where options.program is (HLT
// by default). A program runs in the first step, and must have halted when that ends.
//
// Whatever goes wrong with QEMU itself (it ends, does not answer, refuses a command) is an exception.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/qtest/core/process.h"
#include "tests/qtest/core/qmp.h"

namespace perfboard::qtest {

struct MachineOptions {
  std::vector<std::string> devices;  // -device, after i82375
  std::vector<std::string> args;
  std::vector<uint8_t> program;
  std::string scenario = {};  // errors on purpose, as the lines of a file (hw/qemu/core/faults/scenario.h)
  bool unreached = false;     // what it has not done goes to scratch("unreached")
};

class Machine {
 public:
  explicit Machine(MachineOptions options = {});
  ~Machine();

  uint8_t in8(uint16_t port) { return static_cast<uint8_t>(number("inb", port)); }
  uint16_t in16(uint16_t port) { return static_cast<uint16_t>(number("inw", port)); }
  uint32_t in32(uint16_t port) { return static_cast<uint32_t>(number("inl", port)); }
  void out8(uint16_t port, uint32_t value) { command("outb", port, value); }
  void out16(uint16_t port, uint32_t value) { command("outw", port, value); }
  void out32(uint16_t port, uint32_t value) { command("outl", port, value); }

  uint8_t read8(uint64_t a) { return static_cast<uint8_t>(number("readb", a)); }
  uint16_t read16(uint64_t a) { return static_cast<uint16_t>(number("readw", a)); }
  uint32_t read32(uint64_t a) { return static_cast<uint32_t>(number("readl", a)); }
  uint64_t read64(uint64_t a) { return number("readq", a); }
  void write8(uint64_t a, uint32_t v) { command("writeb", a, v); }
  void write16(uint64_t a, uint32_t v) { command("writew", a, v); }
  void write32(uint64_t a, uint32_t v) { command("writel", a, v); }
  void write64(uint64_t a, uint64_t v) { command("writeq", a, v); }
  uint64_t read(uint64_t a, unsigned size);
  void write(uint64_t a, uint64_t v, unsigned size);
  std::vector<uint8_t> read_bytes(uint64_t a, size_t bytes);
  void write_bytes(uint64_t a, std::span<const uint8_t> bytes);
  void fill(uint64_t a, size_t bytes, uint8_t value);

  // Virtual time passes: at least ns, at most 970 more (983,050 more if it is over a second).
  void step(uint64_t ns);
  uint64_t stepped() const { return stepped_; }  // ns of all steps

  // PCI configuration space, mechanism 1. pci_device(): which one is the nth with these IDs.
  unsigned pci_device(uint32_t ids, unsigned nth = 0);
  uint32_t pci_read32(unsigned device, unsigned offset);
  void pci_write32(unsigned device, unsigned offset, uint32_t value);
  void pci_write16(unsigned device, unsigned offset, uint16_t value);
  void pci_write8(unsigned device, unsigned offset, uint8_t value);
  // BARs from the first one on, but for those that are 0 here; then what it may do: memory.
  void pci_place(unsigned device, const std::vector<uint32_t>& bars, uint16_t command = 2);

  // Lines that the 8259s see as asked for (IRR): bit n is IRQ n.
  uint16_t irr();
  // ELCR: the given IRQ lines become level-triggered, all others edge-triggered.
  void level_triggered(uint16_t irqs);

  // A QMP command; the whole answer. An error is an exception.
  Json qmp(const std::string& name, Members arguments = {}) { return qmp_->command(name, arguments); }
  std::string hmp(const std::string& line) { return qmp_->hmp(line); }
  uint64_t get(const std::string& id, const std::string& property);
  bool flag(const std::string& id, const std::string& property);
  std::string text(const std::string& id, const std::string& property);
  // To a value that is JSON; empty, or the error's text.
  std::string set(const std::string& id, const std::string& property, const std::string& json);

  // Boards that come and go. plug("multikron,id=mk,addr=5"): empty, or why not. eject(): as a guest does it
  // that nobody has asked (docs/specs/acpi_pci_hotplug.rst); it waits until QEMU has let go of all of the
  // board, eject_at_once() does not.
  std::string plug(const std::string& device);
  void eject(unsigned device);
  void eject_at_once(unsigned device);
  uint64_t resident_bytes() const { return process_->resident_bytes(); }

  // Saves the stopped machine to a file; a second machine continues with
  // .args = {"-incoming", "defer"} and load(file).
  void save(const std::string& file);
  void load(const std::string& file);
  std::string load_refused(const std::string& file);  // what it says of one that it must not take
  std::string migration_status();

  std::string log() const;    // -d guest_errors
  bool answers();             // alive, and the monitor replies
  std::optional<int> quit();  // by the monitor; the exit status
  std::string output() const { return process_->output(); }
  std::string scratch(const std::string& name) const { return scratch_.path(name); }

 private:
  std::string command_line(const std::string& line);
  template <typename... Values>
  std::string command(const char* name, Values... values);
  template <typename... Values>
  uint64_t number(const char* name, Values... values);
  void wait_migrated(const char* what);
  void set_watchdog(uint64_t units, bool slow);
  void set_backstop(uint64_t ticks);

  Scratch scratch_;
  std::unique_ptr<Process> process_;
  std::unique_ptr<Link> qtest_;
  std::unique_ptr<Qmp> qmp_;
  uint64_t stepped_ = 0;
  bool timers_ready_ = false;
};

// QEMU's edu, a PCI device that moves memory: between there and a buffer of its own.
struct Edu {
  static constexpr uint32_t kAt = 0xfd000000, kBuffer = 0x40000;
  Edu(Machine& machine, unsigned device) : m(machine) { m.pci_place(device, {kAt}, 2 | 4); }
  void move(bool to_memory, uint64_t addr, uint32_t bytes) {
    m.write64(kAt + 0x80, to_memory ? kBuffer : addr);
    m.write64(kAt + 0x88, to_memory ? addr : kBuffer);
    m.write64(kAt + 0x90, bytes);
    m.write64(kAt + 0x98, to_memory ? 3 : 1);
    m.step(200'000'000);
  }

  Machine& m;
};

}  // namespace perfboard::qtest
