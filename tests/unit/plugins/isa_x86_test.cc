// SPDX-License-Identifier: GPL-2.0-or-later
//
// x86 instructions: their classes, against opcodes as the processor's manual lists them; what its table tells
// the counters, beyond what its decoder knows; their operands, by hand, from the manual.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "plugins/isa/isa.h"
#include "plugins/isa/x86/cpu.h"
#include "plugins/isa/x86/insn.h"
#include "plugins/isa/x86/opcode.h"
#include "plugins/machine.h"
#include "tests/unit/plugins/describe_insn.h"

namespace perfboard {
namespace {

const Isa& x86() { return *isa_named("x86"); }

X86Insn x86_class(const Code& code, unsigned bits = 64) {
  return classify_x86(code.data(), code.size(), bits);
}

// Whether these bytes begin a branch, from the opcode map alone; legal: that they may be one instruction.
bool opcode_branches(const uint8_t* code, unsigned bits, bool* legal) {
  const uint8_t op = code[0], reg = code[1] >> 3 & 7;
  const bool memory = code[1] >> 6 != 3;
  *legal = true;
  if (op == 0x0f) return code[1] >= 0x80 && code[1] <= 0x8f;
  if (op >= 0x70 && op <= 0x7f) return true;                                            // Jcc
  if (op >= 0xe0 && op <= 0xe3) return true;                                            // LOOPcc, JCXZ
  if (op == 0xe8 || op == 0xe9 || op == 0xeb) return true;                              // CALL, JMP
  if (op == 0xc2 || op == 0xc3 || op == 0xca || op == 0xcb || op == 0xcf) return true;  // RET, RETF, IRET
  if (op == 0x9a || op == 0xea) return *legal = bits != 64;  // far, with the address
  if (op == 0xff && (reg == 2 || reg == 4)) return true;
  if (op == 0xff && (reg == 3 || reg == 5)) return *legal = memory;
  return false;
}

const Code kBefore[] = {{},   "66", "67", "f2", "f3",    "2e",    "36",
                        "3e", "26", "64", "65", "66 67", "3e f2", "f3 2e"};

TEST(EventsInsn, BranchesAreThoseOfTheOpcodeMap) {
  for (unsigned bits : {16u, 32u, 64u}) {
    for (const Code& prefix : kBefore) {
      for (unsigned op = 0; op < 256; ++op) {
        for (unsigned second = 0; second < 256; ++second) {
          const bool is_prefix = op == 0xf0 || op == 0xf2 || op == 0xf3 || op == 0x66 || op == 0x67 ||
                                 op == 0x2e || op == 0x36 || op == 0x3e || op == 0x26 || op == 0x64 ||
                                 op == 0x65 || (bits == 64 && (op & 0xf0) == 0x40);
          // XBEGIN is C7 F8, VEX and EVEX and XOP have opcodes of their own.
          const bool other = op == 0xc4 || op == 0xc5 || op == 0x62 || op == 0x8f || op == 0xc7;
          if (is_prefix || other) continue;
          Code code = prefix;
          code.insert(code.end(), {uint8_t(op), uint8_t(second), 0, 0, 0, 0, 0, 0, 0});
          bool legal;
          const bool branch = opcode_branches(&code[prefix.size()], bits, &legal);
          if (!legal) continue;
          ASSERT_EQ(x86_class(code, bits).branch, branch)
              << std::hex << bits << "-bit, prefix " << (prefix.empty() ? 0 : prefix[0]) << ", " << op << " "
              << second;
        }
      }
    }
  }
}

TEST(EventsInsn, FarAndIndirectWithOperandSizes) {
  EXPECT_TRUE(x86_class("48 cf").branch);     // iretq
  EXPECT_TRUE(x86_class("48 cb").branch);     // retfq
  EXPECT_TRUE(x86_class("41 ff e3").branch);  // jmp *%r11
  EXPECT_TRUE(x86_class("3e ff e0").branch);  // notrack jmp *%rax
  EXPECT_TRUE(x86_class("f3 c3").branch);     // rep ret
  EXPECT_TRUE(x86_class("66 ea 00 00 00 00 08 00", 16).branch);
  EXPECT_FALSE(x86_class("cd 80", 32).branch);  // int
  EXPECT_FALSE(x86_class("cc", 32).branch);
  EXPECT_FALSE(x86_class("0f 05").branch);              // syscall
  EXPECT_FALSE(x86_class("c7 f8 00 00 00 00").branch);  // xbegin
  EXPECT_FALSE(x86_class("f3 0f 1e fa").branch);        // endbr64
}

// One byte more or less is another mode: what is INC in 32-bit code is a prefix in 64-bit code.
TEST(EventsInsn, TheModeDecides) {
  EXPECT_TRUE(x86_class("40", 32).quiet);
  EXPECT_FALSE(x86_class("40 ff e0", 32).branch);
  EXPECT_TRUE(x86_class("40 ff e0").branch);
  EXPECT_EQ(x86_class("e9 00 00 00 00", 16).bytes, 3);
  EXPECT_EQ(x86_class("e9 00 00 00 00", 32).bytes, 5);
}

TEST(EventsInsn, QuietOnesTouchNothing) {
  for (const Code c : {"89 c8", "01 c8", "83 c0 01", "8d 44 88 04", "b8 01 00 00 00", "85 c0", "f7 d8",
                       "c1 e0 03", "0f b6 c1", "0f af c1"})
    EXPECT_TRUE(x86_class(c, 32).quiet) << unsigned(c[0]);
  for (const Code c :
       {"8b 00", "50", "f7 f1", "8e d8",          "0f 22 d8", "0f 20 d8", "0f 0b",    "cc",       "f4",
        "fa",    "fb", "e4 60", "f0 01 c8",       "9b",       "d9 c0",    "0f 58 c1", "0f a2",    "0f 31",
        "9c",    "9d", "c9",    "a1 00 00 00 00", "f3 90",    "0f ff",    "8d c0",    "0f 23 c0", "eb 00"})
    EXPECT_FALSE(x86_class(c, 32).quiet) << unsigned(c[0]);
  EXPECT_FALSE(x86_class({}, 32).quiet);
}

// In each mode no opcode with a memory operand is quiet, but LEA and the long NOP.
TEST(EventsInsn, NothingWithAMemoryOperandIsQuiet) {
  for (unsigned bits : {16u, 32u, 64u})
    for (unsigned op = 0; op < 256; ++op) {
      const bool two_bytes[] = {false, true};
      for (const bool two : two_bytes) {
        Code code;
        if (two) code.push_back(0x0f);
        // ModRM 0x07 is memory by EDI or BX. Opcodes without ModRM do not take it for an operand.
        code.insert(code.end(), {uint8_t(op), 0x07, 0, 0, 0, 0, 0, 0, 0, 0});
        const X86Insn c = x86_class(code, bits);
        if (!c.quiet || op == (two ? 0x1f : 0x8d)) continue;  // NOP, LEA
        // Of the others only those that have no ModRM: one byte, or constants.
        const bool no_modrm = !two && ((op & 0xc7) == 0x04 || (op & 0xc7) == 0x05 || (op & 0xf0) == 0x40 ||
                                       (op & 0xf0) == 0xb0 || op == 0xa8 || op == 0xa9 || op == 0x98 ||
                                       op == 0x99 || op == 0x90);
        EXPECT_TRUE(no_modrm) << std::hex << bits << "-bit, " << (two ? "0f " : "") << op;
      }
    }
}

TEST(EventsInsn, Several) {
  for (const Code c : {"ff 30", "8f 00", "a5", "a7", "01 08", "ff 10", "60", "61", "cf", "0f ae 00", "87 08",
                       "8e d8", "1f", "9a 00 00 00 00 08 00"})
    EXPECT_TRUE(x86_class(c, 32).several) << unsigned(c[0]);
  for (const Code c : {"50", "58", "8b 00", "89 00", "03 00", "39 00", "c3", "e8 00 00 00 00", "ff d0",
                       "68 00 00 00 00", "0f b6 00", "c9", "90"})
    EXPECT_FALSE(x86_class(c, 32).several) << unsigned(c[0]);
  EXPECT_TRUE(x86_class("0f ff", 32).several) << "unknown";
}

TEST(EventsInsn, Strings) {
  EXPECT_EQ(x86_class("f3 a5", 32).string, X86Insn::kMovs);
  EXPECT_TRUE(x86_class("f3 a5", 32).repeated);
  EXPECT_TRUE(x86_class("f3 48 ab").repeated);
  EXPECT_EQ(x86_class("f3 48 ab").string, X86Insn::kStos);
  EXPECT_FALSE(x86_class("a5", 32).repeated);
  EXPECT_FALSE(x86_class("f3 c3", 32).repeated);
  EXPECT_EQ(x86_class("6c", 32).string, X86Insn::kIns);
  EXPECT_EQ(x86_class("66 f2 6f", 16).string, X86Insn::kOuts);
  EXPECT_EQ(x86_class("f3 a6", 32).string, X86Insn::kCmps);
  EXPECT_EQ(x86_class("ae", 32).string, X86Insn::kScas);
  EXPECT_EQ(x86_class("ac", 32).string, X86Insn::kLods);
  EXPECT_EQ(x86_class("f2 0f 10 00", 32).string, X86Insn::kNoString);  // movsd of SSE
  EXPECT_EQ(x86_class("c5 f9 6f 00").string, X86Insn::kNoString);      // vmovdqa
}

TEST(EventsInsn, Paging) {
  X86Insn c = x86_class("0f 22 d8", 32);  // mov %eax, %cr3
  EXPECT_EQ(c.paging, X86Insn::kWritesCr);
  EXPECT_EQ(c.cr, 3);
  EXPECT_EQ(c.base, 0);
  c = x86_class("41 0f 22 e7");  // mov %r15, %cr4
  EXPECT_EQ(c.cr, 4);
  EXPECT_EQ(c.base, 15);
  EXPECT_EQ(x86_class("44 0f 22 c0").cr, 8) << "not CR0";
  EXPECT_EQ(x86_class("0f 20 d8", 32).paging, X86Insn::kNoPaging);
  c = x86_class("0f 01 7c 8b 10", 32);  // invlpg 0x10(%ebx,%ecx,4)
  EXPECT_EQ(c.paging, X86Insn::kInvlpg);
  EXPECT_EQ(c.base, 3);
  EXPECT_EQ(c.index, 1);
  EXPECT_EQ(c.scale, 4);
  EXPECT_EQ(c.displacement, 0x10);
  EXPECT_EQ(c.segment, 3);
  EXPECT_EQ(c.address_bits, 32);
  EXPECT_EQ(x86_class("0f 01 7d 00", 32).segment, 2) << "by EBP";
  EXPECT_EQ(x86_class("65 0f 01 38").segment, 5);
  EXPECT_EQ(x86_class("67 0f 01 3f", 32).address_bits, 16);
  EXPECT_TRUE(x86_class("0f 01 3d 00 00 00 00").ip_relative);
  EXPECT_EQ(x86_class("0f 01 f8").paging, X86Insn::kNoPaging) << "swapgs";
  EXPECT_EQ(x86_class("66 0f 38 82 00").paging, X86Insn::kInvpcid);
}

TEST(EventsInsn, ReadsNoFurtherThanItMay) {
  for (size_t n = 0; n < 3; ++n)
    EXPECT_FALSE(classify_x86(reinterpret_cast<const uint8_t*>("\xf3\xf3\xf3"), n, 32).branch);
}

Insn x86_insn(const Code& code, uint32_t mode = 32) { return x86().decode(code.data(), code.size(), mode); }

TEST(IsaX86, StringsLoopUnlessQemuMakesABlockOfEachIteration) {
  const struct {
    Code code;
    Iterates iterates;
    bool several;
  } all[] = {{"f3 a5", Iterates::kByStore, true},       {"f3 ab", Iterates::kByStore, false},
             {"f3 ac", Iterates::kByLoad, false},       {"f2 ae", Iterates::kByLoad, false},
             {"f3 6f", Iterates::kByLoad, false},       {"f3 a7", Iterates::kBySecondLoad, true},
             {"f3 6d", Iterates::kBySecondStore, false}};
  for (const auto& a : all) {
    EXPECT_EQ(x86_insn(a.code).iterates, a.iterates) << unsigned(a.code[1]);
    EXPECT_EQ(x86_insn(a.code).several, a.several) << unsigned(a.code[1]);
    EXPECT_EQ(x86_insn(a.code, 32 | PB_X86_SINGLE).iterates, Iterates::kNot) << unsigned(a.code[1]);
    EXPECT_EQ(x86_insn({a.code[1]}).iterates, Iterates::kNot) << unsigned(a.code[1]);
  }
  EXPECT_TRUE(x86_insn("f3 6d").probes);
  EXPECT_FALSE(x86_insn("f3 6d", 32 | PB_X86_SINGLE).several);
  EXPECT_TRUE(x86_insn("f3 a5", 32 | PB_X86_SINGLE).several);
  EXPECT_FALSE(x86_insn("f3 a5").probes);
}

TEST(IsaX86, NoAccess) {
  const auto accesses = [](const Code& c) { return x86().quirks(c.data(), c.size(), 64).accesses; };
  EXPECT_FALSE(accesses("75 db")) << "jne";
  EXPECT_FALSE(accesses("2e 0f 85 00 00 00 00")) << "jne, 32-bit displacement";
  EXPECT_FALSE(accesses("0f 94 c0")) << "sete %al";
  EXPECT_TRUE(accesses("0f 94 00")) << "sete (%rax)";
  EXPECT_FALSE(accesses("48 0f 44 c1")) << "cmove %rcx, %rax";
  EXPECT_TRUE(accesses("48 0f 44 01")) << "cmove (%rcx), %rax";
  EXPECT_TRUE(accesses("8f 00")) << "pop (%rax)";
}

TEST(IsaX86, Pieces) {
  const Pieces ten = {.begins = 0x101}, one = {.begins = 1};
  const Pieces environment = {.more = 4, .more_bytes = 4, .more_from = 4},
               half = {.more = 4, .more_bytes = 2, .more_from = 2};
  const struct {
    Code code;
    uint32_t mode;
    Pieces pieces;
  } all[] = {
      {"df 26", 32, ten},
      {"df 36", 32, ten},
      {"df e0", 32, {}},  // fbld fbstp fnstsw
      {"d9 26", 32, environment},
      {"66 d9 26", 32, half},
      {"d9 24", 16, half},
      {"dd 26", 32, environment},
      {"d9 e0", 32, {}},
      {"d9 36", 32, {}},  // frstor fchs fnstenv
      {"0f f7 c1", 32, one},
      {"66 0f f7 c1", 32, one},
      {"66 44 0f f7 c1", 64, one},  // %xmm8
      {"c5 f9 f7 c1", 64, one},
      {"0f ae 0e", 32, {.more = 2, .more_bytes = 8, .more_from = 4}},  // fxrstor
      {"0f ae e8", 32, {}},                                            // lfence
      {"0f 2c c1", 32, {}},
      {"0f ae 06", 32, {.reserved = 1}},  // fxsave (%esi), xsave, xsaveopt
      {"48 0f ae 26", 64, {.reserved = 1}},
      {"0f ae 36", 32, {.reserved = 1}},
      {"c4 e2 71 2c 16", 32, {.mask = 1, .element = 4, .halves = 1}},  // vmaskmovps (%esi), %xmm1, %xmm2
      {"c4 e2 35 2d 16", 64, {.mask = 9, .element = 8, .halves = 2}},
      {"c4 e2 75 2e 17", 32, {.mask = 1, .element = 4, .halves = 2, .by_element = 1}},
      {"c4 e2 f1 8e 17", 32, {.mask = 1, .element = 8, .halves = 1, .by_element = 1}},
      {"c4 e2 f5 8c 17", 32, {.mask = 1, .element = 8, .halves = 2}},
  };
  for (const auto& a : all) {
    EXPECT_EQ(x86_insn(a.code, a.mode).pieces, a.pieces) << unsigned(a.code[0]) << " " << unsigned(a.code[1]);
    EXPECT_EQ(x86().quirks(a.code.data(), a.code.size(), a.mode).pieces, a.pieces) << unsigned(a.code[0]);
  }
}

TEST(Pieces, WhichBeginAnAccess) {
  const uint64_t mask[4] = {0x8000000000000000, 0, 0x80000000, 0x8000000080000000};  // elements 1; 4, 6, 7
  const uint64_t upper[4] = {0, 0x80000000, 0x8000000080000000, 0};
  Pieced p;
  const auto begins = [&p](unsigned accesses, bool store) {
    std::vector<int> steps;
    for (unsigned i = 0; i < accesses; ++i) {
      const Pieced::Step s = p.next(0x1000 + 4 * i, 4, store);
      steps.push_back(s.absent ? -1 : s.begins);
    }
    return steps;
  };
  using Steps = std::vector<int>;
  p.begin({.element = 4, .halves = 2, .by_element = 1}, mask);
  EXPECT_EQ(begins(4, true), (Steps{1, 1, 0, 0}));
  EXPECT_EQ(begins(4, true), (Steps{1, 1, 0, 0})) << "begun again";
  p.begin({.element = 8, .halves = 2}, mask);
  EXPECT_EQ(begins(2, false), (Steps{1, 1}));
  p.begin({.element = 8, .halves = 2}, upper);
  EXPECT_EQ(begins(2, false), (Steps{-1, 1})) << "of 64 bits, the third alone";
  p.begin({.begins = 0x101}, mask);
  EXPECT_EQ(begins(18, false), (Steps{1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1}));
}

TEST(Pieces, OfFxsaveTheReservedBytesAreNone) {
  Pieced p;
  p.begin({.reserved = 1}, nullptr);
  std::vector<unsigned> absent;
  for (unsigned at : {0, 2, 4, 6, 8, 16, 32, 40, 42, 44, 48, 152, 154, 156, 24, 28, 160, 170, 172}) {
    const Pieced::Step s = p.next(0x1000 + at, 2, true);
    EXPECT_NE(s.absent, s.begins);
    if (s.absent) absent.push_back(at);
  }
  EXPECT_EQ(absent, (std::vector<unsigned>{6, 42, 44, 154, 156})) << "as QEMU 11.1.3 stores them";
}

TEST(IsaX86, StoreOrder) {
  const auto order = [](const Code& c, uint32_t bits = 32) {
    const Quirks quirks = x86().quirks(c.data(), c.size(), bits);
    EXPECT_FALSE(quirks.hides_loads || quirks.hides_stores);
    return quirks.stores;
  };
  EXPECT_EQ(order("60"), StoreOrder::kDescending);
  EXPECT_EQ(order("66 60"), StoreOrder::kDescending);
  EXPECT_EQ(order("6c"), StoreOrder::kProbesFirst);
  EXPECT_EQ(order("f3 48 6d", 64), StoreOrder::kProbesFirst);
  EXPECT_EQ(order("0f 60 c1"), StoreOrder::kAsSeen) << "punpcklbw";
  EXPECT_EQ(order("40"), StoreOrder::kAsSeen);
  EXPECT_EQ(order({}), StoreOrder::kAsSeen);
  EXPECT_EQ(order("f3"), StoreOrder::kAsSeen);
}

TlbChange change(const Code& code, const Registers& r, uint32_t mode = 32, uint64_t address = 0) {
  EXPECT_TRUE(x86_insn(code, mode).translations);
  return x86().tlb_change(code.data(), code.size(), mode, address, r.at);
}

TEST(IsaX86, WhatBecomesOfTheTlb) {
  const TlbChange nothing, empties = {TlbChange::kEmpties};
  Registers r;
  r[PB_X86_CR0] = 0x80000011;
  EXPECT_EQ(change("0f 22 d8", r), empties) << "CR3";
  r[PB_X86_GENERAL] = 0x80000011 ^ 4;
  EXPECT_EQ(change("0f 22 c0", r), nothing) << "CR0, paging stays on";
  r[PB_X86_GENERAL] = 0x11;
  EXPECT_EQ(change("0f 22 c0", r), empties);
  r[PB_X86_GENERAL] = 0x200;
  EXPECT_EQ(change("0f 22 e0", r), nothing) << "CR4";
  r[PB_X86_GENERAL] = 0x20;
  EXPECT_EQ(change("0f 22 e0", r), empties) << "CR4.PAE";
  EXPECT_EQ(change("66 0f 38 82 00", r), empties) << "INVPCID";
  r[PB_X86_GENERAL + 3] = 0xfffff000;
  r[PB_X86_GENERAL + 1] = 0x400;
  r[PB_X86_SEGMENT_BASE + 3] = 0x10000;
  EXPECT_EQ(change("0f 01 7c 8b 10", r), (TlbChange{TlbChange::kDropsPage, 0x10010}))
      << "INVLPG 0x10(%ebx,%ecx,4) wraps, then DS";
  EXPECT_EQ(change("0f 01 3d 00 01 00 00", r, 64, 0x7000),
            (TlbChange{TlbChange::kDropsPage, 0x7000 + 7 + 0x100}))
      << "INVLPG 0x100(%rip)";
  EXPECT_TRUE(x86_insn("0f 01 3d 00 01 00 00", 64).relative);
  EXPECT_FALSE(x86_insn("0f 01 7c 8b 10").relative);
  r[PB_X86_CPL] = 3;
  EXPECT_EQ(change("0f 22 d8", r), nothing) << "it will fault";
}

TEST(IsaX86, Classes) {
  const struct {
    Code code;
    Op op;
    const char* text;
  } all[] = {
      {"01 c8", Op::kInteger, "add %ecx,%eax"},
      {"8d 44 88 04", Op::kInteger, "lea"},
      {"0f af c1", Op::kMultiply, "imul"},
      {"f7 f1", Op::kDivide, "div"},
      {"8b 00", Op::kLoad, "mov (%eax),%eax"},
      {"03 00", Op::kLoad, "add (%eax),%eax"},
      {"39 00", Op::kLoad, "cmp %eax,(%eax)"},
      {"58", Op::kLoad, "pop"},
      {"89 00", Op::kStore, "mov %eax,(%eax)"},
      {"50", Op::kStore, "push"},
      {"01 08", Op::kLoadStore, "add %ecx,(%eax)"},
      {"f0 0f b1 08", Op::kLoadStore, "lock cmpxchg"},
      {"d9 00", Op::kFloatLoad, "flds"},
      {"dd 18", Op::kFloatStore, "fstpl"},
      {"d8 c1", Op::kFloatAdd, "fadd"},
      {"dc 08", Op::kFloatMultiply, "fmull"},
      {"d9 fa", Op::kFloatRoot, "fsqrt"},
      {"f2 0f 58 c1", Op::kFloatAdd, "addsd"},
      {"66 0f 2e c1", Op::kFloatCompare, "ucomisd"},
      {"f2 0f 2a c0", Op::kFloatConvert, "cvtsi2sd"},
      {"f2 0f 10 00", Op::kFloatLoad, "movsd (%eax),%xmm0"},
      {"f2 0f 11 00", Op::kFloatStore, "movsd %xmm0,(%eax)"},
      {"0f 58 c1", Op::kVector, "addps"},
      {"0f 28 00", Op::kVectorLoad, "movaps"},
      {"0f 29 00", Op::kVectorStore, "movaps"},
      {"eb 00", Op::kBranch, "jmp"},
      {"cf", Op::kBranch, "iret"},
      {"0f 0b", Op::kTrap, "ud2"},
      {"cd 80", Op::kSystemCall, "int"},
      {"cc", Op::kTrap, "int3"},
      {"ce", Op::kTrap, "into"},
      {"0f ae f0", Op::kSync, "mfence"},
      {"0f 18 08", Op::kCache, "prefetcht0"},
      {"0f 22 d8", Op::kSpecial, "mov %eax,%cr3"},
      {"fa", Op::kSystem, "cli"},
      {"e4 60", Op::kSystem, "in"},
      {"f4", Op::kSystem, "hlt"},
      {"0f ff", Op::kTrap, "ud0"},
      {"0f bf 00", Op::kLoad, "movswl (%eax),%eax"},
      {"f3 ab", Op::kStore, "rep stos"},
      {"f2 ae", Op::kLoad, "repne scas"},
      {"f3 a6", Op::kLoad, "repe cmps"},
      {"f3 a5", Op::kLoadStore, "rep movs"},
      {"f3 6d", Op::kSystem, "rep ins"},
      {"c8 10 00 00", Op::kStore, "enter"},
      {"d7", Op::kLoad, "xlat"},
      {"0f 35", Op::kSystem, "sysexit"},
      {"f3 0f 09", Op::kCache, "wbnoinvd"},
      {"0f 01 d0", Op::kSpecial, "xgetbv"},
      {"0f 77", Op::kFloatMove, "emms"},
      {"0f ae 10", Op::kFloatMove, "ldmxcsr (%eax)"},
      {"c5 f8 77", Op::kVector, "vzeroupper"},
      {"66 0f f7 c1", Op::kVectorStore, "maskmovdqu"},
      {"0f 0a", Op::kUnknown, "no instruction"},
  };
  for (const auto& a : all) EXPECT_EQ(unsigned(x86_insn(a.code).op), unsigned(a.op)) << a.text;
  EXPECT_EQ(x86_insn("48 0f 07", 64).op, Op::kSystem) << "sysretq";
  EXPECT_EQ(x86_insn("48 0f 35", 64).op, Op::kSystem) << "sysexitq";
  EXPECT_EQ(x86_insn("66 0f ae 30", 64).op, Op::kCache) << "clwb (%rax)";
  EXPECT_EQ(x86_insn("0f 1c 00", 64).op, Op::kInteger) << "cldemote (%rax)";
}

TEST(IsaX86, WhatChangesTranslationsAndHowOftenItAccesses) {
  EXPECT_FALSE(x86_insn("66 0f 3a 22 03 05").translations) << "pinsrd $5,(%ebx),%xmm0";
  EXPECT_FALSE(x86_insn("66 0f 38 22 03").translations) << "pmovsxbq (%ebx),%xmm0";
  EXPECT_TRUE(x86_insn("ff 2b").several) << "ljmp *(%ebx)";
  EXPECT_FALSE(x86_insn("ff 23").several) << "jmp *(%ebx)";
}

TEST(IsaX86, WhatLocksTheBus) {
  const auto locked = [](const Code& c, uint32_t mode = 64) {
    return x86().quirks(c.data(), c.size(), mode).locked;
  };
  EXPECT_TRUE(locked("f0 48 0f b1 0f"));            // lock cmpxchg %rcx, (%rdi)
  EXPECT_TRUE(locked("f0 01 07"));                  // lock add %eax, (%rdi)
  EXPECT_TRUE(locked("66 f0 41 0f c7 08"));         // prefixes before and behind
  EXPECT_TRUE(locked("f2 f0 01 07"));               // xacquire lock add
  EXPECT_TRUE(locked("87 07") && locked("86 07"));  // xchg with memory
  EXPECT_TRUE(locked("48 87 47 08") && locked("87 07", 32));
  EXPECT_FALSE(locked("87 c1") || locked("48 87 c1"));  // xchg of registers
  EXPECT_FALSE(locked("0f b1 0f"));                     // cmpxchg
  EXPECT_FALSE(locked("01 07") || locked("0f c1 07"));
  EXPECT_FALSE(locked("0f 87 00 00 00 00") || locked("0f 86 00 00 00 00"));  // ja, jbe
  EXPECT_FALSE(locked("f3 a4") || locked("40", 32) || locked("f0"));
}

TEST(IsaX86, WhatEmptiesWriteCombiningBuffers) {
  const struct {
    const char* text;
    bool drains;
    std::vector<Code> codes;
  } all[] = {
      {"sfence mfence", true, {"0f ae f8", "0f ae f0"}},
      {"locked", true, {"f0 83 04 24 00", "87 07"}},
      {"in out", true, {"e4 80", "e5 80", "e6 80", "e7 80", "ec", "ed", "ee", "ef"}},
      {"ins outs", true, {"6c", "6d", "6e", "f3 6f"}},
      {"iret", true, {"cf", "48 cf"}},
      {"cpuid wrmsr invd wbinvd rsm wbnoinvd",
       true,
       {"0f a2", "0f 30", "0f 08", "0f 09", "0f aa", "f3 0f 09"}},
      {"to CR3 CR0 DR7", true, {"0f 22 d8", "0f 22 c0", "41 0f 22 d8", "0f 23 f8"}},
      {"invlpg lgdt lidt serialize", true, {"0f 01 38", "0f 01 10", "0f 01 18", "0f 01 e8"}},
      {"lldt ltr invpcid", true, {"0f 00 d0", "0f 00 18", "66 0f 38 82 00"}},
      {"lfence clflush xsaveopt", false, {"0f ae e8", "0f ae 38", "0f ae 30"}},
      {"to CR8; from CR and DR", false, {"44 0f 22 c0", "0f 20 d8", "0f 21 f8"}},
      {"smsw sgdt swapgs xgetbv", false, {"0f 01 20", "0f 01 00", "0f 01 f8", "0f 01 d0"}},
      {"sldt rdmsr rdtsc syscall", false, {"0f 00 c0", "0f 32", "0f 31", "0f 05"}},
      {"movntq movnti pshufb", false, {"48 0f e7 07", "0f c3 07", "66 0f 38 00 c1"}},
      {"branches", false, {"e8 00 00 00 00", "e3 00", "e0 00", "c3", "cb"}},
      {"hlt nop pause mov movs", false, {"f4", "90", "f3 90", "8e d8", "a4"}},
      {"cut off", false, {"0f", "0f ae"}},
  };
  for (const auto& a : all)
    for (const Code& c : a.codes) EXPECT_EQ(x86().quirks(c.data(), c.size(), 64).drains, a.drains) << a.text;
}

constexpr uint64_t kX86Address = 0xffffffff81000000;

ModelInsn x86_operands_of(const Code& code, uint32_t mode = 64) {
  const ModelInsn insn = x86().model(code.data(), code.size(), mode, kX86Address);
  const Insn decoded = x86().decode(code.data(), code.size(), mode);
  EXPECT_EQ(insn.op, decoded.op);
  EXPECT_EQ(insn.bytes, decoded.bytes);
  EXPECT_EQ(insn.branch, decoded.branch);
  EXPECT_EQ(insn.address, kX86Address);
  return insn;
}

struct X86Row {
  Code code;
  const char *text, *operands;  // describe_insn.h: r0 is RAX; cr0 the flags; f0 ST0 or MM0; v0 XMM0
  uint32_t mode = 64;
};

// One of a kind; the digests of IsaX86Releases below hold the others to what they are.
// clang-format off
const X86Row kX86Rows[] = {
    {"48 01 d8", "add rax,rbx", "r0 r3 > cr0 r0"},
    {"03 04 8b", "add eax,[rbx+rcx*4]", "[r3 r1] r0 > cr0 r0 | load"},
    {"01 03", "add [rbx],eax", "[r3] r0 > cr0 | load store"},
    {"48 11 d8", "adc rax,rbx", "cr0 r0 r3 > cr0 r0"},
    {"48 39 d8", "cmp rax,rbx", "r0 r3 > cr0"},
    {"39 03", "cmp [rbx],eax", "[r3] r0 > cr0 | load"},
    {"a8 01", "test al,1", "r0 > cr0"},
    {"85 0b", "test [rbx],ecx", "[r3] r1 > cr0 | load"},
    {"f6 c1 01", "test cl,1", "r1 > cr0"},
    {"31 c0", "xor eax,eax", "r0 > cr0 r0"},
    {"ff 0b", "dec dword ptr [rbx]", "[r3] > cr0 | load store"},
    {"48 f7 d8", "neg rax", "r0 > cr0 r0"},
    {"48 f7 d0", "not rax", "r0 > r0"},
    {"48 89 d8", "mov rax,rbx", "r3 > r0"},
    {"48 8b 03", "mov rax,[rbx]", "[r3] > r0 | load"},
    {"48 89 03", "mov [rbx],rax", "[r3] r0 > | store"},
    {"48 b8 88 77 66 55 44 33 22 11", "movabs rax,0x1122334455667788", "> r0"},
    {"a0 88 77 66 55 44 33 22 11", "movabs al,[0x1122334455667788]", "> r0 | load"},
    {"48 0f bf 03", "movsx rax,word ptr [rbx]", "[r3] > r0 | load"},
    {"48 63 c3", "movsxd rax,ebx", "r3 > r0"},
    {"48 8d 44 4b 08", "lea rax,[rbx+rcx*2+8]", "r3 r1 > r0"},
    {"48 8d 05 08 00 00 00", "lea rax,[rip+8]", "> r0"},
    {"48 8b 05 08 00 00 00", "mov rax,[rip+8]", "> r0 | load"},
    {"64 48 8b 04 25 28 00 00 00", "mov rax,fs:[0x28]", "> r0 | load"},
    {"48 93", "xchg rax,rbx", "r0 r3 > r0 r3"},
    {"87 c3", "xchg ebx,eax", "r0 r3 > r0 r3"},
    {"87 d8", "xchg eax,ebx", "r0 r3 > r0 r3"},
    {"48 87 03", "xchg [rbx],rax", "[r3] r0 > r0 | load store"},
    {"48 0f c1 03", "xadd [rbx],rax", "[r3] r0 > r0 cr0 | load store"},
    {"f0 48 0f b1 0b", "lock cmpxchg [rbx],rcx", "[r3] r0 r1 > r0 cr0 | load store"},
    {"48 0f c7 0b", "cmpxchg16b [rbx]", "[r3] r0 r1 r2 > r0 r2 cr0 | load store"},
    {"66 0f c9", "bswap cx", "r1 > r1"},
    {"d3 e0", "shl eax,cl", "r1 r0 > cr0 r0"},
    {"d1 3b", "sar dword ptr [rbx],1", "[r3] > cr0 | load store"},
    {"48 0f a5 d8", "shld rax,rbx,cl", "r1 r0 r3 > cr0 r0"},
    {"d1 d0", "rcl eax,1", "r0 cr0 > cr0 r0"},
    {"0f a3 d8", "bt eax,ebx", "r0 r3 > cr0"},
    {"0f ab 03", "bts dword ptr [rbx],eax", "[r3] r0 > cr0 | load store"},
    {"f3 0f b8 c3", "popcnt eax,ebx", "r3 > cr0 r0"},
    {"c4 e2 60 f2 c1", "andn eax,ebx,ecx", "r3 r1 > cr0 r0"},
    {"c4 e2 e3 f6 c1", "mulx rax,rbx,rcx", "r2 r1 > r0 r3"},
    {"48 0f af c3", "imul rax,rbx", "r0 r3 > cr0 r0"},
    {"48 6b c3 05", "imul rax,rbx,5", "r3 > cr0 r0"},
    {"48 f7 eb", "imul rbx", "r0 r3 > r0 r2 cr0"},
    {"f7 3b", "idiv dword ptr [rbx]", "[r3] r0 r2 > r0 r2 cr0 | load"},
    {"99", "cdq", "r0 > r0 r2"},
    {"48 98", "cdqe", "r0 > r0"},
    {"0f 94 03", "sete [rbx]", "[r3] cr0 > | store"},
    {"48 0f 45 03", "cmovne rax,[rbx]", "[r3] cr0 r0 > r0 | load"},
    {"50", "push rax", "[r4] r0 > r4 | store update"},
    {"ff 33", "push [rbx]", "[r3 r4] > r4 | load store update"},
    {"58", "pop rax", "[r4] > r4 r0 | load update"},
    {"8f 03", "pop [rbx]", "[r3 r4] > r4 | load store update"},
    {"9c", "pushfq", "[r4] cr0 > r4 | store update"},
    {"9d", "popfq", "[r4] > r4 cr0 | load update"},
    {"c9", "leave", "[r5] r4 > r5 r4 | load"},
    {"c8 10 00 00", "enter 16,0", "[r4] r5 > r4 r5 | store update"},
    {"e8 0b 00 00 00", "call .+16", "[r4] > r4 | store branch call"},
    {"ff d0", "call rax", "[r4] r0 > r4 | store branch ?ctr call"},
    {"ff 13", "call [rbx]", "[r3 r4] > r4 | load store branch ?ctr call"},
    {"c3", "ret", "[r4] > r4 | load branch ?lr"},
    {"48 cb", "retfq", "[r4] > r4 | 2 loads branch ?lr"},
    {"48 cf", "iretq", "[r4] > r4 | 5 loads branch return serializes"},
    {"eb 0e", "jmp .+16", "> | branch"},
    {"ff e0", "jmp rax", "r0 > | branch ?ctr"},
    {"ff 24 cb", "jmp [rbx+rcx*8]", "[r3 r1] > | load branch ?ctr"},
    {"75 0e", "jne .+16", "cr0 > | branch conditional ?cr"},
    {"e3 02", "jrcxz .+4", "r1 > | branch conditional ?cr"},
    {"e2 02", "loop .+4", "r1 > r1 ctr | branch conditional ?ctr"},
    {"e0 02", "loopne .+4", "r1 cr0 > r1 ctr | branch conditional ?cr ?ctr"},
    {"a4", "movsb", "[r7 r6] > r7 r6 | load store update"},
    {"f3 a4", "rep movsb", "[r7 r6] r1 > r7 r6 r1 | load store update repeats"},
    {"f3 48 ab", "rep stosq", "[r7] r0 r1 > r1 r7 | store update repeats"},
    {"f2 ae", "repne scasb", "[r7] r0 r1 > r7 cr0 r1 | load update repeats"},
    {"f3 a6", "repe cmpsb", "[r6 r7] r1 > r7 r6 cr0 r1 | 2 loads update repeats"},
    {"6c", "insb", "[r7] r2 > r7 | store update"},
    {"6e", "outsb", "[r6] r2 > r6 | load update"},
    {"ed", "in eax,dx", "r2 > r0"},
    {"ef", "out dx,eax", "r2 r0 >"},
    {"90", "nop", ">"},
    {"0f 1f 00", "nop dword ptr [rax]", ">"},
    {"f3 90", "pause", ">"},
    {"f3 0f 1e fa", "endbr64", ">"},
    {"f4", "hlt", ">"},
    {"fa", "cli", ">"},
    {"fc", "cld", ">"},
    {"fd", "std", ">"},
    {"f8", "clc", "> cr0"},
    {"9f", "lahf", "cr0 > r0"},
    {"9e", "sahf", "r0 > cr0"},
    {"cd 80", "int 0x80", "> | serializes"},
    {"cc", "int3", "> | serializes"},
    {"0f 0b", "ud2", ">"},
    {"0f 05", "syscall", "> | serializes"},
    {"48 0f 07", "sysretq", "> | return serializes"},
    {"66 e8 00 00 00 00", "data16 call .+6", "[r4] > r4 | store branch call"},
    {"66 0f 84 00 00 00 00", "data16 je .+7", "cr0 > | branch conditional ?cr"},
    {"66 0f ae 33", "clwb [rbx]", "[r3] >"},
    {"f3 0f c7 f9", "rdpid rcx", "> r1"},
    {"0f 1c 03", "cldemote [rbx], a hint", ">"},
    {"0f 34", "sysenter", "> | serializes"},
    {"0f 01 f8", "swapgs", ">"},
    {"0f a2", "cpuid", "r0 r1 > r0 r3 r1 r2 | serializes"},
    {"0f 31", "rdtsc", "> r0 r2"},
    {"0f 01 f9", "rdtscp", "> r0 r1 r2"},
    {"0f 32", "rdmsr", "r1 spr > r0 r2"},
    {"0f 30", "wrmsr", "r0 r1 r2 > spr | serializes"},
    {"48 0f c7 f0", "rdrand rax", "> cr0 r0"},
    {"0f 20 c0", "mov rax,cr0", "spr > r0"},
    {"0f 22 d8", "mov cr3,rax", "r0 > spr | serializes"},
    {"8e d8", "mov ds,eax", "r0 >"},
    {"0f 01 13", "lgdt [rbx]", "[r3] > | 2 loads serializes"},
    {"0f 01 0b", "sidt [rbx]", "[r3] > | 2 stores"},
    {"0f 00 d8", "ltr ax", "r0 > | serializes"},
    {"0f 01 3b", "invlpg [rbx]", "[r3] > | serializes"},
    {"0f 01 d0", "xgetbv", "r1 > r2 r0"},
    {"0f ae 23", "xsave [rbx]", "[r3] r2 r0 > | stores?"},
    {"0f ae 2b", "xrstor [rbx]", "[r3] r2 r0 > | loads?"},
    {"0f ae 03", "fxsave [rbx]", "[r3] > | stores?"},
    {"0f ae f0", "mfence", "> | serializes"},
    {"0f ae e8", "lfence", "> | serializes"},
    {"0f ae f8", "sfence", ">"},
    {"0f ae 3b", "clflush [rbx]", "[r3] >"},
    {"0f 18 0b", "prefetcht0 [rbx]", "[r3] >"},
    {"d9 03", "fld dword ptr [rbx]", "[r3] > f0 | load float"},
    {"d9 c3", "fld st(3)", "f3 > f0"},
    {"d9 ee", "fldz", "> f0"},
    {"dd d2", "fst st(2)", "f0 > f2"},
    {"dd d9", "fstp st(1)", "f0 > f1"},
    {"dd 1b", "fstp qword ptr [rbx]", "[r3] f0 > | store float"},
    {"d8 c2", "fadd st,st(2)", "f0 f2 > f0 fpscr"},
    {"dc c2", "fadd st(2),st", "f0 f2 > f2 fpscr"},
    {"de c1", "faddp", "f0 f1 > f1 fpscr"},
    {"d8 03", "fadd dword ptr [rbx]", "[r3] f0 > f0 fpscr | load"},
    {"dc 0b", "fmul qword ptr [rbx]", "[r3] f0 > f0 fpscr | load"},
    {"de fb", "fdivp st(3),st", "f0 f3 > f3 fpscr"},
    {"d9 fa", "fsqrt", "f0 > f0 fpscr"},
    {"d9 e0", "fchs", "f0 > f0"},
    {"d8 d1", "fcom st(1)", "f0 f1 > fpscr"},
    {"da e9", "fucompp", "f0 f1 > fpscr"},
    {"db e9", "fucomi st,st(1)", "f0 f1 > cr0 fpscr"},
    {"df f1", "fcomip st,st(1)", "f0 f1 > cr0 fpscr"},
    {"d9 c9", "fxch st(1)", "f0 f1 > f0 f1"},
    {"df e0", "fnstsw ax", "fpscr > r0"},
    {"d9 3b", "fnstcw [rbx]", "[r3] fpscr > | store"},
    {"d9 2b", "fldcw [rbx]", "[r3] > fpscr | load"},
    {"db e3", "fninit", "> fpscr"},
    {"0f 77", "emms", ">"},
    {"da c2", "fcmovb st,st(2)", "f0 f2 cr0 > f0"},
    {"d9 fc", "frndint", "f0 > f0 fpscr"},
    {"d9 f8", "fprem", "f0 f1 > f0"},
    {"f3 0f 58 c1", "addss xmm0,xmm1", "v0 v1 > v0 fpscr | single"},
    {"f2 0f 58 03", "addsd xmm0,qword ptr [rbx]", "[r3] v0 > v0 fpscr | load"},
    {"f2 45 0f 59 c1", "mulsd xmm8,xmm9", "v8 v9 > v8 fpscr"},
    {"f2 0f 51 c1", "sqrtsd xmm0,xmm1", "v1 > v0 fpscr"},
    {"0f 58 c1", "addps xmm0,xmm1", "v0 v1 > v0"},
    {"66 0f 58 03", "addpd xmm0,[rbx]", "[r3] v0 > v0 | load float"},
    {"f3 0f 10 c1", "movss xmm0,xmm1", "v0 v1 > v0"},
    {"f3 0f 10 03", "movss xmm0,dword ptr [rbx]", "[r3] > v0 | load float"},
    {"f2 0f 11 03", "movsd qword ptr [rbx],xmm0", "[r3] v0 > | store float"},
    {"0f 29 03", "movaps [rbx],xmm0", "[r3] v0 > | store float"},
    {"66 0f 6e c0", "movd xmm0,eax", "r0 > v0"},
    {"66 48 0f 7e c0", "movq rax,xmm0", "v0 > r0"},
    {"0f 16 03", "movhps xmm0,[rbx]", "[r3] v0 > v0 | load float"},
    {"66 0f 13 03", "movlpd [rbx],xmm0", "[r3] v0 > | store float"},
    {"0f 50 c0", "movmskps eax,xmm0", "v0 > r0"},
    {"f2 0f 2a c0", "cvtsi2sd xmm0,eax", "r0 > v0 fpscr"},
    {"f2 0f 2c c0", "cvttsd2si eax,xmm0", "v0 > r0 fpscr"},
    {"0f 5b c1", "cvtdq2ps xmm0,xmm1", "v1 > v0"},
    {"66 0f 2e c1", "ucomisd xmm0,xmm1", "v0 v1 > cr0 fpscr"},
    {"0f 2f 03", "comiss xmm0,dword ptr [rbx]", "[r3] v0 > cr0 fpscr | load single"},
    {"f2 0f c2 c1 01", "cmpsd xmm0,xmm1,1", "v0 v1 > v0 fpscr"},
    {"f2 0f 5f c1", "maxsd xmm0,xmm1", "v0 v1 > v0"},
    {"f3 0f 52 c1", "rsqrtss xmm0,xmm1", "v1 > v0"},
    {"0f c6 c1 01", "shufps xmm0,xmm1,1", "v0 v1 > v0"},
    {"66 0f ef c0", "pxor xmm0,xmm0", "v0 > v0"},
    {"66 0f 70 c1 01", "pshufd xmm0,xmm1,1", "v1 > v0"},
    {"66 0f c4 c0 01", "pinsrw xmm0,eax,1", "v0 r0 > v0"},
    {"66 0f c5 c0 01", "pextrw eax,xmm0,1", "v0 > r0"},
    {"66 0f 38 17 c1", "ptest xmm0,xmm1", "v0 v1 > cr0"},
    {"66 0f 3a 0b c1 03", "roundsd xmm0,xmm1,3", "v0 v1 > v0 fpscr"},
    {"66 0f 38 10 c1", "pblendvb xmm0,xmm1", "v0 v1 > v0"},
    {"f2 0f 38 f1 c3", "crc32 eax,ebx", "r0 r3 > r0"},
    {"66 0f 3a 63 c1 01", "pcmpistri xmm0,xmm1,1", "v0 v1 > r1 cr0"},
    {"66 0f 3a 62 c1 01", "pcmpistrm xmm0,xmm1,1", "v0 v1 > v0 cr0"},
    {"66 0f 3a 60 c1 01", "pcmpestrm xmm0,xmm1,1", "r0 r2 v0 v1 > v0 cr0"},
    {"0f fd c1", "paddw mm0,mm1", "f0 f1 > f0"},
    {"0f c3 03", "movnti [rbx],eax", "[r3] r0 > | store"},
    {"66 0f f7 c1", "maskmovdqu xmm0,xmm1", "[r7] v0 v1 > | store float"},
    {"0f ae 13", "ldmxcsr [rbx]", "[r3] > fpscr | load"},
    {"0f ae 1b", "stmxcsr [rbx]", "[r3] fpscr > | store"},
    {"c5 f3 58 c2", "vaddsd xmm0,xmm1,xmm2", "v1 v2 > v0 fpscr"},
    {"c5 f5 58 03", "vaddpd ymm0,ymm1,[rbx]", "[r3] v1 > v0 | load float"},
    {"c5 fc 29 03", "vmovaps [rbx],ymm0", "[r3] v0 > | store float"},
    {"c4 e2 f1 b9 c2", "vfmadd231sd xmm0,xmm1,xmm2", "v0 v1 v2 > v0 fpscr"},
    {"c4 e2 75 a8 c2", "vfmadd213ps ymm0,ymm1,ymm2", "v0 v1 v2 > v0"},
    {"c4 e2 71 9d 03", "vfnmadd132ss xmm0,xmm1,dword ptr [rbx]", "[r3] v0 v1 > v0 fpscr | load single"},
    {"c4 e2 7d 58 c1", "vpbroadcastd ymm0,xmm1", "v1 > v0"},
    {"c5 f8 77", "vzeroupper", ">"},
    {"c4 e2 69 92 04 8b", "vgatherdps xmm0,[rbx+xmm1*4],xmm2", "[r3 v1] v2 > v0 | load float"},
    {"c4 e3 71 4a c2 30", "vblendvps xmm0,xmm1,xmm2,xmm3", "v1 v2 v3 > v0"},
    {"c5 f3 2a c0", "vcvtsi2sd xmm0,xmm1,eax", "v1 r0 > v0 fpscr"},
    {"c5 f2 10 c2", "vmovss xmm0,xmm1,xmm2", "v1 v2 > v0"},
    {"c5 f3 51 c2", "vsqrtsd xmm0,xmm1,xmm2", "v1 v2 > v0 fpscr"},
    {"0f 38 f0 03", "movbe eax,[rbx]", "[r3] > r0 | load"},
    {"66 0f 38 f6 c3", "adcx eax,ebx", "cr0 r0 r3 > cr0 r0"},
    {"d7", "xlatb", "[r3 r0] > r0 | load"},
    {"40", "inc eax", "r0 > cr0 r0", 32},
    {"1e", "push ds", "[r4] > r4 | store update", 32},
    {"07", "pop es", "[r4] > r4 | load update", 32},
    {"60", "pushad", "[r4] r7 r6 r5 r3 r2 r1 r0 > r4 | 8 stores update", 32},
    {"61", "popad", "[r4] > r4 r7 r6 r5 r3 r2 | 8 loads update", 32},
    {"50", "push eax", "[r4] r0 > r4 | store update", 32},
    {"c4 03", "les eax,[ebx]", "[r3] > r0 | load", 32},
    {"62 03", "bound eax,[ebx]", "[r3] > r0 | 2 loads", 32},
    {"9a 00 10 00 00 10 00", "call 0x10:0x1000", "[r4] > r4 | 2 stores branch call", 32},
    {"cf", "iretd", "[r4] > r4 | 3 loads branch return serializes", 32},
    {"0f c7 0e", "cmpxchg8b [esi]", "[r6] r0 r3 r1 r2 > r0 r2 cr0 | load store", 32},
    {"8b 44 75 00", "mov eax,[ebp+esi*2]", "[r5 r6] > r0 | load", 32},
    {"ce", "into", "cr0 > | serializes", 32},
    {"d4 0a", "aam", "r0 > r0 cr0", 32},
    {"27", "daa", "cr0 r0 > r0 cr0", 32},
    {"e3 02", "jecxz .+4", "r1 > | branch conditional ?cr", 32},
    {"8b 00", "mov ax,[bx+si]", "[r3 r6] > r0 | load", 16},
    {"89 46 00", "mov [bp],ax", "[r5] r0 > | store", 16},
    {"50", "push ax", "[r4] r0 > r4 | store update", 16},
    {"cb", "retf", "[r4] > r4 | 2 loads branch ?lr", 16},
    {"ac", "lodsb", "[r6] > r0 r6 | load update", 16},
};
// clang-format on

TEST(IsaX86Operands, ByHand) {
  for (const X86Row& row : kX86Rows) {
    const ModelInsn insn = x86_operands_of(row.code, row.mode);
    EXPECT_EQ(describe(insn), row.operands) << row.text;
    const X86Opcode x = x86_opcode(row.code.data(), row.code.size(), row.mode);
    EXPECT_EQ(insn.opcode, unsigned{x.map} << 8 | x.opcode) << row.text;
    EXPECT_EQ(insn.bytes, row.code.size()) << row.text;
  }
}

// Prefixes that mean nothing, those of the size, and LOCK change no register.
TEST(IsaX86Operands, Prefixes) {
  for (const uint8_t prefix : {0x2e, 0x3e, 0x26, 0xf2, 0xf3, 0x66}) {
    const ModelInsn insn = x86_operands_of({prefix, 0x48, 0x01, 0xd8});
    EXPECT_EQ(describe(insn), "r0 r3 > cr0 r0") << unsigned{prefix};
    EXPECT_EQ(insn.opcode, 0x01u);
    EXPECT_EQ(insn.bytes, 4);
  }
  EXPECT_EQ(describe(x86_operands_of("f0 01 03")), "[r3] r0 > cr0 | load store") << "lock add [rbx],eax";
  EXPECT_EQ(describe(x86_operands_of("f3 c3")), "[r4] > r4 | load branch ?lr") << "rep ret";
  EXPECT_FALSE(x86_operands_of("f3 c3").repeats);
  EXPECT_TRUE(x86_operands_of("f3 a4", 64 | PB_X86_SINGLE).repeats);
}

TEST(IsaX86Operands, HighHalvesAndNewRegisters) {
  EXPECT_EQ(describe(x86_operands_of("88 e7")), "r0 > r3") << "mov bh,ah";
  EXPECT_EQ(describe(x86_operands_of("40 88 e7")), "r4 > r7") << "mov dil,spl";
  EXPECT_EQ(describe(x86_operands_of("45 88 fc")), "r15 > r12") << "mov r12b,r15b";
  EXPECT_EQ(describe(x86_operands_of("47 8b 3c c8")), "[r8 r9] > r15 | load") << "mov r15d,[r8+r9*8]";
  EXPECT_EQ(describe(x86_operands_of("c4 41 7c 28 fe")), "v14 > v15") << "vmovaps ymm15,ymm14";
}

TEST(IsaX86Operands, OpcodesOfEveryMap) {
  const struct {
    Code code;
    unsigned bits, map, opcode, modrm;
  } all[] = {
      {"90", 64, 0, 0x90, 0},
      {"f3 48 0f b8 c3", 64, 1, 0xb8, 0xc3},
      {"66 0f 38 dc c1", 64, 2, 0xdc, 0xc1},
      {"66 0f 3a 0b c1 03", 64, 3, 0x0b, 0xc1},
      {"c5 f8 77", 64, 1, 0x77, 0},
      {"c4 e2 f1 b9 c2", 64, 2, 0xb9, 0xc2},
      {"62 f1 7c 48 28 c1", 64, 1, 0x28, 0xc1},
      {"8f e9 78 80 c1", 64, 9, 0x80, 0xc1},
      {"8f 03", 64, 0, 0x8f, 0x03},
      {"c5 03", 32, 0, 0xc5, 0x03},
      {"c4 03", 32, 0, 0xc4, 0x03},
      {"62 03", 32, 0, 0x62, 0x03},
      {"c5 f8 77", 32, 1, 0x77, 0},
      {"40", 32, 0, 0x40, 0},
      {"66", 64, 0, 0, 0},
      {{}, 64, 0, 0, 0},
  };
  for (const auto& a : all) {
    const X86Opcode x = x86_opcode(a.code.data(), a.code.size(), a.bits);
    EXPECT_EQ(x.map, a.map) << unsigned(a.opcode);
    EXPECT_EQ(x.opcode, a.opcode) << unsigned(a.opcode);
    EXPECT_EQ(x.modrm, a.modrm) << unsigned(a.opcode);
  }
}

TEST(IsaX86Operands, WhatIsNoInstructionHasNone) {
  EXPECT_EQ(describe(x86_operands_of("0f 0a")), ">");
  EXPECT_EQ(describe(x86_operands_of("f0")), ">");
  EXPECT_EQ(x86().model(nullptr, 0, 64, 0), ModelInsn{});
}

// No bytes name what is no register, or one twice; and one instruction says the same each time, whatever was
// between.
TEST(IsaX86Operands, AllBytesAreLegal) {
  uint32_t random = 0;
  unsigned known = 0;
  for (unsigned i = 0; i < 150000; ++i) {
    Code code(16);
    for (uint8_t& byte : code) byte = static_cast<uint8_t>((random = random * 1664525 + 1013904223) >> 24);
    if (i & 1) code[0] = 0x0f;
    const uint32_t mode = i % 3 == 0 ? 16 : i % 3 == 1 ? 32 : 64;
    const ModelInsn insn = x86_operands_of(code, mode);
    ASSERT_LE(insn.address_reads, insn.reads);
    std::set<unsigned> reads, writes;
    for (const uint8_t reg : insn.read_registers())
      ASSERT_TRUE(reg < kModelRegisters && reads.insert(reg).second);
    for (const uint8_t reg : insn.write_registers())
      ASSERT_TRUE(reg < kModelRegisters && writes.insert(reg).second);
    const bool load = insn.op == Op::kLoad || insn.op == Op::kFloatLoad || insn.op == Op::kVectorLoad;
    const bool store = insn.op == Op::kStore || insn.op == Op::kFloatStore || insn.op == Op::kVectorStore;
    ASSERT_TRUE(!load || insn.loads) << describe(insn);
    ASSERT_TRUE(!store || insn.stores) << describe(insn);
    x86_operands_of("90", mode);
    ASSERT_EQ(x86_operands_of(code, mode), insn);
    known += insn.op != Op::kUnknown;
  }
  EXPECT_GT(known, 100000u);
}

// What is made of x86's instructions is the same with Debian 12's capstone, 4, and Debian 13's, 5: counts do
// not depend on the release that built the object. Each digest is of 16 opcodes with all kinds of operands.
// Where one of the two does not know an instruction, or takes bytes that are none for one, its opcode is left
// out here; the usual forms of it are in the other tables.

// Map << 8 | opcode.
constexpr unsigned kLeftOut[] = {
    0x063, 0x0dc, 0x0dd, 0x0de, 0x0df,  // movsxd; twins of x87's
    0x101, 0x10d, 0x112, 0x116, 0x11a, 0x11b, 0x11c, 0x11e,
    0x11f, 0x152, 0x153, 0x177,                              // pkru, prefetch, hints
    0x138, 0x13a, 0x178, 0x179, 0x1ae, 0x1c3, 0x1c7, 0x1ff,  // other maps, vmread, ud0
    0x2cf, 0x2f5, 0x2f6, 0x2f8, 0x2f9, 0x3ce, 0x3cf,         // gfni, shadow stacks, movdir
};
constexpr unsigned kLeftOutOfVex[] = {
    0x141, 0x142, 0x145, 0x146, 0x147, 0x14a, 0x14b, 0x290, 0x291,
    0x292, 0x293, 0x2cf,                                            // masks, gathers without index
    0x2dc, 0x2dd, 0x2de, 0x2df, 0x344, 0x348, 0x349, 0x3ce, 0x3cf,  // vaes, vpclmulqdq, XOP
};

class Digest {
 public:
  void add(const Code& code, uint32_t mode) {
    const Isa& isa = x86();
    const Insn i = isa.decode(code.data(), code.size(), mode);
    const Floats f = isa.floats(code.data(), code.size(), mode, 0);
    text(describe(isa.model(code.data(), code.size(), mode, 0)));
    for (const unsigned n : {unsigned(i.op), unsigned(i.bytes), unsigned(i.branch), unsigned(i.quiet),
                             unsigned(i.several), unsigned(i.iterates), unsigned(i.translations),
                             unsigned(f.format), unsigned(f.lanes), unsigned(f.has_memory)})
      text(std::to_string(n) + ",");
  }
  uint32_t value() const { return static_cast<uint32_t>(hash_ >> 32 ^ hash_); }

