// SPDX-License-Identifier: GPL-2.0-or-later
//
// Instruction classes: what the counters must know of an x86 instruction, from its bytes (capstone).
#ifndef PERFBOARD_PLUGINS_ISA_X86_INSN_H
#define PERFBOARD_PLUGINS_ISA_X86_INSN_H

#include <cstddef>
#include <cstdint>

#include "plugins/isa/floats.h"
#include "plugins/isa/isa.h"

struct cs_insn;

namespace perfboard {

// A general register as QEMU and the encoding number them; kNoRegister: none.
inline constexpr int8_t kNoRegister = -1;

struct X86Insn {
  Op op = Op::kUnknown;
  // Jumps, calls, returns, loops, near and far; IRET, too. Not INT and SYSCALL.
  bool branch = false;
  // Runs to its end whatever happens: accesses no memory, cannot fault, leaves no block.
  bool quiet = false;
  // May access memory more than once. So an attempt may be given up when one access has been made.
  bool several = false;
  bool repeated = false;  // a string instruction with a repeat prefix

  enum String : uint8_t { kNoString, kMovs, kStos, kLods, kScas, kCmps, kIns, kOuts };
  String string = kNoString;

  // Instructions that change which translations the processor's TLB holds.
  enum Paging : uint8_t { kNoPaging, kWritesCr, kInvlpg, kInvpcid };
  Paging paging = kNoPaging;
  uint8_t cr = 0;             // kWritesCr: which
  int8_t base = kNoRegister;  // kWritesCr: from which register; kInvlpg: of the address
  int8_t index = kNoRegister;
  int8_t segment = 3;  // ES, CS, SS, DS, FS, GS
  uint8_t scale = 1, address_bits = 32;
  bool ip_relative = false;
  int64_t displacement = 0;
  uint8_t bytes = 0;

  bool operator==(const X86Insn&) const = default;
};

// A prefix that every mode has: LOCK, repeat, segment, operand and address size. Not REX.
constexpr bool is_prefix(uint8_t b) {
  return b == 0xf0 || b == 0xf2 || b == 0xf3 || b == 0x66 || b == 0x67 || b == 0x2e || b == 0x36 ||
         b == 0x3e || b == 0x26 || b == 0x64 || b == 0x65;
}

Op x86_op(const cs_insn* insn, bool branch);

// code: size bytes from the instruction's first; bits: 16, 32 or 64, the code segment's.
X86Insn classify_x86(const uint8_t* code, size_t size, unsigned bits);
ModelInsn x86_operands(const uint8_t* code, size_t size, unsigned bits);  // without its address
Floats x86_floats(const uint8_t* code, size_t size, unsigned bits, uint64_t address);

}  // namespace perfboard
#endif
