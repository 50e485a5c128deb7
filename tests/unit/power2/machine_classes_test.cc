// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is counted of an instruction, apart from cycles: one of each class, and what its traits add.
#include "tests/unit/power2/machine_programs.h"

namespace perfboard::p2 {
namespace {

// An instruction of the class for one unit.
void one(const ModelInsn& i, Stat stat, Stat unit) {
  classes({i}, {{kStat_insns, 1}, {kStat_fetched, 1}, {unit, 1}, {stat, 1}});
}
void both(const ModelInsn& i, Stat stat) {
  classes({i}, {{kStat_insns, 1},
                {kStat_fetched, 1},
                {kStat_dispatched_fxu, 1},
                {kStat_dispatched_fpu, 1},
                {stat, 1}});
}

TEST(MachineClasses, OfTheFxu) {
  const Stat fxu = kStat_dispatched_fxu;
  one(add(3, 4, 5), kStat_fx_arith, fxu);
  one(cmpw(0, 4, 5), kStat_fx_compare, fxu);
  one(mullw(3, 4, 5), kStat_fx_mul, fxu);
  one(divw(3, 4, 5), kStat_fx_div, fxu);
  one(mfcr(3), kStat_fx_special, fxu);
  one(lwz(3, 4), kStat_fx_load, fxu);
  one(stw(3, 4), kStat_fx_store, fxu);
  one(memory(insn(Op::kLoadStore, {4}, {5}, {3}), 1, 1), kStat_fx_load_store, fxu);
  one(insn(Op::kTrap, {}, {3, 4}, {}), kStat_traps, fxu);
  one(insn(Op::kCache, {3, 4}, {}, {}), kStat_cache_ops, fxu);
  one(insn(Op::kSystem, {}, {3}, {}), kStat_system, fxu);
  one(insn(Op::kUnknown, {}, {}, {}), kStat_system, fxu);
}

TEST(MachineClasses, RecordFormsAreCompares) {
  ModelInsn i = insn(Op::kInteger, {}, {4, 5}, {3, cr(0)});
  one(i, kStat_fx_arith, kStat_dispatched_fxu);  // x86: ADD sets the flags, too
  i.record = true;
  one(i, kStat_fx_compare, kStat_dispatched_fxu);
  ModelInsn mul = mullw(3, 4, 5);
  mul.record = true;
  one(mul, kStat_fx_mul, kStat_dispatched_fxu);
}

TEST(MachineClasses, OfTheFpu) {
  const Stat fpu = kStat_dispatched_fpu;
  one(fadd(1, 2, 3), kStat_fp_add, fpu);
  one(fp(Op::kFloatMultiply, 1, 2, 3), kStat_fp_mul, fpu);
  one(fmadd(1, 2, 3, 4), kStat_fp_fma, fpu);
  one(fdiv(1, 2, 3), kStat_fp_div, fpu);
  one(fp(Op::kFloatRoot, 1, 2, 2), kStat_fp_sqrt, fpu);
  one(fcmpu(0, 1, 2), kStat_fp_compare, fpu);
  one(fp(Op::kFloatConvert, 1, 2, 2), kStat_fp_convert, fpu);
  one(fp(Op::kFloatMove, 1, 2, 2), kStat_fp_move, fpu);
  one(fp(Op::kVector, 1, 2, 3), kStat_vector, fpu);
}

TEST(MachineClasses, SinglePrecisionIsOfArithmetic) {
  for (const Op op : {Op::kFloatAdd, Op::kFloatMultiply, Op::kFloatMultiplyAdd, Op::kFloatDivide,
                      Op::kFloatRoot, Op::kFloatCompare, Op::kFloatConvert}) {
    ModelInsn i = fp(op, 1, 2, 3);
    i.single = true;
    EXPECT_EQ(run({i})[kStat_fp_single], 1u) << unsigned(op);
  }
  for (const Op op : {Op::kFloatMove, Op::kVector, Op::kFloatLoad, Op::kFloatStore}) {
    ModelInsn i = fp(op, 1, 2, 3);
    i.single = true;
    EXPECT_EQ(run({i})[kStat_fp_single], 0u) << unsigned(op);
  }
}

TEST(MachineClasses, OfBoth) {
  both(lfd(1, 4), kStat_fp_load);
  both(stfd(1, 4), kStat_fp_store);
  both(floating(memory(insn(Op::kVectorLoad, {4, 5}, {}, {f(34)}), 1, 0)), kStat_fp_load);
  both(floating(memory(insn(Op::kVectorStore, {4, 5}, {f(34)}, {}), 0, 1)), kStat_fp_store);
}

TEST(MachineClasses, OfTheIcu) {
  const Stat icu = kStat_dispatched_icu;
  one(crand(0, 1, 2), kStat_condition_ops, icu);
  one(insn(Op::kSystemCall, {}, {}, {}), kStat_system_calls, icu);
  one(insn(Op::kSync, {}, {}, {}), kStat_syncs, icu);
  // LAHF: logic on flags for a general register is the FXU's.
  one(insn(Op::kCondition, {}, {cr(0)}, {0}), kStat_condition_ops, kStat_dispatched_fxu);
}

TEST(MachineClasses, Branches) {
  const auto is = [](const ModelInsn& i, Expected more) {
    Counts all{};
    all[kStat_insns] = all[kStat_fetched] = all[kStat_dispatched_icu] = all[kStat_branches] = 1;
    for (const auto& [stat, n] : more) all[stat] = n;
    const Counts counts = run({i});
    for (unsigned s = 0; s < kStat_cycles; ++s) EXPECT_EQ(counts[s], all[s]) << kStatNames[s];
  };
  is(b(), {{kStat_br_unconditional, 1}});
  is(bl(), {{kStat_br_unconditional, 1}, {kStat_br_call, 1}});
  is(bc(0), {{kStat_br_conditional, 1}});
  is(blr(), {{kStat_br_unconditional, 1}, {kStat_br_link_register, 1}});
  is(bctr(), {{kStat_br_unconditional, 1}, {kStat_br_count_register, 1}});
  is(bdnz(), {{kStat_br_conditional, 1}, {kStat_br_count, 1}});
  is(branch({kCount, kLink}, {kCount}, kNeedsCount | kNeedsLink, true),  // bdnzlr
     {{kStat_br_conditional, 1}, {kStat_br_count, 1}, {kStat_br_link_register, 1}});
  ModelInsn rfid = branch({}, {}, kNeedsNothing, false);
  rfid.returns = rfid.serializes = true;
  is(rfid, {{kStat_br_unconditional, 1}, {kStat_br_return, 1}});
  // x86: LOOP counts RCX down, and CALL writes RSP; both are the FXU's business too.
  is(branch({1}, {1}, kNeedsCount, true),
     {{kStat_br_conditional, 1}, {kStat_br_count, 1}, {kStat_dispatched_fxu, 1}});
  ModelInsn call = memory(branch({4}, {4}, kNeedsNothing, false), 0, 1);
  call.link = true;
  is(call, {{kStat_br_unconditional, 1}, {kStat_br_call, 1}, {kStat_dispatched_fxu, 1}});
}

TEST(MachineClasses, UpdatesAndWords) {
  classes({lwzu(3, 4), lfdu(1, 4)}, {{kStat_insns, 2},
                                     {kStat_fetched, 2},
                                     {kStat_dispatched_fxu, 2},
                                     {kStat_dispatched_fpu, 1},
                                     {kStat_fx_load, 1},
                                     {kStat_fp_load, 1},
                                     {kStat_fx_update, 2}});
  classes({lmw(23, 4), stmw(2, 4)}, {{kStat_insns, 2},
                                     {kStat_fetched, 2},
                                     {kStat_dispatched_fxu, 2},
                                     {kStat_fx_load, 1},
                                     {kStat_fx_store, 1},
                                     {kStat_fx_multiple, 25}});
  // How many words lswx moves, only XER knows.
  classes({lmw(255, 4)},
          {{kStat_insns, 1}, {kStat_fetched, 1}, {kStat_dispatched_fxu, 1}, {kStat_fx_load, 1}});
}

TEST(MachineClasses, WordsFetched) {
  const auto fetched = [](uint8_t bytes) {
    ModelInsn i = add(3, 4, 5);
    i.bytes = bytes;
    return run({i})[kStat_fetched];
  };
  EXPECT_EQ(fetched(1), 1u);
  EXPECT_EQ(fetched(4), 1u);
  EXPECT_EQ(fetched(5), 2u);
  EXPECT_EQ(fetched(8), 2u);
  EXPECT_EQ(fetched(15), 4u);
  EXPECT_EQ(fetched(0), 1u);  // unknown to the decoder
}

}  // namespace
}  // namespace perfboard::p2