 private:
  void text(const std::string& s) {
    for (const char c : s) hash_ = (hash_ ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  }
  uint64_t hash_ = 0xcbf29ce484222325;
};

// Memory by one register, without displacement; registers; all of them for x87.
std::vector<uint8_t> operands(bool all) {
  std::vector<uint8_t> bytes;
  for (unsigned middle = 0; middle < 64; middle += 8) {
    bytes.push_back(static_cast<uint8_t>(middle | 3));
    for (unsigned last = all ? 0 : 1; last < (all ? 8 : 2); ++last)
      bytes.push_back(static_cast<uint8_t>(0xc0 | middle | last));
  }
  return bytes;
}

void add_opcode(Digest& digest, uint32_t mode, unsigned map, unsigned opcode) {
  constexpr uint8_t kPrefixes[] = {0, 0x66, 0xf3, 0xf2, 0x48};
  const bool x87 = map == 0 && opcode >= 0xd8 && opcode <= 0xdf;
  for (const uint8_t prefix : kPrefixes) {
    if (prefix == 0x48 && mode != 64) continue;
    for (const uint8_t modrm : operands(x87)) {
      Code code;
      if (prefix) code.push_back(prefix);
      if (map) code.push_back(0x0f);
      if (map > 1) code.push_back(map == 2 ? 0x38 : 0x3a);
      code.insert(code.end(), {static_cast<uint8_t>(opcode), modrm, 5, 0, 0, 0, 0, 0, 0, 0});
      digest.add(code, mode);
    }
  }
}

void add_vex_opcode(Digest& digest, unsigned map, unsigned opcode) {
  for (unsigned how = 0; how < 8; ++how)  // 256 bits, prefix
    for (const uint8_t modrm : operands(false))
      digest.add({0xc4, static_cast<uint8_t>(0xe0 | map), static_cast<uint8_t>(0x70 | how),
                  static_cast<uint8_t>(opcode), modrm, 0x30, 0, 0, 0, 0, 0},
                 64);
}

template <size_t kSize>
bool is_in(const unsigned (&list)[kSize], unsigned opcode) {
  return std::find(std::begin(list), std::end(list), opcode) != std::end(list);
}

// What needs no comparison: prefixes, and 0F.
bool is_no_opcode(uint32_t mode, unsigned opcode) {
  const bool prefix = opcode == 0x26 || opcode == 0x2e || opcode == 0x36 || opcode == 0x3e ||
                      (opcode >= 0x64 && opcode <= 0x67) || opcode == 0xf0 || opcode == 0xf2 ||
                      opcode == 0xf3;
  return prefix || opcode == 0x0f || (mode == 64 && opcode >> 4 == 4);
}

struct Expected {
  uint32_t mode;  // 0: VEX, 64-bit code
  unsigned map;
  uint32_t digest[16];  // of opcodes 00 to 0F, 10 to 1F, ...
};

// clang-format off
const Expected kExpected[] = {
    {32, 0, {0x76c878c2, 0xfe9db83b, 0x72919b14, 0xfe9434a8, 0x7e0c5852, 0xd8843bbe, 0x1be671e2, 0xa93ee872,
             0x48943c41, 0x6ec6eabe, 0x6764a425, 0x2924c96a, 0xfd062f07, 0x08330d2f, 0xb6b3934e, 0xa001d1ff}},
    {32, 1, {0x95eab0ed, 0x3ce9503e, 0xcdfcd02b, 0xba0629fe, 0x7519f24f, 0x57d39840, 0x4ab90531, 0x3ec72598,
             0x9a0c3460, 0xef187e03, 0xdb348604, 0xaadf189f, 0x7e60b4b3, 0x9935d69c, 0x4247f6b8, 0x90a5dfcc}},
    {32, 2, {0x0ba0fd12, 0xc44675a8, 0x6ce6d6e0, 0x96e35e27, 0x2bb52ba5, 0x109e0a65, 0x109e0a65, 0x109e0a65,
             0x22234bf1, 0x109e0a65, 0x109e0a65, 0x109e0a65, 0x12e0e016, 0xdfa8b41c, 0x109e0a65, 0x8d439eaa}},
    {32, 3, {0x15aeb081, 0x6fc95369, 0xfe0c4fa9, 0x109e0a65, 0x02fb9ab4, 0x109e0a65, 0x19d15f7c, 0x109e0a65,
             0x109e0a65, 0x109e0a65, 0x109e0a65, 0x109e0a65, 0xd5d79b70, 0x5eebb892, 0x109e0a65, 0x109e0a65}},
    {64, 0, {0x93ecff05, 0x9a15f953, 0x3f406233, 0xadd403a9, 0x4fd0bfc1, 0x9b5d9c0b, 0x2ed7abac, 0x792532a3,
             0x49264f1b, 0x3a370e97, 0x7f2ca919, 0xca2466b4, 0xd9ae2c17, 0x5b7e28df, 0xf61a8fee, 0x9aa155f2}},
    {64, 1, {0x1805e200, 0x3e746908, 0x2141869b, 0xaf3d44cc, 0x0cc608b8, 0x41ea36df, 0x244a1530, 0x791f2e0e,
             0xae9cf846, 0x76f972df, 0xf814afc1, 0x2b31b6b9, 0x0ab6f362, 0x57476163, 0x82b57bda, 0xcff687e8}},
    {64, 2, {0x2de721fb, 0x4f792793, 0x83d903ae, 0x7a2a719b, 0xa0f10b2e, 0x1ba9c102, 0x1ba9c102, 0x1ba9c102,
             0xc374050d, 0x1ba9c102, 0x1ba9c102, 0x1ba9c102, 0xc65cf476, 0x053a8cc3, 0x1ba9c102, 0x39c92aab}},
    {64, 3, {0xa8d0cec0, 0xd161a0d4, 0x7ba6712f, 0x1ba9c102, 0xfc703a86, 0x1ba9c102, 0x7906c5a5, 0x1ba9c102,
             0x1ba9c102, 0x1ba9c102, 0x1ba9c102, 0x1ba9c102, 0xc58b981f, 0xdee58205, 0x1ba9c102, 0x1ba9c102}},
    {0, 1, {0x257c1c2f, 0x602ec5cb, 0xba978dcf, 0x257c1c2f, 0xc16c64c7, 0x18977836, 0x121b7932, 0xf51390ec,
             0x257c1c2f, 0x257c1c2f, 0x257c1c2f, 0x257c1c2f, 0x65458e82, 0xe825e91d, 0x087736c9, 0xa6b75a95}},
    {0, 2, {0x121b7932, 0xc2e21bae, 0xc3948015, 0xcf0b8e17, 0xe10f237e, 0x257c1c2f, 0x257c1c2f, 0x257c1c2f,
             0xdd286e3a, 0xbc5e8bb6, 0xb63cad98, 0xb63cad98, 0x4bc91c46, 0x16426293, 0x257c1c2f, 0xf3d84ee0}},
    {0, 3, {0x0fc2c8ee, 0x3eaed2cf, 0x4c8e3175, 0x3eaed2cf, 0x0099a76f, 0x70cf9c2a, 0x31d517f4, 0x31d517f4,
             0x257c1c2f, 0x257c1c2f, 0x257c1c2f, 0x257c1c2f, 0x4bdf6e19, 0x257c1c2f, 0x257c1c2f, 0x257c1c2f}},
};
// clang-format on

TEST(IsaX86Releases, OneCapstoneSaysWhatTheOtherDoes) {
  std::string now;
  bool same = true;
  for (const Expected& e : kExpected) {
    now += "    {" + std::to_string(e.mode) + ", " + std::to_string(e.map) + ", {";
    for (unsigned row = 0; row < 16; ++row) {
      Digest digest;
      for (unsigned opcode = 16 * row; opcode < 16 * row + 16; ++opcode) {
        const unsigned whole = e.map << 8 | opcode;
        if (e.mode == 0 ? is_in(kLeftOutOfVex, whole)
                        : is_in(kLeftOut, whole) || (e.map == 0 && is_no_opcode(e.mode, opcode)))
          continue;
        if (e.mode == 0)
          add_vex_opcode(digest, e.map, opcode);
        else
          add_opcode(digest, e.mode, e.map, opcode);
      }
      EXPECT_EQ(digest.value(), e.digest[row])
          << (e.mode ? e.mode : 64) << "-bit code" << (e.mode ? "" : ", VEX") << ", map " << e.map
          << ", opcodes from " << std::hex << 16 * row;
      same &= digest.value() == e.digest[row];
      char text[40];
      snprintf(text, sizeof text, "%s0x%08x",
               row == 0  ? ""
               : row % 8 ? ", "
                         : ",\n             ",
               digest.value());
      now += text;
    }
    now += "}},\n";
  }
  EXPECT_TRUE(same) << "what is made of them now (kExpected), if that is right, and with both:\n" << now;
}

}  // namespace
}  // namespace perfboard
