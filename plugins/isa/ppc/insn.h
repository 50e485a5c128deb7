// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a POWER instruction is, by its opcode: one word, or prefix and suffix (ISA 3.1).
//
// By tables of opcodes, not by capstone: the 4.0 of Debian 12 knows ISA 2.06 and neither quadword, VSX
// scalar, transactional nor prefixed instructions, and tells an instruction by its alias (li, mr, slwi). The
// unit test holds the tables against capstone where that knows an instruction.
#ifndef PERFBOARD_PLUGINS_ISA_PPC_INSN_H
#define PERFBOARD_PLUGINS_ISA_PPC_INSN_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "plugins/isa/floats.h"
#include "plugins/isa/isa.h"

namespace perfboard {

constexpr unsigned ppc_primary(uint32_t word) { return word >> 26; }
constexpr unsigned ppc_extended(uint32_t word) { return word >> 1 & 0x3ff; }  // of primaries 19, 31, 59, 63

// A table by opcode, written as rows of the opcodes that share a value; of others it is Value{}.
template <typename Value>
struct OpcodeRow {
  Value value;
  std::initializer_list<unsigned> opcodes;
};
template <typename Value, size_t kSize>
constexpr std::array<Value, kSize> opcode_table(std::initializer_list<OpcodeRow<Value>> rows) {
  std::array<Value, kSize> table{};
  for (const OpcodeRow<Value>& row : rows)
    for (const unsigned opcode : row.opcodes) table[opcode] = row.value;
  return table;
}

Op ppc_op(uint32_t word);                              // kUnknown for a prefix, too
Op ppc_prefixed_op(uint32_t prefix, uint32_t suffix);  // prefix: primary opcode 1
bool ppc_quiet(uint32_t word);                         // Insn::quiet
bool ppc_several(uint32_t word, Op op);                // Insn::several
bool ppc_prefixed_several(uint32_t suffix, Op op);     //
bool ppc_writes_msr(uint32_t word);                    // and may so change the mark
bool ppc_changes_translations(uint32_t word);
ModelInsn ppc_operands(uint32_t word);  // without its address; not of a prefixed one
ModelInsn ppc_prefixed_operands(uint32_t prefix, uint32_t suffix);
Floats ppc_floats(uint32_t word);

}  // namespace perfboard
#endif
