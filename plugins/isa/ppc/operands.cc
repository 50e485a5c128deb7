// SPDX-License-Identifier: GPL-2.0-or-later
//
// A POWER instruction's registers and accesses, by its form (form.h) and, where that does not say it all, its
// opcode.
#include "plugins/isa/operands.h"

#include <algorithm>

#include "plugins/isa/ppc/form.h"
#include "plugins/isa/ppc/insn.h"

namespace perfboard {
namespace {

constexpr unsigned field_t(uint32_t word) { return word >> 21 & 31; }
constexpr unsigned field_a(uint32_t word) { return word >> 16 & 31; }
constexpr unsigned field_b(uint32_t word) { return word >> 11 & 31; }
constexpr unsigned field_c(uint32_t word) { return word >> 6 & 31; }

constexpr unsigned kVector0 = kFloat0 + 32;  // VSR32

unsigned special_register(uint32_t word) { return field_a(word) | field_b(word) << 5; }
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

// Registers that the form names.
void by_form(Form form, uint32_t word, Operands& o, ModelInsn& insn) {
  using namespace form;
  const unsigned t = field_t(word), a = field_a(word), b = field_b(word), c = field_c(word);
  const auto has = [form](Form which) { return (form & which) != 0; };
  const unsigned pair = has(kPairT) ? 2 : 1, pairs = has(kPairs) ? 2 : 1;
  const auto read = [&o](unsigned first, unsigned n) {
    for (unsigned i = 0; i < n; ++i) o.read(first + i);
  };
  const auto write = [&o](unsigned first, unsigned n) {
    for (unsigned i = 0; i < n; ++i) o.write(first + i);
  };
  if (has(kUpdate) || (has(kBase) && a != 0)) o.address(kGeneral0 + a);
  if (has(kIndex)) o.address(kGeneral0 + b);
  if (has(kReadGa) || (has(kReadGz) && a != 0)) o.read(kGeneral0 + a);
  if (has(kReadGb)) o.read(kGeneral0 + b);
  if (has(kReadGt)) read(kGeneral0 + t, pair);
  if (has(kReadGc)) o.read(kGeneral0 + c);
  if (has(kReadFa)) read(kFloat0 + a, pairs);
  if (has(kReadFb)) read(kFloat0 + b, pairs);
  if (has(kReadFc)) o.read(kFloat0 + c);
  if (has(kReadFt)) read(kFloat0 + t, std::max(pair, pairs));
  if (has(kReadVa)) o.read(kVector0 + a);
  if (has(kReadVb)) o.read(kVector0 + b);
  if (has(kReadVc)) o.read(kVector0 + c);
  if (has(kReadVt)) o.read(kVector0 + t);
  if (has(kReadBfa)) o.read(kCondition0 + (a >> 2));
  if (has(kReadBitA)) o.read(kCondition0 + (a >> 2));
  if (has(kReadBitC)) o.read(kCondition0 + (c >> 2));
  if (has(kReadXer)) o.read(kException);
  if (has(kReadFpscr)) o.read(kFloatStatus);
  if (has(kWriteGt)) write(kGeneral0 + t, pair);
  if (has(kWriteGa | kUpdate)) o.write(kGeneral0 + a);
  if (has(kWriteFt)) write(kFloat0 + t, std::max(pair, pairs));
  if (has(kWriteVt)) o.write(kVector0 + t);
  if (has(kWriteBf)) o.write(kCondition0 + (t >> 2));
  const bool rc = word & 1, rc6 = word >> 10 & 1;
  if (has(kWriteCr0) || (has(kRc0) && rc)) o.write(kCondition0);
  if (has(kWriteCr1) || (has(kRc1) && rc)) o.write(kCondition0 + 1);
  if (has(kWriteCr6) || (has(kRc6) && rc6)) o.write(kCondition0 + 6);
  insn.record = has(kWriteCr0 | kWriteCr1) || (has(kRc0 | kRc1) && rc);
  if (has(kWriteXer) || (has(kOe) && word >> 10 & 1)) o.write(kException);
  if (has(kWriteFpscr)) o.write(kFloatStatus);
  insn.update = has(kUpdate);
  insn.single = has(kSingle);
  insn.serializes = has(kSerializes);
}

void branch(uint32_t word, Operands& o, ModelInsn& insn) {
  const unsigned primary = ppc_primary(word), extended = ppc_extended(word), bo = field_t(word);
  insn.branch = true;
  const bool unconditional = primary == 18, absolute = primary == 19;
  if (absolute && extended != 16 && extended != 528 && extended != 560) {
    insn.returns = true;
    return;
  }
  insn.link = word & 1;
  if (!unconditional) {
    const bool condition = !(bo & 16), counts = !(bo & 4) && !(absolute && extended == 528);
    if (condition) {
      o.read(kCondition0 + (field_a(word) >> 2));
      insn.needs |= kNeedsCondition;
    }
    if (counts) {
      o.read(kCount);
      o.write(kCount);
      insn.needs |= kNeedsCount;
    }
    insn.conditional = condition || counts;
  }
  if (absolute && extended == 16) {
    o.read(kLink);
    insn.needs |= kNeedsLink;
  } else if (absolute && extended == 528) {
    o.read(kCount);
    insn.needs |= kNeedsCount;
  } else if (absolute) {
    o.read(kOtherSpecial);
  }
  if (insn.link) o.write(kLink);
}

}  // namespace

ModelInsn ppc_operands(uint32_t word) {
  ModelInsn insn;
  insn.opcode = word;
  insn.op = ppc_op(word);
  insn.bytes = 4;
  Operands o(&insn);
  by_form(ppc_form(word), word, o, insn);
  switch (insn.op) {
    case Op::kBranch:
      branch(word, o, insn);
      break;
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
    case Op::kSpecial:
      if (ppc_extended(word) == 339) {  // mfspr
        o.read(model_register(special_register(word)));
        o.write(kGeneral0 + field_t(word));
      } else if (ppc_extended(word) == 467) {
        o.read(kGeneral0 + field_t(word));
        o.write(model_register(special_register(word)));
      }
      break;
    default:
      break;
  }
  insn.float_data = insn.op == Op::kFloatLoad || insn.op == Op::kFloatStore || insn.op == Op::kVectorLoad ||
                    insn.op == Op::kVectorStore;
  return insn;
}

}  // namespace perfboard
