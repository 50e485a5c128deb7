// SPDX-License-Identifier: GPL-2.0-or-later
//
// An x86 instruction's registers and accesses, by capstone's register access.
#include "plugins/isa/operands.h"

#include "plugins/isa/x86/decoder.h"
#include "plugins/isa/x86/insn.h"

namespace perfboard {
namespace {

constexpr unsigned kNone = kModelRegisters;

unsigned model_register(unsigned reg) {
  if (const int8_t general = x86_general(reg); general != kNoRegister) return kGeneral0 + general;
  switch (reg) {
    case X86_REG_AL:
    case X86_REG_AH:
      return kGeneral0 + 0;
    case X86_REG_CL:
    case X86_REG_CH:
      return kGeneral0 + 1;
    case X86_REG_DL:
    case X86_REG_DH:
      return kGeneral0 + 2;
    case X86_REG_BL:
    case X86_REG_BH:
      return kGeneral0 + 3;
    case X86_REG_SPL:
      return kGeneral0 + 4;
    case X86_REG_BPL:
      return kGeneral0 + 5;
    case X86_REG_SIL:
      return kGeneral0 + 6;
    case X86_REG_DIL:
      return kGeneral0 + 7;
    case X86_REG_EFLAGS:
      return kCondition0;
    case X86_REG_FPSW:
      return kFloatStatus;
    default:
      break;
  }
  if (reg >= X86_REG_R8B && reg <= X86_REG_R15B) return kGeneral0 + 8 + (reg - X86_REG_R8B);
  if (reg >= X86_REG_ST0 && reg <= X86_REG_ST7) return kFloat0 + (reg - X86_REG_ST0);
  if (reg >= X86_REG_MM0 && reg <= X86_REG_MM7) return kFloat0 + (reg - X86_REG_MM0);
  if (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM31) return kFloat0 + 32 + (reg - X86_REG_XMM0);
  if (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM31) return kFloat0 + 32 + (reg - X86_REG_YMM0);
  if (reg >= X86_REG_ZMM0 && reg <= X86_REG_ZMM31) return kFloat0 + 32 + (reg - X86_REG_ZMM0);
  if (reg >= X86_REG_CR0 && reg <= X86_REG_DR15) return kOtherSpecial;
  return kNone;
}

// Map and opcode, as ModelInsn::opcode has them.
uint32_t opcode_of(const cs_x86& x86) {
  const uint8_t* o = x86.opcode;
  if (o[0] != 0x0f) return o[0];
  if (o[1] == 0x38) return 2 << 8 | o[2];
  if (o[1] == 0x3a) return 3 << 8 | o[2];
  return 1 << 8 | o[1];
}

void accesses(ModelInsn& insn) {
  switch (insn.op) {
    case Op::kLoad:
    case Op::kFloatLoad:
    case Op::kVectorLoad:
      insn.loads = 1;
      break;
    case Op::kStore:
    case Op::kFloatStore:
    case Op::kVectorStore:
      insn.stores = 1;
      break;
    case Op::kLoadStore:
      insn.loads = insn.stores = 1;
      break;
    default:
      break;
  }
}

}  // namespace

ModelInsn x86_operands(const uint8_t* code, size_t size, unsigned bits) {
  ModelInsn insn;
  const X86Insn c = classify_x86(code, size, bits);
  insn.op = c.op;
  insn.bytes = c.bytes;
  insn.branch = c.branch;
  insn.repeats = c.repeated;
  X86Decoder& decoder = X86Decoder::of(bits);
  const cs_insn* const decoded = decoder.decode(code, size).insn;
  if (!decoded) return insn;
  const cs_x86& x86 = decoded->detail->x86;
  insn.opcode = opcode_of(x86);
  Operands o(&insn);
  for (unsigned i = 0; i < x86.op_count; ++i) {
    if (x86.operands[i].type != X86_OP_MEM) continue;
    for (const unsigned reg : {x86.operands[i].mem.base, x86.operands[i].mem.index})
      if (const unsigned r = model_register(reg); r != kNone) o.address(r);
  }
  cs_regs read, write;
  uint8_t reads = 0, writes = 0;
  if (cs_regs_access(decoder.handle(), decoded, read, &reads, write, &writes) == CS_ERR_OK) {
    for (unsigned i = 0; i < reads; ++i)
      if (const unsigned r = model_register(read[i]); r != kNone) o.read(r);
    for (unsigned i = 0; i < writes; ++i)
      if (const unsigned r = model_register(write[i]); r != kNone) o.write(r);
  }
  accesses(insn);
  insn.float_data = insn.op == Op::kFloatLoad || insn.op == Op::kFloatStore || insn.op == Op::kVectorLoad ||
                    insn.op == Op::kVectorStore;
  if (insn.branch) {
    const uint32_t opcode = insn.opcode;
    insn.link = opcode == 0xe8 || opcode == 0x9a || (opcode == 0xff && ((x86.modrm >> 3 & 6) == 2));
    insn.returns = opcode == 0xcf;
    insn.conditional = opcode >> 4 == 0x7 || opcode >> 4 == 0x18 || (opcode >= 0xe0 && opcode <= 0xe3);
    if (insn.conditional) insn.needs = opcode == 0xe3 || opcode == 0xe2 ? kNeedsCount : kNeedsCondition;
  }
  return insn;
}

}  // namespace perfboard
