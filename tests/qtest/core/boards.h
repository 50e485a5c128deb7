// SPDX-License-Identifier: GPL-2.0-or-later
//
// The boards of a Machine, by register: offsets and bits are the guest's own headers.
//
//   Surf surf(m, 2);                 // the one in slot 2
//   surf.enable(SURF_IRLEV_IRQ10);   // registers at 0xC000_0000, memories at 0xC800_0000
//   surf.write(SURF_HTCR, SURF_HTCR_TEN); surf.trace(0, 3); surf.bin(7);
//   Sni sni(m, 1);
//   sni.enable(SURF_IRLEV_IRQ10); sni.accept(page, SNI_IPT_VALID); sni.deliberate(from, to, words);
#pragma once

#include "guest/shrimp/regs.h"
#include "guest/surfboard/regs.h"
#include "tests/qtest/core/machine.h"

namespace perfboard::qtest {

// A name and not only a macro: gtest's printer wants a type.
inline constexpr uint32_t kSurfId = SURF_PRODUCT_ID, kSniId = SNI_PRODUCT_ID;
inline constexpr uint16_t kIrqOf[8] = {0, 0, 5, 9, 10, 12, 14, 15};  // by IRLEV (p. 50)

class Surf {
 public:
  static constexpr uint32_t kRegisters = 0xc0000000, kMemory = 0xc8000000;

  Surf(Machine& machine, unsigned slot_number) : m(machine), slot(slot_number) {}

  static constexpr uint32_t ebcr_for(uint32_t irlev, uint32_t registers = kRegisters,
                                     uint32_t memories = kMemory) {
    return registers | memories >> 27 << SURF_EBCR_MBASE_SHIFT | irlev << SURF_EBCR_IRLEV_SHIFT |
           SURF_EBCR_ENABLE;
  }
  uint16_t port(uint32_t offset) const { return static_cast<uint16_t>(slot * 0x1000 + offset); }
  void ebcr(uint32_t value) { m.out32(port(SURF_EBCR), value); }
  void enable(uint32_t irlev = SURF_IRLEV_DISABLED, uint32_t registers = kRegisters,
              uint32_t memories = kMemory) {
    base = registers;
    memory = memories;
    ebcr(ebcr_for(irlev, registers, memories));
  }
  uint32_t read(uint32_t offset) { return m.read32(base + offset); }
  void write(uint32_t offset, uint32_t value) { m.write32(base + offset, value); }
  uint32_t trace_at(uint32_t index, uint32_t word = 0) const {
    return memory + SURF_MEM_TRACE_OFFSET + index * SURF_TRACE_BYTES + 4 * word;
  }
  uint32_t bin_at(uint32_t bin) const { return memory + SURF_MEM_HIST_OFFSET + 4 * bin; }
  uint32_t trace(uint32_t index, uint32_t word) { return m.read32(trace_at(index, word)); }
  uint32_t bin(uint32_t number) { return m.read32(bin_at(number)); }
  void shift_in(uint32_t value) {
    for (int i = 0; i < SURF_ACDR_BITS; ++i) write(SURF_ACDR, value >> i & 1);
  }
  uint32_t recirculate() {
    uint32_t value = 0;
    for (int i = 0; i < SURF_ACDR_BITS; ++i) {
      const uint32_t bit = read(SURF_ACDR);
      value |= bit << i;
      write(SURF_ACDR, bit);
    }
    return value;
  }

  Machine& m;
  unsigned slot;
  uint32_t base = kRegisters, memory = kMemory;
};

// SENDID 0, the whole latency, a trace buffer of 4 MB.
inline constexpr uint32_t kPlainShift =
    SURF_PUT(ACDR_LAT_N, 12u) | SURF_PUT(ACDR_TSIZE, uint32_t{SURF_TSIZE_4MB});

class Sni {
 public:
  static constexpr uint32_t kRegisters = 0xd0000000;

  Sni(Machine& machine, unsigned slot_number, uint32_t registers = kRegisters)
      : m(machine), slot(slot_number), base(registers) {}

  uint16_t port(uint32_t offset) const { return static_cast<uint16_t>(slot * 0x1000 + offset); }
  void enable(uint32_t irlev = SURF_IRLEV_DISABLED, uint32_t scr = SNI_SCR_EN | SNI_SCR_TSE) {
    m.out32(port(SNI_SBCR), base | irlev << SNI_SBCR_IRLEV_SHIFT | SNI_SBCR_ENABLE);
    write(SNI_SCR, scr);
  }
  uint32_t read(uint32_t offset) { return m.read32(base + offset); }
  void write(uint32_t offset, uint32_t value) { m.write32(base + offset, value); }
  uint64_t counter(uint32_t offset) {
    const uint64_t low = read(offset);
    return low | uint64_t{read(offset + 4)} << 32;
  }
  void accept(uint32_t page, uint32_t entry) { write(SNI_IPT(page), entry); }
  void deliberate(uint32_t from, uint32_t to, uint32_t words, uint32_t node = 1) {
    write(SNI_DUSA, from);
    write(SNI_DUDA, to);
    write(SNI_DUDN, node);
    write(SNI_DUWC, words);
  }

  Machine& m;
  unsigned slot;
  uint32_t base;
};

// A program for the vCPU: stores `words` doublewords first, first + 1, ... from address `at` on.
inline std::vector<uint8_t> stores(uint16_t at, uint16_t words, uint32_t first = 1) {
  const auto byte = [](uint32_t v, int i) { return static_cast<uint8_t>(v >> (8 * i)); };
  return {
      0xfc, 0x31,        0xc0,           0x8e,           0xc0,                            // cld; es = 0
      0x66, 0xb8,        byte(first, 0), byte(first, 1), byte(first, 2), byte(first, 3),  // eax = first
      0xbf, byte(at, 0), byte(at, 1),    0xb9,           byte(words, 0), byte(words, 1),  // di, cx
      0x66, 0xab,        0x66,           0x40,           0xe2,           0xfa,  // stosd; inc eax; loop
      0xf4, 0xeb,        0xfd,                                                  // hlt; jmp to it
  };
}

}  // namespace perfboard::qtest
