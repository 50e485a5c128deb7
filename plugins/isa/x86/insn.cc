// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/isa/x86/insn.h"

#include <capstone/capstone.h>

#include <cstring>

namespace perfboard {
namespace {

// A decoder for one thread: capstone's handles are not to be shared.
class Decoder {
 public:
  explicit Decoder(cs_mode mode) {
    if (cs_open(CS_ARCH_X86, mode, &handle_) != CS_ERR_OK) return;
    cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON);
    insn_ = cs_malloc(handle_);
  }
  ~Decoder() {
    if (insn_) cs_free(insn_, 1);
    if (handle_) cs_close(&handle_);
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  const cs_insn* decode(const uint8_t* code, size_t size) {
    uint64_t address = 0;
    return insn_ && cs_disasm_iter(handle_, &code, &size, &address, insn_) ? insn_ : nullptr;
  }
  bool in_group(const cs_insn* insn, uint8_t group) const { return cs_insn_group(handle_, insn, group); }

 private:
  csh handle_ = 0;
  cs_insn* insn_ = nullptr;
};

Decoder& decoder(unsigned bits) {
  static thread_local Decoder d16(CS_MODE_16), d32(CS_MODE_32), d64(CS_MODE_64);
  return bits == 16 ? d16 : bits == 32 ? d32 : d64;
}

// Segment and repeat prefixes do not change the classes. Where such a prefix means nothing the processor
// ignores it, but capstone refuses some of these instructions.
bool idle_prefix(uint8_t b) { return is_prefix(b) && b != 0x66 && b != 0x67 && b != 0xf0; }

struct Decoded {
  const cs_insn* insn;
  size_t bytes;  // with what had to be left out
};

Decoded decode(Decoder& d, const uint8_t* code, size_t size) {
  if (const cs_insn* insn = d.decode(code, size)) return {insn, insn->size};
  uint8_t bare[15];
  size_t n = 0, i = 0;
  for (; i < size && is_prefix(code[i]) && n < sizeof bare; ++i)
    if (!idle_prefix(code[i])) bare[n++] = code[i];
  const size_t left_out = i - n;
  if (left_out == 0) return {nullptr, 0};
  for (; i < size && n < sizeof bare; ++i) bare[n++] = code[i];
  const cs_insn* insn = d.decode(bare, n);
  return {insn, insn ? insn->size + left_out : 0};
}

int8_t number_of(unsigned reg) {
  switch (reg) {
#define REGISTER(n, a, b, c) \
  case X86_REG_##a:          \
  case X86_REG_##b:          \
  case X86_REG_##c:          \
    return n
    REGISTER(0, RAX, EAX, AX);
    REGISTER(1, RCX, ECX, CX);
    REGISTER(2, RDX, EDX, DX);
    REGISTER(3, RBX, EBX, BX);
    REGISTER(4, RSP, ESP, SP);
    REGISTER(5, RBP, EBP, BP);
    REGISTER(6, RSI, ESI, SI);
    REGISTER(7, RDI, EDI, DI);
    REGISTER(8, R8, R8D, R8W);
    REGISTER(9, R9, R9D, R9W);
    REGISTER(10, R10, R10D, R10W);
    REGISTER(11, R11, R11D, R11W);
    REGISTER(12, R12, R12D, R12W);
    REGISTER(13, R13, R13D, R13W);
    REGISTER(14, R14, R14D, R14W);
    REGISTER(15, R15, R15D, R15W);
#undef REGISTER
    default:
      return kNoRegister;
  }
}

int8_t segment_of(const x86_op_mem& mem) {
  switch (mem.segment) {
    case X86_REG_ES:
      return 0;
    case X86_REG_CS:
      return 1;
    case X86_REG_SS:
      return 2;
    case X86_REG_DS:
      return 3;
    case X86_REG_FS:
      return 4;
    case X86_REG_GS:
      return 5;
    default:
      break;
  }
  const int8_t base = number_of(mem.base);
  return base == 4 || base == 5 ? 2 : 3;  // by SP or BP: the stack's
}

bool is_branch(const Decoder& d, const cs_insn* insn) {
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

Operands operands_of(const cs_x86& x86) {
  Operands o;
  for (unsigned i = 0; i < x86.op_count; ++i) {
    const cs_x86_op& op = x86.operands[i];
    if (op.type == X86_OP_MEM) {
      o.memory++;
      o.memory_first |= i == 0;
    }
  }
  // MOV to and from segment, control and debug registers.
  const uint8_t a = x86.opcode[0], b = x86.opcode[1];
  o.only_plain = !(a == 0x8c || a == 0x8e || (a == 0x0f && b >= 0x20 && b <= 0x26));
  return o;
}

// Whether at most one access to memory is made.
bool is_single(const cs_insn* insn, const Operands& o) {
  if (!o.only_plain) return false;
  switch (insn->id) {
    case X86_INS_PUSH:
    case X86_INS_CALL:
      return o.memory == 0;
    case X86_INS_POP:
      return o.memory == 0 && insn->detail->x86.operands[0].size >= 2 &&
             number_of(insn->detail->x86.operands[0].reg) != kNoRegister;
    case X86_INS_RET:
    case X86_INS_LEAVE:
    case X86_INS_JMP:
      return true;
    case X86_INS_CMP:
    case X86_INS_TEST:
    case X86_INS_MOV:
    case X86_INS_MOVABS:
      return true;
    default:
      return is_simple(insn->id) && (o.memory == 0 || !o.memory_first);
  }
}

}  // namespace

X86Insn classify_x86(const uint8_t* code, size_t size, unsigned bits) {
  X86Insn c;
  Decoder& d = decoder(bits);
  const Decoded found = decode(d, code, size);
  c.several = true;
  if (!found.insn) return c;
  const cs_insn* insn = found.insn;
  const cs_x86& x86 = insn->detail->x86;
  const Operands o = operands_of(x86);
  bool locked = false;
  size_t at = 0;
  for (; at < size && is_prefix(code[at]); ++at) {
    c.repeated |= code[at] == 0xf2 || code[at] == 0xf3;
    locked |= code[at] == 0xf0;
  }
  if (bits == 64 && at + 1 < size && (code[at] & 0xf0) == 0x40) ++at;  // REX
  c.bytes = static_cast<uint8_t>(found.bytes);
  c.branch = is_branch(d, insn);
  c.op = x86_op(insn, c.branch);
  c.string = string_of(code[at]);
  c.repeated &= c.string != X86Insn::kNoString;
  // Of the hints only these two are harmless: QEMU takes others as bounds checks (MPX), which can fault.
  const bool nop = insn->id == X86_INS_NOP && (x86.opcode[0] == 0x90 || x86.opcode[1] == 0x1f);
  c.quiet = !locked && o.only_plain &&
            (insn->id == X86_INS_LEA || nop || (o.memory == 0 && is_simple_in_registers(insn->id)));
  c.several = !c.quiet && !is_single(insn, o);
  if (x86.opcode[0] != 0x0f) return c;
  if (x86.opcode[1] == 0x22) {
    c.paging = X86Insn::kWritesCr;
    c.cr = static_cast<uint8_t>((x86.modrm >> 3 & 7) | (bits == 64 && x86.rex & 4 ? 8 : 0));
    c.base = number_of(x86.operands[1].reg);
  } else if (insn->id == X86_INS_INVPCID) {
    c.paging = X86Insn::kInvpcid;
  } else if (insn->id == X86_INS_INVLPG && o.memory == 1) {
    const x86_op_mem& mem = x86.operands[0].mem;
    c.paging = X86Insn::kInvlpg;
    c.base = number_of(mem.base);
    c.index = number_of(mem.index);
    c.scale = static_cast<uint8_t>(mem.scale);
    c.segment = segment_of(mem);
    c.displacement = mem.disp;
    c.ip_relative = mem.base == X86_REG_RIP || mem.base == X86_REG_EIP;
    c.address_bits = static_cast<uint8_t>(x86.addr_size * 8);
  }
  return c;
}

}  // namespace perfboard
