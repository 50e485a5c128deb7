// SPDX-License-Identifier: GPL-2.0-or-later
//
// The registers as the surf prompt names them: what SHOW prints and what an assignment may set.
//
// The offsets and bits are those of guest/surfboard/regs.h. Two "registers" are more than
// one 32-bit word: ACDR is the 28-bit shift register behind its port, HFCDR the FIFO's offset
// registers behind theirs (port.h does the accesses).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace perfboard::prompt {

enum class FieldAccess : uint8_t { rw, ro, w1c };

struct FieldInfo {
  std::string_view name;
  uint32_t mask;
  FieldAccess access = FieldAccess::rw;
  bool shown = true;  // SHOW leaves the readback bits out, as the paper's does

  unsigned shift() const;
  unsigned bits() const;
  unsigned hex_digits() const { return (bits() + 3) / 4; }
  uint32_t get(uint32_t value) const { return (value & mask) >> shift(); }
  uint32_t put(uint32_t value, uint32_t field) const { return (value & ~mask) | field << shift(); }
};

enum class RegisterKind : uint8_t {
  plain,        // one word that reads without effect
  shift,        // ACDR
  fifo_offset,  // HFCDR
  fifo_data,    // HFDR: a read takes an entry
  clocked,      // FCDR: every write clocks a bit
};

struct RegisterInfo {
  std::string_view name;
  std::string_view alias[2];  // other names of the same register in the paper
  uint32_t offset;
  uint32_t mask;  // the bits that exist
  RegisterKind kind;
  std::span<const FieldInfo> fields;

  // SHOW has it: it can be read without effect.
  bool shown() const { return kind != RegisterKind::fifo_data && kind != RegisterKind::clocked; }
};

// In the order of SHOW, then those that SHOW leaves out.
std::span<const RegisterInfo> all_registers();

// By name or alias, whatever the case; nullptr if there is none.
const RegisterInfo* find_register(std::string_view name);
const FieldInfo* find_field(const RegisterInfo& reg, std::string_view name);

bool same_word(std::string_view a, std::string_view b);  // but for the case

}  // namespace perfboard::prompt
