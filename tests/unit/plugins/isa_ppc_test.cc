// SPDX-License-Identifier: GPL-2.0-or-later
//
// POWER instructions and their operands: by hand, as the Power ISA encodes and describes them, and against
// capstone where that knows an instruction.
#include <capstone/capstone.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <set>
#include <string_view>

#include "plugins/isa/isa.h"
#include "plugins/isa/ppc/cpu.h"
#include "plugins/isa/ppc/insn.h"
#include "plugins/machine.h"
#include "tests/unit/plugins/describe_insn.h"

namespace perfboard {
namespace {

const Isa& ppc() { return *isa_named("ppc"); }

// The bytes of a word, big-endian.
struct Bytes {
  uint8_t at[8] = {};
  explicit Bytes(uint32_t word, uint32_t suffix = 0) {
    for (unsigned i = 0; i < 4; ++i) {
      at[i] = static_cast<uint8_t>(word >> (24 - 8 * i));
      at[4 + i] = static_cast<uint8_t>(suffix >> (24 - 8 * i));
    }
  }
  Bytes little() const {
    Bytes b(0);
    for (unsigned i = 0; i < 8; ++i) b.at[i] = at[i ^ 3];
    return b;
  }
};

Insn ppc_insn(uint32_t word, uint32_t mode = 0) { return ppc().decode(Bytes(word).at, 4, mode); }
constexpr uint32_t x31(unsigned extended, unsigned t = 3, unsigned a = 4, unsigned b = 5) {
  return 31u << 26 | t << 21 | a << 16 | b << 11 | extended << 1;
}

// What capstone does not know, or not as one class (below).
TEST(IsaPpc, ClassesByHand) {
  const struct {
    uint32_t word;
    Op op;
    const char* text;
  } all[] = {
      {0x38630001, Op::kInteger, "addi 3,3,1"},
      {0x60000000, Op::kInteger, "nop"},
      {0x7c632214, Op::kInteger, "add 3,3,4"},
      {0x5463103a, Op::kInteger, "slwi 3,3,2"},
      {0x786326e4, Op::kInteger, "sldi 3,3,4"},
      {0x2c030000, Op::kInteger, "cmpwi 3,0"},
      {0x7c64285e, Op::kInteger, "isel 3,4,5,1"},
      {0x7c632e12, Op::kDivide, "modsd 3,3,5"},
      {0x80630000, Op::kLoad, "lwz 3,0(3)"},
      {0xe8630000, Op::kLoad, "ld 3,0(3)"},
      {0xbb810010, Op::kLoad, "lmw 28,16(1)"},
      {0x7c6024aa, Op::kLoad, "lswi 3,0,4"},
      {0x7c602028, Op::kLoad, "lwarx 3,0,4"},
      {0xe0830000, Op::kLoad, "lq 4,0(3)"},
      {0x90630000, Op::kStore, "stw 3,0(3)"},
      {0xf8630002, Op::kStore, "stq 3,0(3)"},
      {0x7c60212d, Op::kStore, "stwcx. 3,0,4"},
      {0x7c601cdc, Op::kUnknown, "no instruction"},
      {0x7c64048c, Op::kLoadStore, "lwat 3,4,0"},
      {0xe4430000, Op::kFloatLoad, "lfdp 2,0(3)"},
      {0xf4430000, Op::kFloatStore, "stfdp 2,0(3)"},
      {0xfc823086, Op::kFloatConvert, "dquaiq 2,4,6,0"},
      {0xec825d84, Op::kFloatCompare, "dtstdc 1,2,23"},
      {0xfc2022c4, Op::kFloatMove, "dxexq 1,4"},
      {0xfc221d48, Op::kFloatMove, "xsmaxcqp 1,2,3"},
      {0xec8a61d0, Op::kVector, "xvf64gerpp 1,10,12"},
      {0x7d010162, Op::kVector, "xxmtacc 2"},
      {0xf0211300, Op::kVector, "xvadddp 1,1,2"},
      {0x10211000, Op::kVector, "vaddubm 1,1,2"},
      {0xf4030001, Op::kVectorLoad, "lxv 0,0(3)"},
      {0xf4030005, Op::kVectorStore, "stxv 0,0(3)"},
      {0x44000001, Op::kSystemCall, "scv"},
  };
  for (const auto& a : all) {
    EXPECT_EQ(ppc_insn(a.word).op, a.op) << a.text;
    EXPECT_EQ(ppc_insn(a.word).bytes, 4) << a.text;
    EXPECT_EQ(ppc().decode(Bytes(a.word).little().at, 4, PB_PPC_LITTLE_ENDIAN), ppc_insn(a.word)) << a.text;
  }
  EXPECT_EQ(ppc_insn(x31(269)).op, Op::kVectorLoad) << "lxvl";
  EXPECT_EQ(ppc_insn(x31(141)).op, Op::kVectorStore) << "stxvrbx";
}

// What names that capstone has for instructions begin with, and which classes such a name may have.
struct Family {
  std::initializer_list<std::string_view> begins;
  std::initializer_list<Op> ops;
};
// The first that fits.
const Family kFamilies[] = {
    {{"lwsync", "mbar"}, {Op::kSync}},
    {{"brinc"}, {Op::kVector}},
    {{"b", "rf", "hrf"}, {Op::kBranch}},
    {{"mod"}, {Op::kDivide}},
    {{"stf", "stxs"}, {Op::kFloatStore}},
    {{"stxv", "stv"}, {Op::kVectorStore}},
    {{"stop"}, {Op::kSystem}},
    {{"st"}, {Op::kStore, Op::kLoadStore}},
    {{"lf", "lxs"}, {Op::kFloatLoad}},
    {{"lxv"}, {Op::kVectorLoad}},
    {{"lvs"}, {Op::kVector}},
    {{"lv"}, {Op::kVectorLoad}},
    {{"lis", "li", "la"}, {Op::kInteger}},
    {{"l"}, {Op::kLoad, Op::kLoadStore}},
    {{"mul"}, {Op::kMultiply}},
    {{"div"}, {Op::kDivide}},
    {{"cr"}, {Op::kCondition}},
    {{"mcrf"}, {Op::kCondition, Op::kFloatMove}},
    {{"mtmsr", "mtsr", "mfsr"}, {Op::kSystem}},
    {{"mff", "mtf", "mfvs", "mtvs"}, {Op::kFloatMove}},
    {{"mf", "mt"}, {Op::kSpecial}},
    {{"fadd", "fsub"}, {Op::kFloatAdd}},
    {{"fmul"}, {Op::kFloatMultiply}},
    {{"fmadd", "fmsub", "fnm"}, {Op::kFloatMultiplyAdd}},
    {{"fdiv"}, {Op::kFloatDivide}},
    {{"fsqrt"}, {Op::kFloatRoot}},
    {{"fcmp"}, {Op::kFloatCompare}},
    {{"fcf", "fct", "fri", "frsp"}, {Op::kFloatConvert}},
    {{"f"}, {Op::kFloatMove}},
    {{"xsadd", "xssub"}, {Op::kFloatAdd}},
    {{"xsmul"}, {Op::kFloatMultiply}},
    {{"xsmadd", "xsmsub", "xsnm"}, {Op::kFloatMultiplyAdd}},
    {{"xsdiv"}, {Op::kFloatDivide}},
    {{"xssqrt"}, {Op::kFloatRoot}},
    {{"xscmp", "xstdiv"}, {Op::kFloatCompare}},
    {{"xscv", "xsrdp"}, {Op::kFloatConvert}},
    {{"xs"}, {Op::kFloatMove, Op::kFloatCompare, Op::kVector}},
    {{"x"}, {Op::kVector, Op::kInteger}},  // xor too
    {{"v"}, {Op::kVector}},
    {{"td", "tw", "trap"}, {Op::kTrap}},
    {{"tlb", "slb"}, {Op::kSystem}},
    {{"sc"}, {Op::kSystemCall}},
    {{"dc", "ds", "ic"}, {Op::kCache}},
    {{"sync", "msync", "ptesync", "isync", "eieio", "wait"}, {Op::kSync}},
    {{"wrtee"}, {Op::kSystem}},
    {{"attn"}, {Op::kUnknown}},
};

const Family* family_of(std::string_view name) {
  for (const Family& f : kFamilies)
    for (const std::string_view begins : f.begins)
      if (name.starts_with(begins)) return &f;
  return nullptr;
}

// What capstone 5 (Debian 13) knows and capstone 4 does not, but for its name would be of a family here:
// embedded processors' instructions, and some whose name begins as another family's.
bool is_new(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "bpermd", "ftdiv", "ftsqrt", "icblq.",  "icbtls",  "ldmx",  "lnia",
      "mfpmr",  "mtpmr", "xsrqpi", "xsrqpix", "xsrqpxp", "xsrsp",
  };
  return CS_API_MAJOR > 4 && std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

TEST(IsaPpc, ClassesAreThoseOfCapstoneWhereItKnowsTheInstruction) {
  csh handle;
  ASSERT_EQ(cs_open(CS_ARCH_PPC, static_cast<cs_mode>(CS_MODE_64 | CS_MODE_BIG_ENDIAN), &handle), CS_ERR_OK);
  cs_insn* insn = cs_malloc(handle);
  unsigned known = 0;
  for (const uint32_t operands : {0x00432800u, 0x02c43000u, 0u}) {
    for (unsigned primary = 0; primary < 64; ++primary) {
      for (unsigned low = 0; low < 2048; ++low) {
        const uint32_t word = primary << 26 | operands | low;
        const Bytes bytes(word);
        const uint8_t* at = bytes.at;
        size_t size = 4;
        uint64_t address = 0;
        if (!cs_disasm_iter(handle, &at, &size, &address, insn)) continue;
        const std::string_view name = insn->mnemonic;
        // Of embedded processors, and what capstone takes for quad vectors (QPX).
        if (primary == 4 || name.substr(0, 2) == "qv" || name.substr(0, 2) == "ev" || is_new(name)) continue;
        const Op op = ppc_op(word);
        const Family* const family = family_of(name);
        if (!family) {
          // A later capstone knows more instructions, of other families.
          if (CS_API_MAJOR == 4) {
            EXPECT_EQ(op, Op::kInteger) << name << std::hex << " " << word;
          }
          continue;
        }
        ++known;
        bool legal = false;
        for (const Op o : family->ops) legal |= o == op;
        EXPECT_TRUE(legal) << name << std::hex << " " << word << " is class " << std::dec << unsigned(op);
      }
    }
  }
  EXPECT_GT(known, 10000u);
  cs_free(insn, 1);
  cs_close(&handle);
}

TEST(IsaPpc, Branches) {
  for (unsigned primary = 0; primary < 64; ++primary)
    for (unsigned extended = 0; extended < 1024; ++extended) {
      const bool in_19 = extended == 16 || extended == 528 || extended == 560 || extended == 18 ||
                         extended == 274 || extended == 82 || extended == 146 || extended == 50 ||
                         extended == 51 || extended == 38 || extended == 39;
      const bool branch = primary == 16 || primary == 18 || (primary == 19 && in_19);
      EXPECT_EQ(ppc_insn(primary << 26 | extended << 1).branch, branch) << primary << " " << extended;
    }
  EXPECT_FALSE(ppc_insn(0x44000002).branch) << "sc";
  EXPECT_FALSE(ppc_insn(0x7fe00008).branch) << "trap";
}

TEST(IsaPpc, QuietOnesOnlyCompute) {
  for (const uint32_t word :
       {0x38630001u, 0x60000000u, 0x7c632214u, 0x7c6323d6u, 0x5463103au, 0x786326e4u, 0x7c832378u,
        0x7c0802a6u, 0x7c0803a6u, 0x7c6903a6u, 0x2c030000u, 0x7c630774u, 0x7c6321d6u})
    EXPECT_TRUE(ppc_insn(word).quiet) << std::hex << word;
  for (unsigned primary = 0; primary < 64; ++primary)
    for (unsigned extended = 0; extended < 1024; ++extended) {
      const Insn i = ppc_insn(primary << 26 | 0x00432800 | extended << 1);
      if (i.quiet) {
        EXPECT_TRUE(i.op == Op::kInteger || i.op == Op::kMultiply || i.op == Op::kDivide)
            << primary << " " << extended;
        EXPECT_FALSE(i.branch || i.several || i.marks || i.translations);
      }
    }
  EXPECT_FALSE(ppc_insn(0x7c210b78).quiet) << "or 1,1,1: a hint, at which QEMU may leave the block";
  EXPECT_FALSE(ppc_insn(x31(122)).quiet) << "popcntb: not on every processor";
  EXPECT_FALSE(ppc_insn(0x78000000 | 5 << 2).quiet) << "illegal";
  EXPECT_FALSE(ppc_insn(0x7c7b03a6).quiet) << "mtspr: privileged";
  EXPECT_FALSE(ppc_insn(0x4c421342).quiet);
  EXPECT_FALSE(ppc().decode(Bytes(0x60000000).at, 3, 0).quiet) << "cut off";
}

TEST(IsaPpc, Several) {
  for (const uint32_t word :
       {0xbb810010u, 0xbf810010u, 0x7c6024aau, 0x7c60242au, 0x7c6025aau, 0x7c60252au, 0xe0830000u,
        0xf8630002u, 0x7c602228u, 0x7c60216du, 0x7c60212du, 0x7c6021adu, 0x7c6025adu, 0x7c64048cu,
        0x7c0020ceu, 0x7c0021ceu, 0xf4030001u, 0xe4430000u, 0xf4430000u, 0x7c0027ecu})
    EXPECT_TRUE(ppc_insn(word).several) << std::hex << word;
  EXPECT_TRUE(ppc_insn(x31(269)).several && ppc_insn(x31(397)).several) << "lxvl stxvl";
  EXPECT_TRUE(ppc_insn(0).several) << "unknown";
  for (const uint32_t word :
       {0x80630000u, 0xe8630000u, 0x90630000u, 0xf8630000u, 0xf8630001u, 0x7c602028u, 0x7c6020a8u,
        0xc8230000u, 0xd8230000u, 0x7c002498u, 0x48000010u, 0x4e800020u, 0xfc21102au, 0x44000002u})
    EXPECT_FALSE(ppc_insn(word).several) << std::hex << word;
}

TEST(IsaPpc, WhatTcgAccessesAndTheProgramDoesNot) {
  for (const unsigned extended : {54u, 86u, 982u}) {  // dcbst dcbf icbi
    EXPECT_TRUE(ppc_insn(x31(extended)).hides_loads);
    EXPECT_FALSE(ppc_insn(x31(extended)).hides_stores);
  }
  EXPECT_TRUE(ppc_insn(x31(470)).hides_loads && ppc_insn(x31(470)).hides_stores) << "dcbi";
  for (const unsigned extended : {150u, 214u, 694u, 726u, 182u}) {  // stwcx. stdcx. stbcx. sthcx. stqcx.
    EXPECT_TRUE(ppc_insn(x31(extended)).hides_loads);
    EXPECT_FALSE(ppc_insn(x31(extended)).hides_stores);
  }
  for (const unsigned extended : {20u, 23u, 151u, 1014u, 582u}) {
    EXPECT_FALSE(ppc_insn(x31(extended)).hides_loads) << extended;
    EXPECT_FALSE(ppc_insn(x31(extended)).hides_stores) << extended;
  }
  EXPECT_FALSE(ppc_insn(0x48000000 | 982 << 1).hides_loads) << "a branch";
}

TEST(IsaPpc, PrefixedOnesWhereTheProcessorHasThem) {
  const struct {
    uint32_t prefix, suffix;
    Op op;
    bool several;
  } all[] = {
      {0x06000000, 0x38600001, Op::kInteger, false},     // paddi
      {0x06000000, 0x80630000, Op::kLoad, false},        // plwz
      {0x06000000, 0x90630000, Op::kStore, false},       // pstw
      {0x06000000, 0xc8230000, Op::kFloatLoad, false},   // plfd
      {0x04000000, 0xe4630000, Op::kLoad, false},        // pld
      {0x04000000, 0xf4630000, Op::kStore, false},       // pstd
      {0x04000000, 0xe0830000, Op::kLoad, true},         // plq
      {0x04000000, 0xf0830000, Op::kStore, true},        // pstq
      {0x04000000, 0xc8030000, Op::kVectorLoad, true},   // plxv
      {0x04000000, 0xdc030000, Op::kVectorStore, true},  // pstxv
      {0x05000000, 0x80000000, Op::kVector, false},      // xxsplti
      {0x07000000, 0x00000000, Op::kInteger, false},     // pnop
      {0x04000000, 0x00000000, Op::kUnknown, true},
  };
  for (const auto& a : all) {
    const Insn i = ppc().decode(Bytes(a.prefix, a.suffix).at, 8, PB_PPC_PREFIXES);
    EXPECT_EQ(i.op, a.op) << std::hex << a.suffix;
    EXPECT_EQ(i.several, a.several) << std::hex << a.suffix;
    EXPECT_EQ(i.bytes, 8);
    EXPECT_FALSE(i.quiet || i.branch);
    EXPECT_EQ(ppc().decode(Bytes(a.prefix, a.suffix).little().at, 8, PB_PPC_PREFIXES | PB_PPC_LITTLE_ENDIAN),
              i);
    EXPECT_EQ(ppc().decode(Bytes(a.prefix, a.suffix).at, 8, 0).op, Op::kUnknown) << "before ISA 3.1";
  }
  EXPECT_EQ(ppc().decode(Bytes(0x06000000).at, 4, PB_PPC_PREFIXES).bytes, 0) << "cut off";
}

bool mark_after(uint32_t word, Registers& r, uint32_t mode = 0) {
  const Bytes big(word);
  return ppc().mark_after((mode & PB_PPC_LITTLE_ENDIAN ? big.little() : big).at, 4, mode, r.at);
}

TEST(IsaPpc, TheMarkAfterAnInstructionThatWritesTheMsr) {
  constexpr uint64_t kPmm = 4, kHv = uint64_t{1} << 60;
  Registers r;
  r[PB_PPC_MSR_LEGAL] = ~uint64_t{0};
  EXPECT_TRUE(ppc_insn(0x7c600124).marks && ppc_insn(0x7c600164).marks) << "mtmsr mtmsrd";
  EXPECT_FALSE(ppc_insn(0x7c610124).marks || ppc_insn(0x7c610164).marks) << "L is 1: EE and RI alone";
  EXPECT_TRUE(ppc_insn(0x4c000024).marks && ppc_insn(0x4c000224).marks && ppc_insn(0x4c0000a4).marks)
      << "rfid hrfid rfscv";
  EXPECT_FALSE(ppc_insn(0x4c000124).marks) << "rfebb";
  EXPECT_FALSE(ppc_insn(0x4e800020).marks) << "blr";
  for (const uint32_t word : {0x7c600124u, 0x7c600164u}) {
    r[PB_PPC_GENERAL + 3] = kPmm;
    EXPECT_TRUE(mark_after(word, r));
    EXPECT_TRUE(mark_after(word, r, PB_PPC_LITTLE_ENDIAN));
    r[PB_PPC_MSR_LEGAL] = ~kPmm;
    EXPECT_FALSE(mark_after(word, r)) << "a processor without the bit";
    r[PB_PPC_MSR_LEGAL] = ~uint64_t{0};
    r[PB_PPC_GENERAL + 3] = ~kPmm;
    EXPECT_FALSE(mark_after(word, r));
  }
  r[PB_PPC_SRR1] = kPmm;
  EXPECT_TRUE(mark_after(0x4c000024, r));
  EXPECT_FALSE(mark_after(0x4c0000a4, r));
  r[PB_PPC_CTR] = kPmm;
  EXPECT_TRUE(mark_after(0x4c0000a4, r)) << "rfscv: from CTR";
  r[PB_PPC_HSRR1] = kPmm;
  EXPECT_FALSE(mark_after(0x4c000224, r)) << "hrfid of a guest faults";
  r[PB_PPC_MSR] = kPmm;
  EXPECT_TRUE(mark_after(0x4c000224, r)) << "and leaves the mark";
  r[PB_PPC_MSR] = kHv;
  EXPECT_TRUE(mark_after(0x4c000224, r));
}

TlbChange change(uint32_t word, Registers& r) { return ppc().tlb_change(Bytes(word).at, 4, 0, 0, r.at); }

TEST(IsaPpc, WhatBecomesOfTheTlb) {
  Registers r;
  const TlbChange empties = {TlbChange::kEmpties, 0, true}, empties_own = {TlbChange::kEmpties};
  for (const unsigned extended : {306u, 274u, 434u, 498u, 466u, 370u, 210u, 242u})
    EXPECT_TRUE(ppc_insn(x31(extended)).translations) << extended;
  EXPECT_FALSE(ppc_insn(x31(402)).translations) << "slbmte adds a segment";
  EXPECT_FALSE(ppc_insn(x31(566)).translations) << "tlbsync";
  EXPECT_TRUE(ppc_insn(0x7c7003a6 | 1 << 11).translations) << "mtspr PIDR (48)";
  EXPECT_FALSE(ppc_insn(0x7c0803a6).translations) << "mtlr";
  EXPECT_FALSE(ppc_insn(0x7c1002a6 | 1 << 11).translations) << "mfspr PIDR";
  r[PB_PPC_GENERAL + 3] = 0x123456789000;
  const uint32_t radix = 0x7c011a64, hash = 0x7c001a64;  // tlbie 3,0,0,0,1 and tlbie 3
  EXPECT_EQ(change(radix, r), (TlbChange{TlbChange::kDropsPage, 0x123456789000, true}));
  EXPECT_EQ(change(0x7c011a24, r), (TlbChange{TlbChange::kDropsPage, 0x123456789000})) << "tlbiel, radix";
  EXPECT_EQ(change(hash, r), empties);
  EXPECT_EQ(change(radix | 2 << 18, r), empties) << "RIC 2: all caches";
  r[PB_PPC_GENERAL + 3] |= 1 << 10;
  EXPECT_EQ(change(radix, r), empties) << "IS 1: by PID";
  r[PB_PPC_GENERAL + 3] = 0x10000 | 5 << 5;
  EXPECT_EQ(change(radix, r), empties) << "64 KB";
  for (const unsigned extended : {498u, 434u, 210u})
    EXPECT_EQ(change(x31(extended), r), empties_own) << extended;
  EXPECT_EQ(change(x31(466), r), empties) << "slbieg";
  EXPECT_EQ(change(x31(274), r), empties_own) << "tlbiel, hash";
}

// The cheap look finds what the decoder finds.
TEST(IsaPpc, Quirks) {
  for (unsigned primary = 0; primary < 64; ++primary)
    for (unsigned extended = 0; extended < 1024; ++extended) {
      const uint32_t word = primary << 26 | 0x00432800 | extended << 1;
      const Insn i = ppc_insn(word);
      const Quirks expected = {
          .hides_loads = i.hides_loads, .hides_stores = i.hides_stores, .pieces = i.pieces};
      EXPECT_EQ(ppc().quirks(Bytes(word).at, 4, 0), expected) << primary << " " << extended;
      EXPECT_EQ(ppc().quirks(Bytes(word).little().at, 4, PB_PPC_LITTLE_ENDIAN), expected);
    }
  for (const unsigned extended : {269, 301, 397, 429})
    EXPECT_EQ(ppc_insn(x31(extended)).pieces, Pieces{.begins = 1}) << "lxvl lxvll stxvl stxvll";
  EXPECT_EQ(ppc().quirks(Bytes(x31(54)).at, 3, 0), Quirks{}) << "cut off";
  EXPECT_EQ(ppc().quirks(Bytes(0x06000000, x31(54)).at, 8, PB_PPC_PREFIXES), Quirks{}) << "a suffix";
}

constexpr uint64_t kPpcAddress = 0xc000000000001000;

ModelInsn ppc_operands_of(uint32_t word, uint32_t suffix = 0, uint32_t mode = PB_PPC_PREFIXES) {
  const Bytes big(word, suffix), code = mode & PB_PPC_LITTLE_ENDIAN ? big.little() : big;
  const ModelInsn insn = ppc().model(code.at, sizeof code.at, mode, kPpcAddress);
  const Insn decoded = ppc().decode(code.at, sizeof code.at, mode);
  EXPECT_EQ(insn.op, decoded.op) << std::hex << word << " " << suffix;
  EXPECT_EQ(insn.bytes, decoded.bytes) << std::hex << word << " " << suffix;
  EXPECT_EQ(insn.branch, decoded.branch) << std::hex << word << " " << suffix;
  EXPECT_EQ(insn.address, kPpcAddress);
  EXPECT_EQ(insn.opcode, word);
  return insn;
}

struct PpcRow {
  uint32_t word;
  const char *text, *operands;  // describe_insn.h
  uint32_t suffix = 0;
};

// clang-format off
const PpcRow kPpcRows[] = {
    {0x38640001, "addi 3,4,1", "r4 > r3"},
    {0x38600001, "addi 3,0,1", "> r3"},
    {0x30640001, "addic 3,4,1", "r4 > r3 xer"},
    {0x34640001, "addic. 3,4,1", "r4 > r3 cr0 xer | record"},
    {0x20640001, "subfic 3,4,1", "r4 > r3 xer"},
    {0x1c640001, "mulli 3,4,1", "r4 > r3"},
    {0x2f830000, "cmpwi 7,3,0", "r3 > cr7"},
    {0x7f032040, "cmplw 6,3,4", "r3 r4 > cr6"},
    {0x60830001, "ori 3,4,1", "r4 > r3"},
    {0x60000000, "nop", ">"},
    {0x70830001, "andi. 3,4,1", "r4 > r3 cr0 | record"},
    {0x5483103a, "rlwinm 3,4,2,0,29", "r4 > r3"},
    {0x5483103b, "rlwinm. 3,4,2,0,29", "r4 > r3 cr0 | record"},
    {0x5083103a, "rlwimi 3,4,2,0,29", "r3 r4 > r3"},
    {0x5c83283a, "rlwnm 3,4,5,0,29", "r5 r4 > r3"},
    {0x78831040, "rldicl 3,4,2,1", "r4 > r3"},
    {0x7883104c, "rldimi 3,4,2,1", "r3 r4 > r3"},
    {0x78832850, "rldcl 3,4,5,1", "r5 r4 > r3"},
    {0x7c642a14, "add 3,4,5", "r4 r5 > r3"},
    {0x7c642a15, "add. 3,4,5", "r4 r5 > r3 cr0 | record"},
    {0x7c642e14, "addo 3,4,5", "r4 r5 > r3 xer"},
    {0x7c642e15, "addo. 3,4,5", "r4 r5 > r3 cr0 xer | record"},
    {0x7c642814, "addc 3,4,5", "r4 r5 > r3 xer"},
    {0x7c642914, "adde 3,4,5", "r4 r5 xer > r3 xer"},
    {0x7c640194, "addze 3,4", "r4 xer > r3 xer"},
    {0x7c6400d0, "neg 3,4", "r4 > r3"},
    {0x7c6429d6, "mullw 3,4,5", "r4 r5 > r3"},
    {0x7c642813, "mulhdu. 3,4,5", "r4 r5 > r3 cr0 | record"},
    {0x7c642fd2, "divdo 3,4,5", "r4 r5 > r3 xer"},
    {0x7c642e16, "modsw 3,4,5", "r4 r5 > r3"},
    {0x7c832838, "and 3,4,5", "r5 r4 > r3"},
    {0x7c830775, "extsb. 3,4", "r4 > r3 cr0 | record"},
    {0x7c830074, "cntlzd 3,4", "r4 > r3"},
    {0x7c8303f4, "popcntd 3,4", "r4 > r3"},
    {0x7c832e30, "sraw 3,4,5", "r5 r4 > r3 xer"},
    {0x7c832e74, "sradi 3,4,5", "r4 > r3 xer"},
    {0x7c832bf8, "cmpb 3,4,5", "r5 r4 > r3"},
    {0x7c642f9e, "isel 3,4,5,30", "r4 r5 cr7 > r3"},
    {0x7c60289e, "isel 3,0,5,2", "r5 cr0 > r3"},
    {0x7c780100, "setb 3,6", "cr6 > r3"},
    {0x7c7e0300, "setbc 3,30", "cr7 > r3"},
    {0x4c620004, "addpcis 3,4", "> r3"},
    {0x7d800480, "mcrxrx 3", "xer > cr3"},
    {0x106429b3, "maddld 3,4,5,6", "r4 r5 r6 > r3"},
    {0x7c832088, "td 4,3,4", "r3 r4 >"},
    {0x08830004, "tdi 4,3,4", "r3 >"},
    {0x4fc51202, "crand 30,5,2", "cr1 cr0 > cr7"},
    {0x4d980000, "mcrf 3,6", "cr6 > cr3"},
    {0x7c600026, "mfcr 3", "cr0 cr1 cr2 cr3 cr4 cr5 cr6 cr7 > r3"},
    {0x7c702026, "mfocrf 3,2", "cr6 > r3"},
    {0x7c681120, "mtcrf 0x81,3", "r3 > cr0 cr7"},
    {0x7c720120, "mtocrf 0x20,3", "r3 > cr2"},
    {0x7c6102a6, "mfxer 3", "xer > r3"},
    {0x7c6103a6, "mtxer 3", "r3 > xer"},
    {0x7c6802a6, "mflr 3", "lr > r3"},
    {0x7c6803a6, "mtlr 3", "r3 > lr"},
    {0x7c6903a6, "mtctr 3", "r3 > ctr"},
    {0x7c6902a6, "mfctr 3", "ctr > r3"},
    {0x7c7a03a6, "mtspr 26,3", "r3 > spr"},
    {0x7c6c42a6, "mftb 3", "spr > r3"},
    {0x80640008, "lwz 3,8(4)", "[r4] > r3 | load"},
    {0x80600008, "lwz 3,8(0)", "> r3 | load"},
    {0x84640008, "lwzu 3,8(4)", "[r4] > r3 r4 | load update"},
    {0x7c64282e, "lwzx 3,4,5", "[r4 r5] > r3 | load"},
    {0x7c60282e, "lwzx 3,0,5", "[r5] > r3 | load"},
    {0x7c64286a, "ldux 3,4,5", "[r4 r5] > r3 r4 | load update"},
    {0xe8640008, "ld 3,8(4)", "[r4] > r3 | load"},
    {0xe8640009, "ldu 3,8(4)", "[r4] > r3 r4 | load update"},
    {0xe0860010, "lq 4,16(6)", "[r6] > r4 r5 | load"},
    {0x7c642828, "lwarx 3,4,5", "[r4 r5] > r3 | load"},
    {0x7c863a28, "lqarx 4,6,7", "[r6 r7] > r4 r5 | load"},
    {0xbba40008, "lmw 29,8(4)", "[r4] > r29 r30 r31 | 3 loads"},
    {0xbb240008, "lmw 25,8(4)", "[r4] > r25 r26 r27 r28 r29 r30 | 7 loads"},
    {0x7fc44caa, "lswi 30,4,9", "[r4] > r30 r31 r0 | 3 loads"},
    {0x7e8404aa, "lswi 20,4,0", "[r4] > r20 r21 r22 r23 r24 r25 | 8 loads"},
    {0x7c642c2a, "lswx 3,4,5", "[r4 r5] xer > r3 | loads?"},
    {0x90640008, "stw 3,8(4)", "[r4] r3 > | store"},
    {0x9421fff0, "stwu 1,-16(1)", "[r1] > r1 | store update"},
    {0x7c64292a, "stdx 3,4,5", "[r4 r5] r3 > | store"},
    {0x7c64296a, "stdux 3,4,5", "[r4 r5] r3 > r4 | store update"},
    {0xf8860012, "stq 4,16(6)", "[r6] r4 r5 > | store"},
    {0x7c64292d, "stwcx. 3,4,5", "[r4 r5] r3 > cr0 | store record"},
    {0xbfa40008, "stmw 29,8(4)", "[r4] r29 r30 r31 > | 3 stores"},
    {0xbe840008, "stmw 20,8(4)", "[r4] r20 r21 r22 r23 r24 r25 r26 > | 12 stores"},
    {0x7c642daa, "stswi 3,4,5", "[r4] r3 > | 2 stores"},
    {0x7c642d2a, "stswx 3,4,5", "[r4 r5] r3 xer > | stores?"},
    {0x7c042fec, "dcbz 4,5", "[r4 r5] >"},
    {0x7c64048c, "lwat 3,4,0", "[r4] > r3 | load store"},
    {0x7c64848c, "lwat 3,4,16", "[r4] r5 > r3 | load store"},
    {0x7c64c48c, "lwat 3,4,24", "[r4] > r3 | load store"},
    {0x7c6405cc, "stdat 3,4,0", "[r4] r3 > | load store"},
    {0xc8240008, "lfd 1,8(4)", "[r4] > f1 | load float"},
    {0xcc240008, "lfdu 1,8(4)", "[r4] > r4 f1 | load float update"},
    {0x7c242c2e, "lfsx 1,4,5", "[r4 r5] > f1 | load float"},
    {0x7c242eae, "lfiwax 1,4,5", "[r4 r5] > f1 | load float"},
    {0xe4440008, "lfdp 2,8(4)", "[r4] > f2 f3 | load float"},
    {0xd8240008, "stfd 1,8(4)", "[r4] f1 > | store float"},
    {0xd4240008, "stfsu 1,8(4)", "[r4] f1 > r4 | store float update"},
    {0x7c242dee, "stfdux 1,4,5", "[r4 r5] f1 > r4 | store float update"},
    {0x7c242fae, "stfiwx 1,4,5", "[r4 r5] f1 > | store float"},
    {0x7c442f2e, "stfdpx 2,4,5", "[r4 r5] f2 f3 > | store float"},
    {0x7c242c99, "lxsdx 33,4,5", "[r4 r5] > v1 | load float"},
    {0x7c242d99, "stxsdx 33,4,5", "[r4 r5] v1 > | store float"},
    {0xe424000a, "lxsd 1,8(4)", "[r4] > v1 | load float"},
    {0xf424000b, "stxssp 1,8(4)", "[r4] v1 > | store float"},
    {0xfc22182a, "fadd 1,2,3", "f2 f3 > f1 fpscr"},
    {0xfc22182b, "fadd. 1,2,3", "f2 f3 > f1 cr1 fpscr | record"},
    {0xec22182a, "fadds 1,2,3", "f2 f3 > f1 fpscr | single"},
    {0xfc2200f2, "fmul 1,2,3", "f2 f3 > f1 fpscr"},
    {0xec2200f2, "fmuls 1,2,3", "f2 f3 > f1 fpscr | single"},
    {0xfc2220fa, "fmadd 1,2,3,4", "f2 f4 f3 > f1 fpscr"},
    {0xec2220fc, "fnmsubs 1,2,3,4", "f2 f4 f3 > f1 fpscr | single"},
    {0xec221824, "fdivs 1,2,3", "f2 f3 > f1 fpscr | single"},
    {0xfc20102c, "fsqrt 1,2", "f2 > f1 fpscr"},
    {0xfc201030, "fre 1,2", "f2 > f1"},
    {0xec201034, "frsqrtes 1,2", "f2 > f1 | single"},
    {0xfc2220ee, "fsel 1,2,3,4", "f2 f4 f3 > f1"},
    {0xfc201090, "fmr 1,2", "f2 > f1"},
    {0xfc221810, "fcpsgn 1,2,3", "f2 f3 > f1"},
    {0xfc821800, "fcmpu 1,2,3", "f2 f3 > cr1 fpscr"},
    {0xfc801140, "ftsqrt 1,2", "f2 > cr1 fpscr"},
    {0xfc201018, "frsp 1,2", "f2 > f1 fpscr"},
    {0xfc20165e, "fctidz 1,2", "f2 > f1 fpscr"},
    {0xec20169c, "fcfids 1,2", "f2 > f1 fpscr | single"},
    {0xfc20048e, "mffs 1", "fpscr > f1"},
    {0xfc36148e, "mffscrn 1,2", "f2 fpscr > f1 fpscr"},
    {0xfdfe0d8e, "mtfsf 255,1", "f1 > fpscr"},
    {0xfc60004c, "mtfsb1 3", "> fpscr"},
    {0xfc880080, "mcrfs 1,2", "fpscr > cr1 fpscr"},
    {0xec221804, "dadd 1,2,3", "f2 f3 > f1 fpscr"},
    {0xfc443004, "daddq 2,4,6", "f4 f5 f6 f7 > f2 f3 fpscr"},
    {0xfc402a04, "dctqpq 2,5", "f5 > f2 f3 fpscr"},
    {0xfc2022c4, "dxexq 1,4", "f4 f5 > f1"},
    {0xfc843504, "dcmpuq 1,4,6", "f4 f5 f6 f7 > cr1 fpscr"},
    {0xf0221906, "xsadddp 1,34,35", "v2 v3 > f1 fpscr"},
    {0xf0221803, "xsaddsp 33,2,35", "f2 v3 > v1 fpscr | single"},
    {0xf0221908, "xsmaddadp 1,2,3", "f2 f3 f1 > f1 fpscr"},
    {0xf0221808, "xsmaddasp 1,2,3", "f2 f3 f1 > f1 fpscr | single"},
    {0xf020102c, "xssqrtsp 1,2", "f2 > f1 fpscr | single"},
    {0xf1011118, "xscmpudp 2,1,2", "f1 f2 > cr2 fpscr"},
    {0xf0201560, "xscvdpsxds 1,2", "f2 > f1 fpscr"},
    {0xf1030da8, "xststdcdp 2,1,3", "f1 > cr2"},
    {0xfc221808, "xsaddqp 1,2,3", "v2 v3 > v1 fpscr"},
    {0xfc221b08, "xsmaddqp 1,2,3", "v2 v3 v1 > v1 fpscr"},
    {0x7c430067, "mfvsrd 3,34", "v2 > r3"},
    {0x7c430167, "mtvsrd 34,3", "r3 > v2"},
    {0x7c442b67, "mtvsrdd 34,4,5", "r4 r5 > v2"},
    {0xf022193e, "xxsel 1,34,35,36", "v2 v3 v4 > f1"},
    {0xf0221950, "xxpermdi 1,2,3,1", "f2 f3 > f1"},
    {0xf02218d0, "xxperm 1,2,3", "f2 f3 f1 > f1"},
    {0xf0221b07, "xvadddp 33,34,35", "v2 v3 > v1"},
    {0xf0221b0f, "xvmaddadp 33,34,35", "v2 v3 v1 > v1"},
    {0xf0221b18, "xvcmpeqdp 1,2,3", "f2 f3 > f1"},
    {0xf0221f18, "xvcmpeqdp. 1,2,3", "f2 f3 > f1 cr6"},
    {0xf0821be8, "xvtdivdp 1,2,3", "f2 f3 > cr1"},
    {0xf020132f, "xvsqrtdp 33,34", "v2 > v1"},
    {0xf0202ad1, "xxspltib 33,5", "> v1"},
    {0xf02412d7, "xxinsertw 33,34,4", "v2 v1 > v1"},
    {0xf0242f2d, "xsiexpdp 33,4,5", "r4 r5 > v1"},
    {0xf060156e, "xsxexpdp 3,34", "v2 > r3"},
    {0xf02317a8, "xvtstdcdp 1,2,3", "f2 > f1"},
    {0x10221800, "vaddubm 1,2,3", "v2 v3 > v1"},
    {0x10221806, "vcmpequb 1,2,3", "v2 v3 > v1"},
    {0x10221c06, "vcmpequb. 1,2,3", "v2 v3 > v1 cr6"},
    {0x1022192a, "vsel 1,2,3,4", "v2 v3 v4 > v1"},
    {0x1022192c, "vsldoi 1,2,3,4", "v2 v3 > v1"},
    {0x1021128c, "vspltw 1,2,1", "v2 > v1"},
    {0x1025038c, "vspltisw 1,5", "> v1"},
    {0x1023130d, "vinsertb 1,2,3", "v2 v1 > v1"},
    {0x10642e0d, "vextublx 3,4,5", "r4 v5 > r3"},
    {0x1023120d, "vextractub 1,2,3", "v2 > v1"},
    {0x10221885, "vrlwmi 1,2,3", "v2 v3 v1 > v1"},
    {0x10602602, "vclzlsbb 3,4", "v4 > r3"},
    {0x10261602, "vnegw 1,2", "v2 > v1"},
    {0x102821cf, "vinsd 1,4,8", "r4 v1 > v1"},
    {0x1022191e, "vextddvlx 1,2,3,4", "r4 v2 v3 > v1"},
    {0x10221c01, "bcdadd. 1,2,3,0", "v2 v3 > v1 cr6"},
    {0x10302642, "mtvsrbm 1,4", "r4 > v1"},
    {0x10792642, "vcntmbb 3,4,1", "v4 > r3"},
    {0x10200604, "mfvscr 1", "> v1"},
    {0x7c24280c, "lvsl 1,4,5", "r4 r5 > v1"},
    {0x7c2428ce, "lvx 1,4,5", "[r4 r5] > v1 | load float"},
    {0x7c2029ce, "stvx 1,0,5", "[r5] v1 > | store float"},
    {0xf4240019, "lxv 33,16(4)", "[r4] > v1 | load float"},
    {0xf424001d, "stxv 33,16(4)", "[r4] v1 > | store float"},
    {0x7c242a19, "lxvx 33,4,5", "[r4 r5] > v1 | load float"},
    {0x7c242a1b, "lxvl 33,4,5", "[r4] r5 > v1 | load float"},
    {0x7c242b1b, "stxvl 33,4,5", "[r4] r5 v1 > | store float"},
    {0x18640010, "lxvp 34,16(4)", "[r4] > v2 v3 | load float"},
    {0x7c642b9a, "stxvpx 34,4,5", "[r4 r5] v2 v3 > | store float"},
    {0xec8a61d8, "xvf64ger 1,10,12", "f10 f11 f12 > f4 f5 f6 f7"},
    {0xec8a61d0, "xvf64gerpp 1,10,12", "f10 f11 f12 f4 f5 f6 f7 > f4 f5 f6 f7"},
    {0xec8a62d0, "xvf32gernp 1,10,12", "f10 f12 f4 f5 f6 f7 > f4 f5 f6 f7"},
    {0x7d010162, "xxmtacc 2", "f8 f9 f10 f11 > f8 f9 f10 f11"},
    {0x7d030162, "xxsetaccz 2", "> f8 f9 f10 f11"},
    {0x48000010, "b .+16", "> | branch"},
    {0x48000011, "bl .+16", "> lr | branch call"},
    {0x419e0010, "bc 12,30,.+16", "cr7 > | branch conditional ?cr"},
    {0x42000010, "bc 16,0,.+16", "ctr > ctr | branch conditional ?ctr"},
    {0x401e0010, "bc 0,30,.+16", "cr7 ctr > ctr | branch conditional ?cr ?ctr"},
    {0x429f0005, "bcl 20,31,.+4", "> lr | branch call"},
    {0x4e800020, "blr", "lr > | branch ?lr"},
    {0x4e800021, "blrl", "lr > lr | branch ?lr call"},
    {0x4d820020, "bclr 12,2", "cr0 lr > | branch conditional ?cr ?lr"},
    {0x4e000020, "bdnzlr", "ctr lr > ctr | branch conditional ?lr ?ctr"},
    {0x4e800420, "bctr", "ctr > | branch ?ctr"},
    {0x4e800421, "bctrl", "ctr > lr | branch ?ctr call"},
    {0x4d820420, "bcctr 12,2", "cr0 ctr > | branch conditional ?cr ?ctr"},
    {0x4e800460, "bctar 20,0", "spr > | branch"},
    {0x4c000024, "rfid", "> | branch return serializes"},
    {0x4c000224, "hrfid", "> | branch return serializes"},
    {0x4c0000a4, "rfscv", "> | branch return serializes"},
    {0x44000002, "sc", "> | serializes"},
    {0x44000001, "scv 0", "> | serializes"},
    {0x4c00012c, "isync", "> | serializes"},
    {0x7c0004ac, "sync", "> | serializes"},
    {0x7c2004ac, "lwsync", ">"},
    {0x7c4004ac, "ptesync", "> | serializes"},
    {0x7c0006ac, "eieio", ">"},
    {0x7c600164, "mtmsrd 3", "r3 > | serializes"},
    {0x7c610164, "mtmsrd 3,1", "r3 >"},
    {0x7c6000a6, "mfmsr 3", "> r3"},
    {0x7c0428ac, "dcbf 4,5", "[r4 r5] >"},
    {0x7c002fac, "icbi 0,5", "[r5] >"},
    {0x7c801a64, "tlbie 3,4,0,0,0", "r3 r4 >"},
    {0x7c602324, "slbmte 3,4", "r4 r3 >"},
    {0x7c00051d, "tbegin. 0", "> cr0 | record"},
    {0x06000001, "paddi 3,4,100000", "r4 > r3", 0x386486a0},
    {0x06100001, "paddi 3,0,100000,1", "> r3", 0x386086a0},
    {0x06000000, "plwz 3,8(4)", "[r4] > r3 | load", 0x80640008},
    {0x04000000, "pld 3,8(4)", "[r4] > r3 | load", 0xe4640008},
    {0x04000000, "plq 4,16(6)", "[r6] > r4 r5 | load", 0xe0860010},
    {0x04000000, "pstd 3,8(4)", "[r4] r3 > | store", 0xf4640008},
    {0x04000000, "pstq 4,16(6)", "[r6] r4 r5 > | store", 0xf0860010},
    {0x06000000, "plfd 1,8(4)", "[r4] > f1 | load float", 0xc8240008},
    {0x04000000, "plxsd 1,8(4)", "[r4] > v1 | load float", 0xa8240008},
    {0x04000000, "plxv 33,8(4)", "[r4] > v1 | load float", 0xcc240008},
    {0x04000000, "pstxv 33,8(4)", "[r4] v1 > | store float", 0xdc240008},
    {0x04000000, "plxvp 34,8(4)", "[r4] > v2 v3 | load float", 0xe8640008},
    {0x05000000, "xxspltiw 33,5", "> v1", 0x80270005},
    {0x05000000, "xxsplti32dx 33,0,5", "v1 > v1", 0x80210005},
    {0x05000000, "xxblendvb 33,34,35,36", "v2 v3 v4 > v1", 0x8422190f},
    {0x05000001, "xxpermx 33,34,35,36,1", "v2 v3 v4 > v1", 0x8822190f},
    {0x07900011, "pmxvf32ger 1,10,12,1,1", "f10 f12 > f4 f5 f6 f7", 0xec8a60d8},
    {0x07000000, "pnop", ">", 0x00000000},
};
// clang-format on

TEST(IsaPpcOperands, ByHand) {
  for (const PpcRow& row : kPpcRows) {
    EXPECT_EQ(describe(ppc_operands_of(row.word, row.suffix)), row.operands) << row.text;
    EXPECT_EQ(ppc_operands_of(row.word, row.suffix, PB_PPC_PREFIXES | PB_PPC_LITTLE_ENDIAN),
              ppc_operands_of(row.word, row.suffix))
        << row.text;
  }
}

TEST(IsaPpcOperands, WhatIsNoInstructionHasNone) {
  for (const uint32_t word : {0u, 0x7c601cdcu, 0x04000000u, 0x14000000u, 0x7c0003ffu}) {
    const ModelInsn insn = ppc_operands_of(word);
    EXPECT_EQ(insn.op, Op::kUnknown) << std::hex << word;
    EXPECT_EQ(describe(insn), ">") << std::hex << word;
  }
  const uint8_t cut[3] = {0x7c, 0x64, 0x2a};
  EXPECT_EQ(ppc().model(cut, sizeof cut, 0, 0), ModelInsn{});
}

// No pattern of bits names what is no register, or more of them than fit, or one twice.
TEST(IsaPpcOperands, EveryWordIsLegal) {
  uint32_t word = 0;
  for (unsigned i = 0; i < 300000; ++i) {
    word = word * 1664525 + 1013904223;
    const ModelInsn insn =
        i & 1 ? ppc_operands(word) : ppc_prefixed_operands(word >> 6 | 1u << 26, word * 2654435761u);
    ASSERT_LE(insn.reads, ModelInsn::kMostReads);
    ASSERT_LE(insn.writes, ModelInsn::kMostWrites);
    ASSERT_LE(insn.address_reads, insn.reads);
    std::set<unsigned> reads, writes;
    for (const uint8_t reg : insn.read_registers())
      ASSERT_TRUE(reg < kModelRegisters && reads.insert(reg).second);
    for (const uint8_t reg : insn.write_registers())
      ASSERT_TRUE(reg < kModelRegisters && writes.insert(reg).second);
  }
}

// Registers that capstone names, as kModelRegisters numbers them; -1: of another kind.
int general_or_float(unsigned reg) {
  if (reg >= PPC_REG_R0 && reg <= PPC_REG_R31) return kGeneral0 + static_cast<int>(reg - PPC_REG_R0);
  if (reg >= PPC_REG_F0 && reg <= PPC_REG_F31) return kFloat0 + static_cast<int>(reg - PPC_REG_F0);
  if (reg >= PPC_REG_V0 && reg <= PPC_REG_V31) return kFloat0 + 32 + static_cast<int>(reg - PPC_REG_V0);
  if (reg >= PPC_REG_VS0 && reg <= PPC_REG_VS63) return kFloat0 + static_cast<int>(reg - PPC_REG_VS0);
  return -1;
}

// Its bits of the condition register look like general registers; TLB instructions of embedded processors
// have no operands here.
bool is_other(std::string_view name) {
  for (const std::string_view begins : {"qv", "ev", "cr", "isel", "tlbs", "tlbre", "tlbwe"})
    if (name.substr(0, begins.size()) == begins) return true;
  return false;
}

TEST(IsaPpcOperands, RegistersAreThoseOfCapstone) {
  if (CS_API_MAJOR != 4)
    GTEST_SKIP() << "written for capstone 4, which names registers as the assembler does";
  csh handle;
  ASSERT_EQ(cs_open(CS_ARCH_PPC, static_cast<cs_mode>(CS_MODE_64 | CS_MODE_BIG_ENDIAN), &handle), CS_ERR_OK);
  cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
  cs_insn* insn = cs_malloc(handle);
  unsigned known = 0;
  for (unsigned primary = 0; primary < 64; ++primary)
    for (unsigned low = 0; low < 2048; ++low) {
      const uint32_t word = primary << 26 | 7 << 21 | 12 << 16 | 17 << 11 | low;
      const Bytes bytes(word);
      const uint8_t* at = bytes.at;
      size_t size = 4;
      uint64_t address = 0;
      if (ppc_op(word) == Op::kUnknown || !cs_disasm_iter(handle, &at, &size, &address, insn)) continue;
      const std::string_view name = insn->mnemonic;
      const ModelInsn m = ppc_operands(word);
      if (is_other(name) || m.loads > 1 || m.stores > 1) continue;  // of a multiple it names the first
      std::set<int> theirs, ours;
      const cs_ppc& detail = insn->detail->ppc;
      for (unsigned i = 0; i < detail.op_count; ++i) {
        const cs_ppc_op& op = detail.operands[i];
        if (op.type == PPC_OP_REG) theirs.insert(general_or_float(op.reg));
        if (op.type == PPC_OP_MEM) theirs.insert(general_or_float(op.mem.base));
      }
      theirs.erase(-1);
      for (const uint8_t reg : m.read_registers())
        if (reg < kCondition0) ours.insert(reg);
      for (const uint8_t reg : m.write_registers())
        if (reg < kCondition0) ours.insert(reg);
      EXPECT_EQ(theirs, ours) << name << " " << insn->op_str << std::hex << " " << word << ": "
                              << describe(m);
      ++known;
    }
  EXPECT_GT(known, 5000u);
  cs_free(insn, 1);
  cs_close(&handle);
}

TEST(Isa, ByName) {
  EXPECT_EQ(isa_named("ppc")->name, "ppc");
  EXPECT_EQ(isa_named("x86")->name, "x86");
  EXPECT_EQ(isa_named("vax"), nullptr);
}

}  // namespace
}  // namespace perfboard
