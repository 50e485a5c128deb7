// SPDX-License-Identifier: GPL-2.0-or-later
//
// An x86 instruction's registers and accesses: by capstone's register access, and by opcode what capstone 4
// does not know, or capstone 5 says otherwise: counts are the same with both.
#include "plugins/isa/operands.h"

#include <string_view>
#include <utility>

#include "plugins/isa/x86/decoder.h"
#include "plugins/isa/x86/insn.h"
#include "plugins/isa/x86/opcode.h"
#include "plugins/isa/x86/x87.h"

namespace perfboard {
namespace {

constexpr unsigned kNone = kModelRegisters;
constexpr unsigned kRax = kGeneral0, kRcx = kGeneral0 + 1, kRdx = kGeneral0 + 2, kRbx = kGeneral0 + 3,
                   kRsp = kGeneral0 + 4, kRbp = kGeneral0 + 5, kRdi = kGeneral0 + 7, kFlags = kCondition0;
constexpr unsigned kAllOfMany = 255;  // accesses

unsigned model_register(unsigned reg) {
  if (const int8_t general = x86_general(reg); general != kNoRegister) return kGeneral0 + general;
  switch (reg) {
    case X86_REG_AL:
    case X86_REG_AH:
      return kRax;
    case X86_REG_CL:
    case X86_REG_CH:
      return kRcx;
    case X86_REG_DL:
    case X86_REG_DH:
      return kRdx;
    case X86_REG_BL:
    case X86_REG_BH:
      return kRbx;
    case X86_REG_SPL:
      return kRsp;
    case X86_REG_BPL:
      return kRbp;
    case X86_REG_SIL:
      return kGeneral0 + 6;
    case X86_REG_DIL:
      return kRdi;
    case X86_REG_EFLAGS:
      return kFlags;
    case X86_REG_FPSW:
      return kFloatStatus;
    default:
      break;
  }
  if (reg >= X86_REG_R8B && reg <= X86_REG_R15B) return kGeneral0 + 8 + (reg - X86_REG_R8B);
  if (reg >= X86_REG_MM0 && reg <= X86_REG_MM7) return kFloat0 + (reg - X86_REG_MM0);
  if (const int vector = x86_vector(reg); vector >= 0) return kFloat0 + 32 + static_cast<unsigned>(vector);
  if (reg >= X86_REG_CR0 && reg <= X86_REG_DR15) return kOtherSpecial;
  return kNone;
}

// Through RSP, as part of what the instruction is.
bool uses_stack(const X86Opcode& x) {
  if (x.map == 1)
    return x.opcode == 0xa0 || x.opcode == 0xa1 || x.opcode == 0xa8 || x.opcode == 0xa9;  // PUSH FS
  if (x.map != 0) return false;
  if (x.opcode >= 0x50 && x.opcode <= 0x61) return true;  // PUSH POP PUSHA POPA
  switch (x.opcode) {
    case 0x06:  // PUSH and POP of segments
    case 0x07:
    case 0x0e:
    case 0x16:
    case 0x17:
    case 0x1e:
    case 0x1f:
    case 0x68:  // PUSH
    case 0x6a:
    case 0x8f:  // POP
    case 0x9a:  // CALL
    case 0x9c:  // PUSHF POPF
    case 0x9d:
    case 0xc2:  // RET
    case 0xc3:
    case 0xc8:  // ENTER
    case 0xca:  // RETF
    case 0xcb:
    case 0xcf:  // IRET
    case 0xe8:  // CALL
      return true;
    case 0xff:
      return x.middle() == 2 || x.middle() == 3 || x.middle() == 6;
    default:
      return false;
  }
}

bool is_string(const X86Opcode& x) {
  return x.map == 0 && ((x.opcode >= 0x6c && x.opcode <= 0x6f) || (x.opcode >= 0xa4 && x.opcode <= 0xa7) ||
                        (x.opcode >= 0xaa && x.opcode <= 0xaf));
}

// Besides: those that enter and leave the system, and the fence that waits for loads.
bool serializes(const X86Opcode& x, const ModelInsn& insn) {
  if (x.map == 0)
    return insn.returns || insn.op == Op::kSystemCall || x.opcode == 0xcc || x.opcode == 0xce ||
           x.opcode == 0xf1;                                                   // INT3 INTO INT1
  return x.serializes() || x.is(1, 0x05) || x.is(1, 0x07) || x.is(1, 0x34) ||  // SYSCALL SYSRET SYSENTER
         x.is(1, 0x35) || (x.is(1, 0xae) && !x.memory() && x.middle() == 5);   // SYSEXIT LFENCE
}

// INFERRED: what POWER calls branches to the link and to the count register are here returns, and jumps and
// calls to where a register or memory says.
void branch(const X86Opcode& x, Operands& o, ModelInsn& insn) {
  insn.branch = true;
  const bool one = x.map == 0;
  insn.link = one && (x.opcode == 0xe8 || x.opcode == 0x9a || (x.opcode == 0xff && (x.middle() & 6) == 2));
  if ((one && x.opcode >> 4 == 0x7) || (x.map == 1 && x.opcode >> 4 == 0x8) || x.is(0, 0xe3)) {
    insn.conditional = true;  // Jcc JCXZ
    insn.needs = kNeedsCondition;
  } else if (one && x.opcode >= 0xe0 && x.opcode <= 0xe2) {  // LOOPNE LOOPE LOOP
    insn.conditional = true;
    insn.needs = kNeedsCount | (x.opcode == 0xe2 ? kNeedsNothing : kNeedsCondition);
    o.write(kCount);
  } else if (one && (x.opcode == 0xc2 || x.opcode == 0xc3 || x.opcode == 0xca || x.opcode == 0xcb)) {
    insn.needs = kNeedsLink;
  } else if (x.is(0, 0xff)) {
    insn.needs = kNeedsCount;
  }
}

// Accesses of what is not simply a load or a store of one operand.
void accesses(const X86Opcode& x, bool memory, bool written, unsigned bits, const uint8_t* end,
              ModelInsn& insn) {
  const auto set = [&insn](unsigned loads, unsigned stores) {
    insn.loads = static_cast<uint8_t>(loads);
    insn.stores = static_cast<uint8_t>(stores);
  };
  switch (insn.op) {
    case Op::kLoad:
    case Op::kFloatLoad:
    case Op::kVectorLoad:
      set(1, 0);
      break;
    case Op::kStore:
    case Op::kFloatStore:
    case Op::kVectorStore:
      set(0, 1);
      break;
    case Op::kLoadStore:
      set(1, 1);
      break;
    case Op::kInteger:  // LEA and hints access nothing
    case Op::kCache:
      break;
    default:
      if (memory) set(!written, written);
      break;
  }
  if (x.map == 1) {
    const bool state =
        (x.opcode == 0xae && memory && (x.middle() < 2 || (x.middle() >= 4 && x.middle() < 7))) ||
        (x.opcode == 0xc7 && memory && x.middle() >= 3 && x.middle() <= 5);
    const bool restores = x.opcode == 0xae ? x.middle() == 1 || x.middle() == 5 : x.middle() == 3;
    if (state && insn.op != Op::kCache)
      set(restores ? kAllOfMany : 0, restores ? 0 : kAllOfMany);  // FXSAVE XSAVE
    if (x.opcode == 0x01 && memory && x.middle() < 4)
      set(x.middle() < 2 ? 0 : 2, x.middle() < 2 ? 2 : 0);         // LGDT
    if (x.opcode == 0x01 && memory && x.middle() == 7) set(0, 0);  // INVLPG
    if (x.opcode == 0xae && memory && x.middle() == 3) set(0, 1);  // STMXCSR
    return;
  }
  if (x.map != 0) return;
  switch (x.opcode) {
    case 0x60:  // PUSHA
      return set(0, 8);
    case 0x61:  // POPA
      return set(8, 0);
    case 0x62:  // BOUND
      return set(2, 0);
    case 0x6c:  // INS
    case 0x6d:
      return set(0, 1);
    case 0x6e:  // OUTS
    case 0x6f:
      return set(1, 0);
    case 0x9a:  // CALL far
      return set(0, 2);
    case 0xa6:  // CMPS
    case 0xa7:
      return set(2, 0);
    case 0xc2:
    case 0xc3:  // RET
      return set(1, 0);
    case 0xc8:  // ENTER, by its level
      return set(end[-1] & 31 ? (end[-1] & 31) - 1 : 0, 1 + (end[-1] & 31));
    case 0xca:
    case 0xcb:  // RETF
      return set(2, 0);
    case 0xcf:  // IRET: of the same privilege in 16 and 32-bit code
      return set(bits == 64 ? 5 : 3, 0);
    case 0xd9:
    case 0xdd:  // FLDENV FRSTOR, FNSTENV FNSAVE
      if (memory && x.middle() == 4) set(kAllOfMany, 0);
      if (memory && x.middle() == 6) set(0, kAllOfMany);
      return;
    case 0xe8:  // CALL
      return set(0, 1);
    case 0xff:
      if (x.middle() == 2) set(memory, 1);                                          // CALL
      if (x.middle() == 3) set(2, 2);                                               // CALL far
      if (x.middle() == 4 || x.middle() == 5) set(memory ? x.middle() - 3 : 0, 0);  // JMP
      return;
    default:
      return;
  }
}

// Registers that capstone 4 leaves out, or names without need.
void left_out(const X86Opcode& x, Operands& o) {
  switch (x.map << 8 | x.opcode) {
    case 0x1b0:  // CMPXCHG
    case 0x1b1:
      o.write(kRax);
      o.write(kFlags);
      break;
    case 0x1c0:  // XADD
    case 0x1c1:
      o.write(kFlags);
      break;
    case 0x1ae:  // LDMXCSR STMXCSR
      if (x.memory() && x.middle() == 2) o.write(kFloatStatus);
      if (x.memory() && x.middle() == 3) o.read(kFloatStatus);
      break;
    case 0x1c7:  // CMPXCHG8B
      if (x.memory() && x.middle() == 1) o.read(kRbx);
      break;
    case 0x0c0:
    case 0x0c1:
    case 0x0d0:
    case 0x0d1:
    case 0x0d2:
    case 0x0d3:  // RCL RCR
      if (x.middle() == 2 || x.middle() == 3) o.read(kFlags);
      break;
    case 0x0c8:  // ENTER
      o.read(kRbp);
      o.write(kRbp);
      break;
    case 0x027:
    case 0x02f:
    case 0x037:
    case 0x03f:  // DAA DAS AAA AAS
      o.read(kFlags);
      [[fallthrough]];
    case 0x0d4:
    case 0x0d5:  // AAM AAD
      o.read(kRax);
      o.write(kRax);
      o.write(kFlags);
      break;
    case 0x0d7:  // XLAT
      o.write(kRax);
      break;
    case 0x360:  // PCMPESTRM PCMPISTRM
    case 0x362:
      o.write(kFloat0 + 32);
      o.write(kFlags);
      break;
    case 0x130:  // WRMSR
      o.write(kOtherSpecial);
      break;
    case 0x132:  // RDMSR
      o.read(kOtherSpecial);
      break;
    default:
      break;
  }
}

// What the two releases of capstone say otherwise, from the processor's manual. False: as capstone says.
bool by_manual(const X86Opcode& x, const cs_x86& x86, Operands& o) {
  unsigned reg[2] = {kNone, kNone}, n = 0;  // operands that are registers, in order
  for (unsigned i = 0; i < x86.op_count && n < 2; ++i)
    if (x86.operands[i].type == X86_OP_REG)
      if (const unsigned r = model_register(x86.operands[i].reg); r != kNone) reg[n++] = r;
  const auto read_all = [&] {
    for (unsigned i = 0; i < n; ++i) o.read(reg[i]);
  };
  const unsigned opcode = static_cast<unsigned>(x.map << 8 | x.opcode);
  if (opcode == 0x360) {  // PCMPESTRM
    o.read(kRax);
    o.read(kRdx);
  }
  if (x.vex) return false;
  if (opcode == 0x84 || opcode == 0x85 || opcode == 0xa8 || opcode == 0xa9 ||
      ((opcode | 1) == 0xf7 && x.middle() < 2)) {  // TEST: its results are flags alone
    read_all();
    o.write(kFlags);
    return true;
  }
  if ((opcode | 1) == 0x87 ||
      (opcode > 0x90 && opcode < 0x98)) {  // XCHG: which operand is first means nothing
    if (n == 2 && reg[0] > reg[1]) std::swap(reg[0], reg[1]);
    read_all();
    for (unsigned i = 0; i < n; ++i) o.write(reg[i]);
    return true;
  }
  if (opcode >> 4 == 0x14) {  // CMOV: what it does not move stays
    o.read(kFlags);
    read_all();
    if (n) o.write(reg[0]);
    return true;
  }
  if (opcode >= 0x1c8 && opcode <= 0x1cf) {  // BSWAP, of 16 bits, too
    read_all();
    if (n) o.write(reg[0]);
    return true;
  }
  if (opcode == 0x1c7 && x.prefix == X86Opcode::kF3 && !x.memory() && x.middle() == 7) {  // RDPID
    if (n) o.write(reg[0]);
    return true;
  }
  return x.writes_back();
}

void address(const X86Opcode& x, const cs_x86& x86, bool accessed, Operands& o) {
  for (unsigned i = 0; i < x86.op_count; ++i) {
    if (x86.operands[i].type != X86_OP_MEM) continue;
    for (const unsigned reg : {x86.operands[i].mem.base, x86.operands[i].mem.index})
      if (const unsigned r = model_register(reg); r != kNone) accessed ? o.address(r) : o.read(r);
  }
  if (uses_stack(x)) {
    o.address(kRsp);
    o.write(kRsp);
  }
  if (x.is(0, 0xc9)) o.address(kRbp);                 // LEAVE
  if (x.is(1, 0xf7) && !x.memory()) o.address(kRdi);  // MASKMOVDQU
  if (x.is(0, 0xd7)) {                                // XLAT
    o.address(kRbx);
    o.address(kRax);
  }
}

bool ends(std::string_view text, std::string_view with) {
  return text.size() >= with.size() && text.substr(text.size() - with.size()) == with;
}

}  // namespace

ModelInsn x86_operands(const uint8_t* code, size_t size, unsigned bits) {
  ModelInsn insn;
  const X86Insn c = classify_x86(code, size, bits);
  insn.op = c.op;
  insn.bytes = c.bytes;
  insn.repeats = c.repeated;
  X86Decoder& decoder = X86Decoder::of(bits);
  const cs_insn* const decoded = decoder.decode(code, size).insn;
  if (!decoded) return insn;
  const cs_x86& x86 = decoded->detail->x86;
  const X86Opcode x = x86_opcode(code, size, bits);
  insn.opcode = static_cast<uint32_t>(x.map) << 8 | x.opcode;
  const bool x87 = x.map == 0 && x.opcode >= 0xd8 && x.opcode <= 0xdf, string = is_string(x);
  const bool hint = decoded->id == X86_INS_NOP || x.hint(),
             empties = decoded->id == X86_INS_VZEROUPPER || decoded->id == X86_INS_VZEROALL;
  if (hint || empties) return insn;
  Operands o(&insn);
  bool memory = false, written = false;
  for (unsigned i = 0; i < x86.op_count; ++i)
    if (x86.operands[i].type == X86_OP_MEM) {
      memory = true;
      written |= (x86.operands[i].access & CS_AC_READ) == 0;
    }
  address(x, x86, decoded->id != X86_INS_LEA, o);
  cs_regs read, write;
  uint8_t reads = 0, writes = 0;
  if (x87) {
    const X87Memory what = x87_operands(x.opcode, x.modrm, o);
    written = what == X87Memory::kWritten;
  } else if (!by_manual(x, x86, o) &&
             cs_regs_access(decoder.handle(), decoded, read, &reads, write, &writes) == CS_ERR_OK) {
    // The direction of strings, and what sets it, is no result of arithmetic.
    const bool direction = string || decoded->id == X86_INS_CLD || decoded->id == X86_INS_STD;
    const bool compares = x.map == 0 && ((x.opcode | 1) == 0xa7 || (x.opcode | 1) == 0xaf);
    for (unsigned i = 0; i < reads; ++i)
      if (const unsigned r = model_register(read[i]); r != kNone && !(direction && r == kFlags)) o.read(r);
    for (unsigned i = 0; i < writes; ++i)
      if (const unsigned r = model_register(write[i]); r != kNone && !(direction && !compares && r == kFlags))
        o.write(r);
  }
  left_out(x, o);
  insn.returns = x.is(0, 0xcf) || x.is(1, 0x07) || x.is(1, 0x35) || x.is(1, 0xaa);  // IRET SYSRET SYSEXIT RSM
  if (c.branch) branch(x, o, insn);
  accesses(x, memory, written, bits, code + c.bytes, insn);
  insn.update = (uses_stack(x) || string) && !insn.branch;
  insn.serializes = serializes(x, insn);
  const std::string_view name = decoded->mnemonic;
  insn.single =
      !x87 && insn.op >= Op::kFloatAdd && insn.op <= Op::kFloatConvert &&
      (ends(name, "ss") || name == "comiss" || name == "vcomiss" || name == "ucomiss" || name == "vucomiss");
  o.finish();
  return insn;
}

}  // namespace perfboard
