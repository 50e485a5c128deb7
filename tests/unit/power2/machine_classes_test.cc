// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is counted of an instruction, apart from cycles: an example of each class (all traits and their sums:
// fuzz-power2_machine); and which instructions IMR names.
#include <string_view>

#include "tests/unit/power2/machine_programs.h"

namespace perfboard::p2 {
namespace {

// An instruction of the class for one unit.
void one(const ModelInsn& i, const std::string& stat, const std::string& unit) {
  classes({i}, "insns 1, fetched 1, " + unit + " 1, " + stat + " 1");
}

TEST(MachineClasses, OfTheFxu) {
  const char* const fxu = "dispatched_fxu";
  one(add(3, 4, 5), "fx_arith", fxu);
  one(cmpw(0, 4, 5), "fx_compare", fxu);
  one(mullw(3, 4, 5), "fx_mul", fxu);
  one(divw(3, 4, 5), "fx_div", fxu);
  one(mfcr(3), "fx_special", fxu);
  one(lwz(3, 4), "fx_load", fxu);
  one(stw(3, 4), "fx_store", fxu);
  one(memory(insn(Op::kLoadStore, {4}, {5}, {3}), 1, 1), "fx_load_store", fxu);
  one(insn(Op::kTrap, {}, {3, 4}, {}), "traps", fxu);
  one(insn(Op::kCache, {3, 4}, {}, {}), "cache_ops", fxu);
  one(insn(Op::kSystem, {}, {3}, {}), "system", fxu);
  one(insn(Op::kUnknown, {}, {}, {}), "system", fxu);
}

TEST(MachineClasses, OfTheFpu) {
  const char* const fpu = "dispatched_fpu";
  one(fadd(1, 2, 3), "fp_add", fpu);
  one(fp(Op::kFloatMultiply, 1, 2, 3), "fp_mul", fpu);
  one(fmadd(1, 2, 3, 4), "fp_fma", fpu);
  one(fdiv(1, 2, 3), "fp_div", fpu);
  one(fp(Op::kFloatRoot, 1, 2, 2), "fp_sqrt", fpu);
  one(fcmpu(0, 1, 2), "fp_compare", fpu);
  one(fp(Op::kFloatConvert, 1, 2, 2), "fp_convert", fpu);
  one(fp(Op::kFloatMove, 1, 2, 2), "fp_move", fpu);
  one(fp(Op::kVector, 1, 2, 3), "vector", fpu);
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

TEST(MachineClasses, OfTheIcu) {
  const char* const icu = "dispatched_icu";
  one(crand(0, 1, 2), "condition_ops", icu);
  one(insn(Op::kSystemCall, {}, {}, {}), "system_calls", icu);
  one(insn(Op::kSync, {}, {}, {}), "syncs", icu);
  // LAHF: logic on flags for a general register is the FXU's.
  one(insn(Op::kCondition, {}, {cr(0)}, {0}), "condition_ops", "dispatched_fxu");
}

TEST(MachineClasses, Branches) {
  const auto is = [](const ModelInsn& i, const std::string& more) {
    classes({i}, "insns 1, fetched 1, dispatched_icu 1, branches 1, " + more);
  };
  is(b(), "br_unconditional 1");
  is(bl(), "br_unconditional 1, br_call 1");
  is(bc(0), "br_conditional 1");
  is(blr(), "br_unconditional 1, br_link_register 1");
  is(bctr(), "br_unconditional 1, br_count_register 1");
  is(bdnz(), "br_conditional 1, br_count 1");
  is(branch({kCount, kLink}, {kCount}, kNeedsCount | kNeedsLink, true),  // bdnzlr
     "br_conditional 1, br_count 1, br_link_register 1");
  ModelInsn rfid = branch({}, {}, kNeedsNothing, false);
  rfid.returns = rfid.serializes = true;
  is(rfid, "br_unconditional 1, br_return 1");
  // x86: LOOP counts RCX down, and CALL writes RSP; both are the FXU's business too.
  is(branch({1}, {1}, kNeedsCount, true), "br_conditional 1, br_count 1, dispatched_fxu 1");
  ModelInsn call = memory(branch({4}, {4}, kNeedsNothing, false), 0, 1);
  call.link = true;
  is(call, "br_unconditional 1, br_call 1, dispatched_fxu 1");
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

// --- IMR: on POWER it names all instructions of one opcode and extended opcode, on x86 those of one opcode

// As binutils' assembler encodes them. Two words match if their operation is the same: the mnemonic, without
// its dot, if none is named.
const struct {
  uint32_t word;
  std::string_view text, named = {};
  std::string_view operation() const {
    return named.empty() ? text.substr(0, text.find_first_of(" .")) : named;
  }
} kWords[] = {
    // clang-format off
    {0x7c642a14, "add r3,r4,r5"},
    {0x7cc74215, "add. r6,r7,r8"},
    {0x7d2a5e14, "addo r9,r10,r11", "add"},
    {0x7c642850, "subf r3,r4,r5"},
    {0x38640005, "addi r3,r4,5"},
    {0x3c640005, "addis r3,r4,5"},
    {0x80650004, "lwz r3,4(r5)"},
    {0x84650004, "lwzu r3,4(r5)"},
    {0xe8640008, "ld r3,8(r4)"},
    {0xe8640009, "ldu r3,8(r4)"},
    {0xe864000a, "lwa r3,8(r4)"},
    {0xf8640008, "std r3,8(r4)"},
    {0xf8640009, "stdu r3,8(r4)"},
    {0xfc22182a, "fadd f1,f2,f3"},
    {0xfc85302b, "fadd. f4,f5,f6"},
    {0xfc221828, "fsub f1,f2,f3"},
    {0xec22182a, "fadds f1,f2,f3"},
    {0xfc2220fa, "fmadd f1,f2,f3,f4"},
    {0xfca641fa, "fmadd f5,f6,f7,f8"},
    {0xfc2220f8, "fmsub f1,f2,f3,f4"},
    {0xfc011000, "fcmpu cr0,f1,f2"},
    {0xff832000, "fcmpu cr7,f3,f4"},
    {0xfc011040, "fcmpo cr0,f1,f2"},
    {0x78832980, "rldicl r3,r4,5,6"},
    {0x79070f22, "rldicl r7,r8,33,60"},
    {0x78832984, "rldicr r3,r4,5,6"},
    {0x78832990, "rldcl r3,r4,r5,6"},
    {0x5483298e, "rlwinm r3,r4,5,6,7"},
    {0x552852d9, "rlwinm. r8,r9,10,11,12"},
    {0x41820008, "bc 12,eq,."},
    {0x4200fff8, "bc 16,lt,."},
    {0x48000004, "b ."},
    {0x4bfffffd, "bl .", "b"},
    {0x4e800020, "bclr 20,lt,0"},
    {0x4e800420, "bcctr 20,lt,0"},
    {0x4e800021, "bclrl 20,lt,0", "bclr"},
    {0x4c00012c, "isync"},
    {0x4c221a02, "crand gt,eq,so"},
    {0x44000002, "sc 0"},
    {0x44000001, "scv 0"},
    {0x7c64289e, "isel r3,r4,r5,eq"},
    {0x7cc747de, "isel r6,r7,r8,4*cr7+so"},
    {0x7c832e74, "sradi r3,r4,5"},
    {0x7c834676, "sradi r3,r4,40"},
    {0x7c832e34, "srad r3,r4,r5"},
    {0x7c642e12, "modsd r3,r4,r5"},
    {0x7c642a12, "modud r3,r4,r5"},
    {0x7c6802a6, "mfspr r3,8"},
    {0x7c8902a6, "mfspr r4,9"},
    {0x7c6803a6, "mtspr 8,r3"},
    {0x7c6429d6, "mullw r3,r4,r5"},
    {0x7cc745d7, "mullwo. r6,r7,r8", "mullw"},
    {0x7c642896, "mulhw r3,r4,r5"},
    {0x10221800, "vaddubm v1,v2,v3"},
    {0x13fee800, "vaddubm v31,v30,v29"},
    {0x10221a00, "vaddubs v1,v2,v3"},
    {0x10221806, "vcmpequb v1,v2,v3"},
    {0x10853406, "vcmpequb. v4,v5,v6"},
    {0x1022192b, "vperm v1,v2,v3,v4"},
    {0x10a63a2b, "vperm v5,v6,v7,v8"},
    {0x1022192c, "vsldoi v1,v2,v3,4"},
    {0xf0221900, "xsadddp vs1,vs2,vs3"},
    {0xf0221907, "xsadddp vs33,vs34,vs35"},
    {0xf0221940, "xssubdp vs1,vs2,vs3"},
    {0xf0221b18, "xvcmpeqdp vs1,vs2,vs3"},
    {0xf109571f, "xvcmpeqdp. vs40,vs41,vs42"},
    {0xf0221850, "xxpermdi vs1,vs2,vs3,0"},
    {0xf0221b57, "xxpermdi vs33,vs34,vs35,3"},
    {0xf0221910, "xxsldwi vs1,vs2,vs3,1"},
    {0xf0221930, "xxsel vs1,vs2,vs3,vs4"},
    {0xf12a5b3f, "xxsel vs41,vs42,vs43,vs44"},
    {0xf0201424, "xscvdpsp vs1,vs2"},
    {0xf0201427, "xscvdpsp vs33,vs34"},
    {0xf0201124, "xsrdpi vs1,vs2"},
    {0xf02017a8, "xvtstdcdp vs1,vs2,0"},
    {0xf03f17ef, "xvtstdcdp vs33,vs34,127"},
    {0xf02016a8, "xvtstdcsp vs1,vs2,0"},
    {0xf03f16ef, "xvtstdcsp vs33,vs34,127"},
    {0xf08015a8, "xststdcdp cr1,vs2,0"},
    {0xf0ff15aa, "xststdcdp cr1,vs34,127"},
    {0xf08014a8, "xststdcsp cr1,vs2,0"},
    {0xf020176c, "xvxexpdp vs1,vs2"},
    {0xf021176c, "xvxsigdp vs1,vs2"},
    {0xf037176c, "xxbrd vs1,vs2"},
    {0xf037176f, "xxbrd vs33,vs34"},
    {0xf0821be8, "xvtdivdp cr1,vs2,vs3"},
    {0xf3821bee, "xvtdivdp cr7,vs34,vs35"},
    {0xf08013a8, "xvtsqrtdp cr1,vs2"},
    {0xf08013aa, "xvtsqrtdp cr1,vs34"},
    {0xf4230011, "lxv vs1,16(r3)"},
    {0xf4230019, "lxv vs33,16(r3)"},
    {0xf4230015, "stxv vs1,16(r3)"},
    {0xe423000a, "lxsd v1,8(r3)"},
    // Prefixes: of those only the type counts.
    {0x06000000, "paddi r3,r4,5", "MLS"},
    {0x06100001, "plwz r3,65536(pc)", "MLS"},
    {0x04000000, "pld r3,8(r4)", "8LS"},
    {0x05000000, "xxspltiw vs1,7", "8RR"},
    // clang-format on
};

ModelInsn with(uint32_t opcode) {
  ModelInsn i;
  i.opcode = opcode;
  return i;
}

TEST(MachineImr, NamesAnOperationOfPower) {
  for (const auto& imr : kWords)
    for (const auto& executed : kWords)
      EXPECT_EQ(imr_matches(with(executed.word), imr.word, true), executed.operation() == imr.operation())
          << "IMR " << imr.text << ", executed " << executed.text;
}

TEST(MachineImr, EachInstructionHasAValueThatNamesIt) {
  for (const auto& a : kWords) {
    EXPECT_TRUE(imr_matches(with(a.word), imr_of(with(a.word), true), true)) << a.text;
    for (const auto& b : kWords)
      EXPECT_EQ(imr_of(with(a.word), true) == imr_of(with(b.word), true), a.operation() == b.operation())
          << a.text << ", " << b.text;
  }
  EXPECT_EQ(imr_of(with(0x1af), false), 0x1afu);
}

TEST(MachineImr, NamesAnOpcodeOfX86) {
  EXPECT_TRUE(imr_matches(with(0x1af), 0x1af, false));  // IMUL
  EXPECT_FALSE(imr_matches(with(0xaf), 0x1af, false));  // SCAS
  EXPECT_FALSE(imr_matches(with(0x1ae), 0x1af, false));
}

TEST(MachineImr, ZeroNamesNothing) {
  EXPECT_FALSE(imr_matches(with(0), 0, true));
  EXPECT_FALSE(imr_matches(with(0), 0, false));
}

}  // namespace
}  // namespace perfboard::p2
