// SPDX-License-Identifier: GPL-2.0-or-later
//
// Classes of x86 instructions, by capstone's names and groups.
#include <capstone/capstone.h>

#include <string_view>

#include "plugins/isa/x86/insn.h"

namespace perfboard {
namespace {

#if CS_API_MAJOR < 5
constexpr unsigned kUd1 = X86_INS_UD2B;  // capstone 4's name
#else
constexpr unsigned kUd1 = X86_INS_UD1;
#endif

bool begins(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }
bool ends(std::string_view text, std::string_view with) {
  return text.size() >= with.size() && text.substr(text.size() - with.size()) == with;
}

struct Operands {
  bool memory = false, memory_first = false, vector = false, special = false;
};

bool is_vector(unsigned reg) {
  return (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM31) || (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM31) ||
         (reg >= X86_REG_ZMM0 && reg <= X86_REG_ZMM31) || (reg >= X86_REG_MM0 && reg <= X86_REG_MM7);
}
bool is_special(unsigned reg) {
  return (reg >= X86_REG_CR0 && reg <= X86_REG_CR15) || (reg >= X86_REG_DR0 && reg <= X86_REG_DR15) ||
         reg == X86_REG_CS || reg == X86_REG_DS || reg == X86_REG_ES || reg == X86_REG_FS ||
         reg == X86_REG_GS || reg == X86_REG_SS;
}

Operands operands_of(const cs_x86& x86) {
  Operands o;
  for (unsigned i = 0; i < x86.op_count; ++i) {
    const cs_x86_op& op = x86.operands[i];
    if (op.type == X86_OP_MEM) {
      o.memory = true;
      o.memory_first |= i == 0;
    } else if (op.type == X86_OP_REG) {
      o.vector |= is_vector(op.reg);
      o.special |= is_special(op.reg);
    }
  }
  return o;
}

struct Named {
  std::string_view begins;
  Op op;
};
template <size_t kSize>
Op by_name(std::string_view name, const Named (&names)[kSize], Op other) {
  for (const Named& n : names)
    if (begins(name, n.begins)) return n.op;
  return other;
}

// Without the leading f of the x87, or the v of AVX and the suffix of SSE.
constexpr Named kArithmetic[] = {
    {"add", Op::kFloatAdd},           {"iadd", Op::kFloatAdd},           {"sub", Op::kFloatAdd},
    {"isub", Op::kFloatAdd},          {"mul", Op::kFloatMultiply},       {"imul", Op::kFloatMultiply},
    {"div", Op::kFloatDivide},        {"idiv", Op::kFloatDivide},        {"sqrt", Op::kFloatRoot},
    {"com", Op::kFloatCompare},       {"ucom", Op::kFloatCompare},       {"icom", Op::kFloatCompare},
    {"cmp", Op::kFloatCompare},       {"tst", Op::kFloatCompare},        {"cvt", Op::kFloatConvert},
    {"round", Op::kFloatConvert},     {"rndint", Op::kFloatConvert},     {"fmadd", Op::kFloatMultiplyAdd},
    {"fmsub", Op::kFloatMultiplyAdd}, {"fnmadd", Op::kFloatMultiplyAdd}, {"fnmsub", Op::kFloatMultiplyAdd},
};

Op x87_op(std::string_view name, const Operands& o) {
  if (o.memory && (begins(name, "fld") || name == "fild" || name == "fbld"))
    return name == "fldcw" || name == "fldenv" ? Op::kFloatMove : Op::kFloatLoad;
  if (o.memory && (name == "fst" || name == "fstp" || begins(name, "fist") || name == "fbstp"))
    return Op::kFloatStore;
  return by_name(name.substr(1), kArithmetic, Op::kFloatMove);
}

Op sse_op(std::string_view name, const Operands& o) {
  if (begins(name, "v")) name.remove_prefix(1);
  const bool scalar = ends(name, "ss") || ends(name, "sd") || begins(name, "comis") ||
                      begins(name, "ucomis") || begins(name, "cvts") || begins(name, "cvtts");
  if (scalar) {
    const Op op = by_name(name, kArithmetic, Op::kFloatMove);
    if (op != Op::kFloatMove || !o.memory) return op;
    return o.memory_first ? Op::kFloatStore : Op::kFloatLoad;
  }
  if (!o.memory || begins(name, "prefetch")) return Op::kVector;
  return o.memory_first ? Op::kVectorStore : Op::kVectorLoad;
}

std::string_view without_repeat(std::string_view name) {
  if (begins(name, "rep")) name.remove_prefix(name.find(' ') + 1);
  return name;
}

Op by_access(const Operands& o, bool reads_only, bool writes_only) {
  if (!o.memory_first || reads_only) return Op::kLoad;
  return writes_only ? Op::kStore : Op::kLoadStore;
}

}  // namespace

Op x86_op(const cs_insn* insn, bool branch) {
  const std::string_view name = without_repeat(insn->mnemonic);
  const cs_x86& x86 = insn->detail->x86;
  const Operands o = operands_of(x86);
  if (branch) return Op::kBranch;
  switch (insn->id) {
    case X86_INS_INT:
    case X86_INS_SYSCALL:
    case X86_INS_SYSENTER:
      return Op::kSystemCall;
    case X86_INS_INT1:
    case X86_INS_INT3:
    case X86_INS_INTO:
    case X86_INS_UD0:
    case X86_INS_UD2:
    case kUd1:
    case X86_INS_BOUND:
      return Op::kTrap;
    case X86_INS_MUL:
    case X86_INS_IMUL:
      return Op::kMultiply;
    case X86_INS_DIV:
    case X86_INS_IDIV:
      return Op::kDivide;
    case X86_INS_LFENCE:
    case X86_INS_SFENCE:
    case X86_INS_MFENCE:
      return Op::kSync;
    case X86_INS_CLFLUSH:
    case X86_INS_CLFLUSHOPT:
    case X86_INS_WBINVD:
    case X86_INS_INVD:
      return Op::kCache;
    case X86_INS_PUSHF:
    case X86_INS_PUSHFD:
    case X86_INS_PUSHFQ:
    case X86_INS_PUSHAW:
    case X86_INS_PUSHAL:
    case X86_INS_ENTER:
      return Op::kStore;
    case X86_INS_POPF:
    case X86_INS_POPFD:
    case X86_INS_POPFQ:
    case X86_INS_POPAW:
    case X86_INS_POPAL:
    case X86_INS_LEAVE:
    case X86_INS_XLATB:
      return Op::kLoad;
    case X86_INS_PUSH:
      return o.memory ? Op::kLoadStore : Op::kStore;
    case X86_INS_POP:
      return o.memory ? Op::kLoadStore : Op::kLoad;
    case X86_INS_LEA:
    case X86_INS_NOP:
      return Op::kInteger;
    case X86_INS_CPUID:
    case X86_INS_RDTSC:
    case X86_INS_RDTSCP:
    case X86_INS_RDMSR:
    case X86_INS_RDPMC:
    case X86_INS_WRMSR:
    case X86_INS_XGETBV:
    case X86_INS_XSETBV:
      return Op::kSpecial;
    case X86_INS_RSM:
      return Op::kSystem;
    case X86_INS_EMMS:
    case X86_INS_FEMMS:
    case X86_INS_LDMXCSR:
    case X86_INS_STMXCSR:
    case X86_INS_VLDMXCSR:
    case X86_INS_VSTMXCSR:
      return Op::kFloatMove;
    case X86_INS_VZEROUPPER:
    case X86_INS_VZEROALL:
      return Op::kVector;
    case X86_INS_MASKMOVQ:
    case X86_INS_MASKMOVDQU:
    case X86_INS_VMASKMOVDQU:
      return Op::kVectorStore;
    default:
      break;
  }
  if (begins(name, "prefetch") || name == "wbnoinvd") return Op::kCache;
  if (o.vector) return sse_op(name, o);
  if (name[0] == 'f' && name != "femms") return x87_op(name, o);
  if (o.special) return Op::kSpecial;
  if (begins(name, "ins") || begins(name, "outs") || begins(name, "in ") || name == "in" || name == "out" ||
      name == "hlt" || name == "cli" || name == "sti" || name == "invlpg" || name == "invpcid" ||
      name == "swapgs" || begins(name, "lgdt") || begins(name, "lidt") || begins(name, "sgdt") ||
      begins(name, "sidt") || name == "ltr" || name == "lldt" || name == "lmsw" || name == "clts" ||
      begins(name, "sysret") || begins(name, "sysexit") || begins(name, "xsave") || begins(name, "xrstor"))
    return Op::kSystem;
  if (x86.op_count == 2 && x86.operands[0].type == X86_OP_MEM && x86.operands[1].type == X86_OP_MEM)
    return begins(name, "cmps") ? Op::kLoad : Op::kLoadStore;  // MOVS
  if (!o.memory) return Op::kInteger;
  const bool compares =
      begins(name, "cmps") || begins(name, "scas") || name == "cmp" || name == "test" || name == "bt";
  const bool writes = begins(name, "mov") || begins(name, "stos") || begins(name, "set");
  return by_access(o, compares, writes);
}

}  // namespace perfboard
