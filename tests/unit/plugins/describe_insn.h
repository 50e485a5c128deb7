// SPDX-License-Identifier: GPL-2.0-or-later
//
// For tests of instructions. A ModelInsn in one line, as the tables of operands have it:
//
//   "[r4 r5] f1 > r4 cr0 | store float update"      [made into the address] other operands > results | accesses and traits
#ifndef PERFBOARD_TESTS_UNIT_PLUGINS_DESCRIBE_INSN_H
#define PERFBOARD_TESTS_UNIT_PLUGINS_DESCRIBE_INSN_H

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "hw/processor/insn.h"
#include "plugins/machine.h"

namespace perfboard {

// Bytes of instructions, as a disassembler prints them: "48 01 d8".
struct Code : std::vector<uint8_t> {
  using std::vector<uint8_t>::vector;
  Code() = default;
  Code(const char* bytes) {
    for (char* end; *bytes; bytes = end) push_back(static_cast<uint8_t>(std::strtoul(bytes, &end, 16)));
  }
};

struct Registers {
  uint64_t at[PB_REGISTERS] = {};
  uint64_t& operator[](unsigned i) { return at[i]; }
};

// Names of POWER's registers; x86's 0 to 15 of each kind have the same numbers.
inline std::string register_name(unsigned reg) {
  static const char* const kSpecial[] = {"lr", "ctr", "xer", "fpscr", "spr"};
  if (reg < kFloat0) return "r" + std::to_string(reg - kGeneral0);
  if (reg < kFloat0 + 32) return "f" + std::to_string(reg - kFloat0);
  if (reg < kCondition0) return "v" + std::to_string(reg - kFloat0 - 32);
  if (reg < kLink) return "cr" + std::to_string(reg - kCondition0);
  return reg < kModelRegisters ? kSpecial[reg - kLink] : "?";
}

inline std::string describe(const ModelInsn& insn) {
  std::string text, traits;
  const auto word = [](std::string& to, const std::string& what) { to += (to.empty() ? "" : " ") + what; };
  for (unsigned i = 0; i < insn.reads; ++i) {
    std::string name = register_name(insn.read[i]);
    if (i == 0 && insn.address_reads) name = "[" + name;
    if (i + 1u == insn.address_reads) name += "]";
    word(text, name);
  }
  word(text, ">");
  for (const uint8_t reg : insn.write_registers()) word(text, register_name(reg));
  const auto accesses = [&](unsigned n, const char* what) {
    if (n)
      word(traits, n == 1     ? what
                   : n == 255 ? what + std::string("s?")
                              : std::to_string(n) + " " + what + "s");
  };
  accesses(insn.loads, "load");
  accesses(insn.stores, "store");
  const struct {
    bool is;
    const char* name;
  } all[] = {
      {insn.branch, "branch"},
      {insn.conditional, "conditional"},
      {(insn.needs & kNeedsCondition) != 0, "?cr"},
      {(insn.needs & kNeedsLink) != 0, "?lr"},
      {(insn.needs & kNeedsCount) != 0, "?ctr"},
      {insn.link, "call"},
      {insn.returns, "return"},
      {insn.float_data, "float"},
      {insn.single, "single"},
      {insn.update, "update"},
      {insn.record, "record"},
      {insn.serializes, "serializes"},
      {insn.repeats, "repeats"},
  };
  for (const auto& trait : all)
    if (trait.is) word(traits, trait.name);
  return traits.empty() ? text : text + " | " + traits;
}

}  // namespace perfboard
#endif
