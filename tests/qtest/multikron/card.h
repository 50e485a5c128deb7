// SPDX-License-Identifier: GPL-2.0-or-later
//
// MULTIKRON cards in a Machine, placed by qtest as firmware would.
//
//   Machine m({.devices = {"multikron"}});
//   Card card(m); card.start(); card.sample(MKR_SAMPLE_TRACE(3), data); card.get(MKR_OVERRUN);
//   Networked n(",fifo-depth=2"); Card card(*n.m);     its network goes to a file
//   only_elements(words_of(n.file(0)))                 what has arrived there
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "guest/multikron/regs.h"
#include "hw/multikron/stream.h"
#include "tests/qtest/core/machine.h"

namespace perfboard::qtest {

inline constexpr uint32_t kBars[] = {MKR_BAR4, MKR_BAR8, MKR_BAR_SAMPLE};
inline constexpr uint32_t kFourAt = 0xe0000000, kEightAt = kFourAt + MKR_BAR_BYTES,
                          kSampleAt = kEightAt + MKR_BAR_BYTES;
inline constexpr unsigned kCommand = 4, kClass = 8, kBar0 = 0x10, kMemory = 2;

// A card and where qtest has put its windows; device numbers count from the bridge of Machine on.
class Card {
 public:
  explicit Card(Machine& machine, unsigned nth = 0, uint32_t at = 0)
      : m(machine),
        device(m.pci_device(MKR_DEVICE << 16 | MKR_VENDOR, nth)),
        base_(at ? at - kFourAt : 4 * MKR_BAR_BYTES * nth) {
    at = kFourAt + base_;
    for (uint32_t bar : kBars) {
      m.pci_write32(device, kBar0 + 4 * bar, at);
      at += MKR_BAR_BYTES;
    }
    m.pci_write16(device, kCommand, kMemory);
  }
  uint32_t get(uint32_t address) { return m.read32(kEightAt + base_ + MKR_AT8(address)); }
  uint64_t get64(uint32_t address) { return m.read64(kEightAt + base_ + MKR_AT8(address)); }
  void put(uint32_t address, uint32_t v) { m.write32(kEightAt + base_ + MKR_AT8(address), v); }
  void put64(uint32_t address, uint64_t v) { m.write64(kEightAt + base_ + MKR_AT8(address), v); }
  void sample(uint32_t address, uint64_t v) { m.write64(kSampleAt + base_ + MKR_AT8(address), v); }
  void start(uint32_t csr = 0) {
    put(MKR_FILTER, 0xffff);
    put(MKR_CSR, MKR_CSR_SE | csr);
  }

  Machine& m;
  const unsigned device;

 private:
  uint32_t base_;
};

inline std::vector<uint16_t> words_of(const std::string& file) {
  const std::string bytes = contents(file);
  std::vector<uint16_t> words;
  for (size_t i = 0; i + 1 < bytes.size(); i += 2)
    words.push_back(
        static_cast<uint16_t>(static_cast<uint8_t>(bytes[i]) | static_cast<uint8_t>(bytes[i + 1]) << 8));
  return words;
}

// A machine whose cards' networks go to files of its own.
struct Networked {
  explicit Networked(const std::string& properties, unsigned cards = 1) {
    MachineOptions o;
    for (unsigned i = 0; i < cards; ++i) {
      const std::string n = std::to_string(i);
      o.args.insert(o.args.end(), {"-chardev", "file,id=net" + n + ",path=" + file(i)});
      o.devices.push_back("multikron,id=mk" + n + ",cpus=0,chardev=net" + n + properties);
    }
    m = std::make_unique<Machine>(o);
  }
  std::string file(unsigned i) { return scratch.path("net" + std::to_string(i)); }

  Scratch scratch;
  std::unique_ptr<Machine> m;
};

inline std::vector<uint16_t> only_elements(std::vector<uint16_t> words) {
  std::erase_if(words, [](uint16_t w) { return w & MK_STREAM_EVENT; });
  return words;
}

}  // namespace perfboard::qtest
