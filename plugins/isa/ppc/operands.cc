// SPDX-License-Identifier: GPL-2.0-or-later
//
// A POWER instruction's registers and accesses, by its form (form.h) and, where that does not say it all, its
// opcode.
#include "plugins/isa/operands.h"

#include "plugins/isa/ppc/form.h"
#include "plugins/isa/ppc/insn.h"

namespace perfboard {
namespace {

constexpr unsigned field_t(uint32_t word) { return word >> 21 & 31; }
constexpr unsigned field_a(uint32_t word) { return word >> 16 & 31; }
constexpr unsigned field_b(uint32_t word) { return word >> 11 & 31; }
constexpr unsigned field_c(uint32_t word) { return word >> 6 & 31; }
constexpr unsigned condition(unsigned bit) { return kCondition0 + (bit >> 2); }

constexpr unsigned kVector0 = kFloat0 + 32;  // VSR32
constexpr unsigned kUnknownCount = 255;

// The sixth bits of vector-scalar registers lie at the word's end, each at its place; T's elsewhere in some.
unsigned field_xt(uint32_t word) {
  const unsigned t = field_t(word), primary = ppc_primary(word), extended = ppc_extended(word);
  if (primary == 6 || (primary == 31 && (extended == 333 || extended == 461)))
    return (t & 1) << 5 | (t & 30);                            // lxvp stxvp lxvpx stxvpx
  return (primary == 61 ? word >> 3 & 1 : word & 1) << 5 | t;  // lxv stxv
}
unsigned field_xa(uint32_t word) { return (word >> 2 & 1) << 5 | field_a(word); }
unsigned field_xb(uint32_t word) { return (word >> 1 & 1) << 5 | field_b(word); }
unsigned field_xc(uint32_t word) { return (word >> 3 & 1) << 5 | field_c(word); }

unsigned special_register(uint32_t word) { return field_a(word) | field_b(word) << 5; }
// A special register by its number; those that have none of their own share one.
unsigned model_register(unsigned special) {
  switch (special) {
    case 1:
      return kException;
    case 8:
      return kLink;
    case 9:
      return kCount;
    default:
      return kOtherSpecial;
  }
}

// Registers in a row, from `first` of the `of` that begin at `base`; no illegal number leaves these.
struct Some {
  unsigned base, of, first, n;
  template <class Each>
  void each(Each do_it) const {
    for (unsigned i = 0; i < n; ++i) do_it(base + (first + i) % of);
  }
};
Some general(unsigned first, unsigned n = 1) { return {kGeneral0, 32, first, n}; }
Some floating(unsigned first, unsigned n = 1) { return {kFloat0, 32, first, n}; }
Some vector(unsigned first) { return {kVector0, 32, first, 1}; }
Some scalar(unsigned first, unsigned n = 1) { return {kFloat0, 64, first, n}; }
Some accumulator(uint32_t word) { return {kFloat0, 32, field_t(word) & 28, 4}; }

// xt: the vector-scalar register T.
void reads_by_form(Form form, uint32_t word, unsigned xt, Operands& o) {
  using namespace form;
  const unsigned t = field_t(word), a = field_a(word), b = field_b(word), c = field_c(word);
  const auto has = [form](Form which) { return (form & which) != 0; };
  const unsigned pair_t = has(kPairT) ? 2 : 1, pair_a = has(kPairA) ? 2 : 1, pair_b = has(kPairB) ? 2 : 1;
  const auto read = [&o](Some some) { some.each([&o](unsigned reg) { o.read(reg); }); };
  if (has(kUpdate) || (has(kBase) && a != 0)) o.address(kGeneral0 + a);
  if (has(kIndex)) o.address(kGeneral0 + b);
  if (has(kReadGa) || (has(kReadGz) && a != 0)) read(general(a));
  if (has(kReadGb)) read(general(b));
  if (has(kReadGt)) read(general(t, pair_t));
  if (has(kReadGc)) read(general(c));
  if (has(kReadFa)) read(floating(a, pair_a));
  if (has(kReadFb)) read(floating(b, pair_b));
  if (has(kReadFc)) read(floating(c));
  if (has(kReadFt)) read(floating(t, pair_t));
  if (has(kReadVa)) read(vector(a));
  if (has(kReadVb)) read(vector(b));
  if (has(kReadVc)) read(vector(c));
  if (has(kReadVt)) read(vector(t));
  if (has(kReadXa)) read(scalar(field_xa(word), pair_a));
  if (has(kReadXb)) read(scalar(field_xb(word)));
  if (has(kReadXc)) read(scalar(field_xc(word)));
  if (has(kReadXt)) read(scalar(xt, pair_t));
  if (has(kReadAcc)) read(accumulator(word));
  if (has(kReadBfa | kReadBitA)) o.read(condition(a));
  if (has(kReadBitC)) o.read(condition(c));
  if (has(kReadXer)) o.read(kException);
  if (has(kReadFpscr)) o.read(kFloatStatus);
}

void writes_by_form(Form form, uint32_t word, unsigned xt, Operands& o, ModelInsn& insn) {
  using namespace form;
  const unsigned t = field_t(word);
  const auto has = [form](Form which) { return (form & which) != 0; };
  const unsigned pair = has(kPairT) ? 2 : 1;
  const auto write = [&o](Some some) { some.each([&o](unsigned reg) { o.write(reg); }); };
  if (has(kWriteGt)) write(general(t, pair));
  if (has(kWriteGa | kUpdate)) write(general(field_a(word)));
  if (has(kWriteFt)) write(floating(t, pair));
  if (has(kWriteVt)) write(vector(t));
  if (has(kWriteXt)) write(scalar(xt, pair));
  if (has(kWriteAcc)) write(accumulator(word));
  if (has(kWriteBf)) o.write(condition(t));
  const bool rc = word & 1, bit21 = word >> 10 & 1;
  if (has(kWriteCr0) || (has(kRc0) && rc)) o.write(kCondition0);
  if (has(kRc1) && rc) o.write(kCondition0 + 1);
  if (has(kWriteCr6) || (has(kRc6) && bit21)) o.write(kCondition0 + 6);
  if (has(kWriteXer) || (has(kOe) && bit21)) o.write(kException);
  if (has(kWriteFpscr)) o.write(kFloatStatus);
  insn.record = has(kWriteCr0) || (has(kRc0 | kRc1) && rc);
  insn.update = has(kUpdate);
  insn.single = has(kSingle);
  insn.serializes = has(kSerializes);
}

void branch(uint32_t word, Operands& o, ModelInsn& insn) {
  constexpr unsigned kBclr = 16, kBcctr = 528, kBctar = 560;
  const unsigned primary = ppc_primary(word), bo = field_t(word);
  const unsigned where = primary == 19 ? ppc_extended(word) : 0;
  insn.branch = true;
  if (where && where != kBclr && where != kBcctr && where != kBctar) {
    insn.returns = true;
    return;
  }
  insn.link = word & 1;
  if (primary != 18) {
    const bool tests = !(bo & 16), counts = !(bo & 4) && where != kBcctr;
    if (tests) {
      o.read(condition(field_a(word)));
      insn.needs |= kNeedsCondition;
    }
    if (counts) {
      o.read(kCount);
      o.write(kCount);
      insn.needs |= kNeedsCount;
    }
    insn.conditional = tests || counts;
  }
  if (where == kBclr) {
    o.read(kLink);
    insn.needs |= kNeedsLink;
  } else if (where == kBcctr) {
    o.read(kCount);
    insn.needs |= kNeedsCount;
  } else if (where == kBctar) {
    o.read(kOtherSpecial);
  }
  if (insn.link) o.write(kLink);
}

// Moves from and to condition and special registers.
void special(uint32_t word, Operands& o) {
  constexpr unsigned kMfcr = 19, kMtcrf = 144, kMfspr = 339, kMtspr = 467;
  const auto fields = [word](unsigned mask, auto each) {
    for (unsigned i = 0; i < 8; ++i)
      if (mask & 0x80 >> i) each(kCondition0 + i);
  };
  const unsigned one = word >> 20 & 1, mask = word >> 12 & 255, t = kGeneral0 + field_t(word);
  switch (ppc_extended(word)) {
    case kMfcr:  // mfocrf: one field
      fields(one ? mask : 255, [&o](unsigned reg) { o.read(reg); });
      o.write(t);
      break;
    case kMtcrf:
      o.read(t);
      fields(mask, [&o](unsigned reg) { o.write(reg); });
      break;
    case kMfspr:
      o.read(model_register(special_register(word)));
      o.write(t);
      break;
    case kMtspr:
      o.read(t);
      o.write(model_register(special_register(word)));
      break;
    default:
      break;
  }
}

// Loads and stores of several general registers: how many words; their registers from T on.
unsigned multiple(uint32_t word) {
  constexpr unsigned kLmw = 46, kStmw = 47, kLswx = 533, kLswi = 597, kStswx = 661, kStswi = 725;
  const unsigned primary = ppc_primary(word), extended = ppc_extended(word), bytes = field_b(word);
  if (primary == kLmw || primary == kStmw) return 32 - field_t(word);
  if (primary != 31) return 1;
  if (extended == kLswi || extended == kStswi) return ((bytes ? bytes : 32) + 3) / 4;
  return extended == kLswx || extended == kStswx ? kUnknownCount : 1;  // as many bytes as XER says
}

void load_or_store(uint32_t word, Operands& o, ModelInsn& insn) {
  const unsigned t = field_t(word), n = multiple(word);
  const bool load = insn.op == Op::kLoad || insn.op == Op::kFloatLoad || insn.op == Op::kVectorLoad;
  (load ? insn.loads : insn.stores) = static_cast<uint8_t>(n);
  if (n == kUnknownCount) {
    o.read(kException);
  } else if (n > 1) {
    general(t, n).each([&](unsigned reg) { load ? o.write(reg) : o.read(reg); });
  }
}

// Atomic operations: the operand is in the register behind T; of a compare and swap there are two, of some
// none.
void atomic(uint32_t word, Operands& o, ModelInsn& insn) {
  constexpr unsigned kCompareAndSwap = 16, kBounded = 24;
  insn.loads = insn.stores = 1;
  const unsigned extended = ppc_extended(word), function = field_b(word);
  if (extended == 710 || extended == 742) return;  // stwat stdat: T itself
  if (function < kBounded)
    general(field_t(word) + 1, function == kCompareAndSwap ? 2 : 1).each([&o](unsigned reg) { o.read(reg); });
}

// The suffix's fields are those of the form without a prefix; but some have opcodes of their own.
Form prefixed_form(uint32_t prefix, uint32_t suffix) {
  using namespace form;
  const unsigned primary = ppc_primary(suffix), kind = prefix >> 24 & 3;
  if (kind == 2) return ppc_form(suffix);  // MLS
  if (kind == 3) return ppc_form(suffix);  // MMIRR: products with masks; pnop has no registers
  if (kind == 1) {                         // 8RR
    if (primary != 32) return kWriteXt | kReadXa | kReadXb | kReadXc;
    return kWriteXt | (field_a(suffix) >> 1 < 2 ? kReadXt : 0);  // xxsplti32dx changes a half
  }
  switch (primary) {  // 8LS
    case 41:          // plwa
    case 57:          // pld
      return kWriteGt | kBase;
    case 56:  // plq
      return kWriteGt | kPairT | kBase;
    case 60:  // pstq
      return kReadGt | kPairT | kBase;
    case 61:  // pstd
      return kReadGt | kBase;
    case 42:  // plxsd
    case 43:  // plxssp
      return kWriteVt | kBase;
    case 46:  // pstxsd
    case 47:  // pstxssp
      return kReadVt | kBase;
    case 50:  // plxv
    case 51:
      return kWriteXt | kBase;
    case 54:  // pstxv
    case 55:
      return kReadXt | kBase;
    case 58:  // plxvp
      return kWriteXt | kPairT | kBase;
    case 62:  // pstxvp
      return kReadXt | kPairT | kBase;
    default:
      return 0;
  }
}

unsigned prefixed_xt(uint32_t prefix, uint32_t suffix) {
  const unsigned t = field_t(suffix), primary = ppc_primary(suffix);
  if ((prefix >> 24 & 3) == 0)
    return primary == 58 || primary == 62 ? (t & 1) << 5 | (t & 30) : (primary & 1) << 5 | t;
  return primary == 32 ? (suffix >> 16 & 1) << 5 | t : (suffix & 1) << 5 | t;
}

}  // namespace

ModelInsn ppc_operands(uint32_t word) {
  constexpr uint32_t kNop = 0x60000000;
  ModelInsn insn;
  insn.opcode = word;
  insn.op = ppc_op(word);
  insn.bytes = 4;
  if (word == kNop) return insn;
  Operands o(&insn);
  const Form form = insn.op == Op::kUnknown ? 0 : ppc_form(word);
  reads_by_form(form, word, field_xt(word), o);
  writes_by_form(form, word, field_xt(word), o, insn);
  switch (insn.op) {
    case Op::kBranch:
      branch(word, o, insn);
      break;
    case Op::kCondition:  // mcrf has a form
      if (form) break;
      o.read(condition(field_a(word)));
      o.read(condition(field_b(word)));
      o.write(condition(field_t(word)));
      break;
    case Op::kSpecial:
      special(word, o);
      break;
    case Op::kSystem:
      if (ppc_writes_msr(word)) insn.serializes = true;
      break;
    case Op::kSync:  // sync and ptesync, not their lighter ones
      if (ppc_extended(word) == 598) insn.serializes = !(field_t(word) & 1);
      break;
    case Op::kLoad:
    case Op::kFloatLoad:
    case Op::kVectorLoad:
    case Op::kStore:
    case Op::kFloatStore:
    case Op::kVectorStore:
      load_or_store(word, o, insn);
      break;
    case Op::kLoadStore:
      atomic(word, o, insn);
      break;
    default:
      break;
  }
  o.finish();
  return insn;
}

ModelInsn ppc_prefixed_operands(uint32_t prefix, uint32_t suffix) {
  ModelInsn insn;
  insn.opcode = prefix;
  insn.op = ppc_prefixed_op(prefix, suffix);
  insn.bytes = 8;
  if (insn.op == Op::kUnknown) return insn;
  Operands o(&insn);
  const Form form = prefixed_form(prefix, suffix);
  reads_by_form(form, suffix, prefixed_xt(prefix, suffix), o);
  writes_by_form(form, suffix, prefixed_xt(prefix, suffix), o, insn);
  const bool load = insn.op == Op::kLoad || insn.op == Op::kFloatLoad || insn.op == Op::kVectorLoad;
  const bool store = insn.op == Op::kStore || insn.op == Op::kFloatStore || insn.op == Op::kVectorStore;
  insn.loads = load;
  insn.stores = store;
  o.finish();
  return insn;
}

}  // namespace perfboard
