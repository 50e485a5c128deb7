// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/isa/x86/insn.h"

#include "plugins/isa/x86/decoder.h"
#include "plugins/isa/x86/opcode.h"

namespace perfboard {
namespace {

bool is_branch(const X86Decoder& d, const cs_insn* insn) {
  switch (insn->id) {
    case X86_INS_LOOP:
    case X86_INS_LOOPE:
    case X86_INS_LOOPNE:
    case X86_INS_JCXZ:
    case X86_INS_JECXZ:
    case X86_INS_JRCXZ:
    case X86_INS_LJMP:
    case X86_INS_LCALL:
    case X86_INS_RET:
    case X86_INS_RETF:
    case X86_INS_RETFQ:
    case X86_INS_IRET:
    case X86_INS_IRETD:
    case X86_INS_IRETQ:
      return true;
    case X86_INS_XBEGIN:
    case X86_INS_SYSCALL:
    case X86_INS_SYSENTER:
      return false;
    default:
      return d.in_group(insn, X86_GRP_JUMP) || d.in_group(insn, X86_GRP_CALL);
  }
}

X86Insn::String string_of(uint8_t opcode) {
  switch (opcode) {
    case 0xa4:
    case 0xa5:
      return X86Insn::kMovs;
    case 0xa6:
    case 0xa7:
      return X86Insn::kCmps;
    case 0xaa:
    case 0xab:
      return X86Insn::kStos;
    case 0xac:
    case 0xad:
      return X86Insn::kLods;
    case 0xae:
    case 0xaf:
      return X86Insn::kScas;
    case 0x6c:
    case 0x6d:
      return X86Insn::kIns;
    case 0x6e:
    case 0x6f:
      return X86Insn::kOuts;
    default:
      return X86Insn::kNoString;
  }
}

// Arithmetic and moves that change their operands and the flags, and nothing else.
bool is_simple(unsigned id) {
  switch (id) {
    case X86_INS_ADD:
    case X86_INS_SUB:
    case X86_INS_AND:
    case X86_INS_OR:
    case X86_INS_XOR:
    case X86_INS_ADC:
    case X86_INS_SBB:
    case X86_INS_CMP:
    case X86_INS_TEST:
    case X86_INS_MOV:
    case X86_INS_MOVABS:
    case X86_INS_MOVZX:
    case X86_INS_MOVSX:
    case X86_INS_MOVSXD:
      return true;
    default:
      return false;
  }
}
bool is_simple_in_registers(unsigned id) {
  switch (id) {
    case X86_INS_INC:
    case X86_INS_DEC:
    case X86_INS_NEG:
    case X86_INS_NOT:
    case X86_INS_SHL:
    case X86_INS_SHR:
    case X86_INS_SAR:
    case X86_INS_ROL:
    case X86_INS_ROR:
    case X86_INS_IMUL:
    case X86_INS_CDQ:
    case X86_INS_CWDE:
    case X86_INS_CDQE:
    case X86_INS_CQO:
      return true;
    default:
      return is_simple(id);
  }
}

struct Operands {
  unsigned memory = 0;
  bool only_plain = true;  // general registers, constants and memory
  bool memory_first = false;
};

Operands operands_of(const cs_x86& x86, const X86Opcode& x) {
  Operands o;
  for (unsigned i = 0; i < x86.op_count; ++i) {
    const cs_x86_op& op = x86.operands[i];
    if (op.type == X86_OP_MEM) {
      o.memory++;
      o.memory_first |= i == 0;
    }
  }
  // MOV to and from segment, control and debug registers.
  o.only_plain = !(x.is(0, 0x8c) || x.is(0, 0x8e) || (x.map == 1 && x.opcode >= 0x20 && x.opcode <= 0x26));
  return o;
}

// Whether at most one access to memory is made.
bool is_single(const cs_insn* insn, const X86Opcode& x, const Operands& o) {
  if (!o.only_plain) return false;
  switch (insn->id) {
    case X86_INS_PUSH:
    case X86_INS_CALL:
      return o.memory == 0;
    case X86_INS_POP:
      return o.memory == 0 && insn->detail->x86.operands[0].size >= 2 &&
             x86_general(insn->detail->x86.operands[0].reg) != kNoRegister;
    case X86_INS_RET:
    case X86_INS_LEAVE:
      return true;
    case X86_INS_JMP:
      return !(x.is(0, 0xff) && x.middle() == 5);  // capstone 5: far ones, too
    case X86_INS_CMP:
    case X86_INS_TEST:
    case X86_INS_MOV:
    case X86_INS_MOVABS:
      return true;
    default:
      return is_simple(insn->id) && (o.memory == 0 || !o.memory_first);
  }
}

// A near branch of 64-bit code has a displacement of 32 bits, with 66 before it, too.
bool has_long_displacement(const X86Opcode& x) {
  return x.is(0, 0xe8) || x.is(0, 0xe9) || (x.map == 1 && x.opcode >> 4 == 0x8);
}

}  // namespace

X86Insn classify_x86(const uint8_t* code, size_t size, unsigned bits) {
  X86Insn c;
  X86Decoder& d = X86Decoder::of(bits);
  const X86Decoder::Found found = d.decode(code, size);
  c.several = true;
  if (!found.insn) return c;
  const cs_insn* insn = found.insn;
  const cs_x86& x86 = insn->detail->x86;
  const X86Opcode x = x86_opcode(code, size, bits);
  const Operands o = operands_of(x86, x);
  bool locked = false;
  size_t at = 0;
  for (; at < size && is_prefix(code[at]); ++at) {
    c.repeated |= code[at] == 0xf2 || code[at] == 0xf3;
    locked |= code[at] == 0xf0;
  }
  if (bits == 64 && at + 1 < size && (code[at] & 0xf0) == 0x40) ++at;  // REX
  c.bytes = static_cast<uint8_t>(found.bytes);
  if (bits == 64 && has_long_displacement(x)) {
    const size_t whole = at + (x.map == 0 ? 1 : 2) + 4;
    if (size >= whole) c.bytes = static_cast<uint8_t>(whole);
  }
  c.branch = is_branch(d, insn);
  c.op = x.hint() ? Op::kInteger : x.writes_back() ? Op::kCache : x86_op(insn, c.branch);
  c.string = string_of(code[at]);
  c.repeated &= c.string != X86Insn::kNoString;
  // Of the hints only these two are harmless: QEMU takes others as bounds checks (MPX), which can fault.
  const bool nop = insn->id == X86_INS_NOP && (x.is(0, 0x90) || x.is(1, 0x1f));
  c.quiet = !locked && o.only_plain &&
            (insn->id == X86_INS_LEA || nop || (o.memory == 0 && is_simple_in_registers(insn->id)));
  c.several = !c.quiet && !is_single(insn, x, o);
  if (x.is(1, 0x22)) {
    c.paging = X86Insn::kWritesCr;
    c.cr = static_cast<uint8_t>((x86.modrm >> 3 & 7) | (bits == 64 && x86.rex & 4 ? 8 : 0));
    c.base = x86_general(x86.operands[1].reg);
  } else if (insn->id == X86_INS_INVPCID) {
    c.paging = X86Insn::kInvpcid;
  } else if (insn->id == X86_INS_INVLPG && o.memory == 1) {
    const x86_op_mem& mem = x86.operands[0].mem;
    c.paging = X86Insn::kInvlpg;
    c.base = x86_general(mem.base);
    c.index = x86_general(mem.index);
    c.scale = static_cast<uint8_t>(mem.scale);
    c.segment = x86_segment(mem);
    c.displacement = mem.disp;
    c.ip_relative = mem.base == X86_REG_RIP || mem.base == X86_REG_EIP;
    c.address_bits = static_cast<uint8_t>(x86.addr_size * 8);
  }
  return c;
}

}  // namespace perfboard
