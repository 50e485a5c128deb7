// SPDX-License-Identifier: GPL-2.0-or-later
//
// What x86's table tells the counters, beyond what its decoder knows (isa_x86_test.cc).
#include <gtest/gtest.h>

#include <vector>

#include "plugins/cpu_hooks.h"
#include "plugins/isa/isa.h"
#include "plugins/isa/x86/cpu.h"

namespace perfboard {
namespace {

using Code = std::vector<uint8_t>;

const Isa& x86() { return *isa_named("x86"); }
Insn x86_insn(const Code& code, uint32_t mode = 32) { return x86().decode(code.data(), code.size(), mode); }

TEST(IsaX86, StringsLoopUnlessQemuMakesABlockOfEachIteration) {
  const struct {
    Code code;
    Iterates iterates;
    bool several;
  } all[] = {{{0xf3, 0xa5}, Iterates::kByStore, true},       {{0xf3, 0xab}, Iterates::kByStore, false},
             {{0xf3, 0xac}, Iterates::kByLoad, false},       {{0xf2, 0xae}, Iterates::kByLoad, false},
             {{0xf3, 0x6f}, Iterates::kByLoad, false},       {{0xf3, 0xa7}, Iterates::kBySecondLoad, true},
             {{0xf3, 0x6d}, Iterates::kBySecondStore, false}};
  for (const auto& a : all) {
    EXPECT_EQ(x86_insn(a.code).iterates, a.iterates) << unsigned(a.code[1]);
    EXPECT_EQ(x86_insn(a.code).several, a.several) << unsigned(a.code[1]);
    EXPECT_EQ(x86_insn(a.code, 32 | PB_X86_SINGLE).iterates, Iterates::kNot) << unsigned(a.code[1]);
    EXPECT_EQ(x86_insn({a.code[1]}).iterates, Iterates::kNot) << unsigned(a.code[1]);
  }
  EXPECT_TRUE(x86_insn({0xf3, 0x6d}).probes);
  EXPECT_FALSE(x86_insn({0xf3, 0x6d}, 32 | PB_X86_SINGLE).several);
  EXPECT_TRUE(x86_insn({0xf3, 0xa5}, 32 | PB_X86_SINGLE).several);
  EXPECT_FALSE(x86_insn({0xf3, 0xa5}).probes);
}

TEST(IsaX86, NoAccess) {
  const auto accesses = [](const Code& c) { return x86().quirks(c.data(), c.size(), 64).accesses; };
  EXPECT_FALSE(accesses({0x75, 0xdb})) << "jne";
  EXPECT_FALSE(accesses({0x2e, 0x0f, 0x85, 0, 0, 0, 0})) << "jne, 32-bit displacement";
  EXPECT_FALSE(accesses({0x0f, 0x94, 0xc0})) << "sete %al";
  EXPECT_TRUE(accesses({0x0f, 0x94, 0x00})) << "sete (%rax)";
  EXPECT_FALSE(accesses({0x48, 0x0f, 0x44, 0xc1})) << "cmove %rcx, %rax";
  EXPECT_TRUE(accesses({0x48, 0x0f, 0x44, 0x01})) << "cmove (%rcx), %rax";
  EXPECT_TRUE(accesses({0x8f, 0x00})) << "pop (%rax)";
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
      {{0xdf, 0x26}, 32, ten},
      {{0xdf, 0x36}, 32, ten},
      {{0xdf, 0xe0}, 32, {}},  // fbld fbstp fnstsw
      {{0xd9, 0x26}, 32, environment},
      {{0x66, 0xd9, 0x26}, 32, half},
      {{0xd9, 0x24}, 16, half},
      {{0xdd, 0x26}, 32, environment},
      {{0xd9, 0xe0}, 32, {}},
      {{0xd9, 0x36}, 32, {}},  // frstor fchs fnstenv
      {{0x0f, 0xf7, 0xc1}, 32, one},
      {{0x66, 0x0f, 0xf7, 0xc1}, 32, one},
      {{0x66, 0x44, 0x0f, 0xf7, 0xc1}, 64, one},  // %xmm8
      {{0xc5, 0xf9, 0xf7, 0xc1}, 64, one},
      {{0x0f, 0xae, 0x0e}, 32, {.more = 2, .more_bytes = 8, .more_from = 4}},  // fxrstor
      {{0x0f, 0xae, 0xe8}, 32, {}},                                            // lfence
      {{0x0f, 0x2c, 0xc1}, 32, {}},
      {{0xc4, 0xe2, 0x71, 0x2c, 0x16},
       32,
       {.mask = 1, .element = 4, .halves = 1}},  // vmaskmovps (%esi), %xmm1, %xmm2
      {{0xc4, 0xe2, 0x35, 0x2d, 0x16}, 64, {.mask = 9, .element = 8, .halves = 2}},
      {{0xc4, 0xe2, 0x75, 0x2e, 0x17}, 32, {.mask = 1, .element = 4, .halves = 2, .by_element = 1}},
      {{0xc4, 0xe2, 0xf1, 0x8e, 0x17}, 32, {.mask = 1, .element = 8, .halves = 1, .by_element = 1}},
      {{0xc4, 0xe2, 0xf5, 0x8c, 0x17}, 32, {.mask = 1, .element = 8, .halves = 2}},
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

TEST(IsaX86, StoreOrder) {
  const auto order = [](const Code& c, uint32_t bits = 32) {
    const Quirks quirks = x86().quirks(c.data(), c.size(), bits);
    EXPECT_FALSE(quirks.hides_loads || quirks.hides_stores);
    return quirks.stores;
  };
  EXPECT_EQ(order({0x60}), StoreOrder::kDescending);
  EXPECT_EQ(order({0x66, 0x60}), StoreOrder::kDescending);
  EXPECT_EQ(order({0x6c}), StoreOrder::kProbesFirst);
  EXPECT_EQ(order({0xf3, 0x48, 0x6d}, 64), StoreOrder::kProbesFirst);
  EXPECT_EQ(order({0x0f, 0x60, 0xc1}), StoreOrder::kAsSeen) << "punpcklbw";
  EXPECT_EQ(order({0x40}), StoreOrder::kAsSeen);
  EXPECT_EQ(order({}), StoreOrder::kAsSeen);
  EXPECT_EQ(order({0xf3}), StoreOrder::kAsSeen);
}

struct Registers {
  uint64_t at[PB_REGISTERS] = {};
};

TlbChange change(const Code& code, const Registers& r, uint32_t mode = 32, uint64_t address = 0) {
  EXPECT_TRUE(x86_insn(code, mode).translations);
  return x86().tlb_change(code.data(), code.size(), mode, address, r.at);
}

TEST(IsaX86, WhatBecomesOfTheTlb) {
  const TlbChange nothing, empties = {TlbChange::kEmpties};
  Registers r;
  r.at[PB_X86_CR0] = 0x80000011;
  EXPECT_EQ(change({0x0f, 0x22, 0xd8}, r), empties) << "CR3";
  r.at[PB_X86_GENERAL] = 0x80000011 ^ 4;
  EXPECT_EQ(change({0x0f, 0x22, 0xc0}, r), nothing) << "CR0, paging stays on";
  r.at[PB_X86_GENERAL] = 0x11;
  EXPECT_EQ(change({0x0f, 0x22, 0xc0}, r), empties);
  r.at[PB_X86_GENERAL] = 0x200;
  EXPECT_EQ(change({0x0f, 0x22, 0xe0}, r), nothing) << "CR4";
  r.at[PB_X86_GENERAL] = 0x20;
  EXPECT_EQ(change({0x0f, 0x22, 0xe0}, r), empties) << "CR4.PAE";
  EXPECT_EQ(change({0x66, 0x0f, 0x38, 0x82, 0x00}, r), empties) << "INVPCID";
  r.at[PB_X86_GENERAL + 3] = 0xfffff000;
  r.at[PB_X86_GENERAL + 1] = 0x400;
  r.at[PB_X86_SEGMENT_BASE + 3] = 0x10000;
  EXPECT_EQ(change({0x0f, 0x01, 0x7c, 0x8b, 0x10}, r), (TlbChange{TlbChange::kDropsPage, 0x10010}))
      << "INVLPG 0x10(%ebx,%ecx,4) wraps, then DS";
  EXPECT_EQ(change({0x0f, 0x01, 0x3d, 0, 1, 0, 0}, r, 64, 0x7000),
            (TlbChange{TlbChange::kDropsPage, 0x7000 + 7 + 0x100}))
      << "INVLPG 0x100(%rip)";
  EXPECT_TRUE(x86_insn({0x0f, 0x01, 0x3d, 0, 1, 0, 0}, 64).relative);
  EXPECT_FALSE(x86_insn({0x0f, 0x01, 0x7c, 0x8b, 0x10}).relative);
  r.at[PB_X86_CPL] = 3;
  EXPECT_EQ(change({0x0f, 0x22, 0xd8}, r), nothing) << "it will fault";
}

TEST(IsaX86, Classes) {
  const struct {
    Code code;
    Op op;
    const char* text;
  } all[] = {
      {{0x01, 0xc8}, Op::kInteger, "add %ecx,%eax"},
      {{0x8d, 0x44, 0x88, 4}, Op::kInteger, "lea"},
      {{0x90}, Op::kInteger, "nop"},
      {{0x0f, 0xaf, 0xc1}, Op::kMultiply, "imul"},
      {{0xf7, 0xf1}, Op::kDivide, "div"},
      {{0x8b, 0x00}, Op::kLoad, "mov (%eax),%eax"},
      {{0x03, 0x00}, Op::kLoad, "add (%eax),%eax"},
      {{0x39, 0x00}, Op::kLoad, "cmp %eax,(%eax)"},
      {{0x58}, Op::kLoad, "pop"},
      {{0xac}, Op::kLoad, "lods"},
      {{0x89, 0x00}, Op::kStore, "mov %eax,(%eax)"},
      {{0x50}, Op::kStore, "push"},
      {{0xab}, Op::kStore, "stos"},
      {{0x01, 0x08}, Op::kLoadStore, "add %ecx,(%eax)"},
      {{0xf0, 0x0f, 0xb1, 0x08}, Op::kLoadStore, "lock cmpxchg"},
      {{0xa5}, Op::kLoadStore, "movs"},
      {{0xd9, 0x00}, Op::kFloatLoad, "flds"},
      {{0xdd, 0x18}, Op::kFloatStore, "fstpl"},
      {{0xd8, 0xc1}, Op::kFloatAdd, "fadd"},
      {{0xdc, 0x08}, Op::kFloatMultiply, "fmull"},
      {{0xd9, 0xfa}, Op::kFloatRoot, "fsqrt"},
      {{0xf2, 0x0f, 0x58, 0xc1}, Op::kFloatAdd, "addsd"},
      {{0xf2, 0x0f, 0x5e, 0xc1}, Op::kFloatDivide, "divsd"},
      {{0x66, 0x0f, 0x2e, 0xc1}, Op::kFloatCompare, "ucomisd"},
      {{0xf2, 0x0f, 0x2a, 0xc0}, Op::kFloatConvert, "cvtsi2sd"},
      {{0xf2, 0x0f, 0x10, 0x00}, Op::kFloatLoad, "movsd (%eax),%xmm0"},
      {{0xf2, 0x0f, 0x11, 0x00}, Op::kFloatStore, "movsd %xmm0,(%eax)"},
      {{0x0f, 0x58, 0xc1}, Op::kVector, "addps"},
      {{0x0f, 0x28, 0x00}, Op::kVectorLoad, "movaps"},
      {{0x0f, 0x29, 0x00}, Op::kVectorStore, "movaps"},
      {{0xeb, 0}, Op::kBranch, "jmp"},
      {{0xcf}, Op::kBranch, "iret"},
      {{0x0f, 0x0b}, Op::kTrap, "ud2"},
      {{0xcd, 0x80}, Op::kSystemCall, "int"},
      {{0xcc}, Op::kTrap, "int3"},
      {{0xce}, Op::kTrap, "into"},
      {{0x0f, 0xae, 0xf0}, Op::kSync, "mfence"},
      {{0x0f, 0x18, 0x08}, Op::kCache, "prefetcht0"},
      {{0x0f, 0x22, 0xd8}, Op::kSpecial, "mov %eax,%cr3"},
      {{0xfa}, Op::kSystem, "cli"},
      {{0xe4, 0x60}, Op::kSystem, "in"},
      {{0xf4}, Op::kSystem, "hlt"},
      {{0x0f, 0xff}, Op::kTrap, "ud0"},
      {{0x0f, 0xbf, 0x00}, Op::kLoad, "movswl (%eax),%eax"},
      {{0xf3, 0xab}, Op::kStore, "rep stos"},
      {{0xf2, 0xae}, Op::kLoad, "repne scas"},
      {{0xf3, 0xa6}, Op::kLoad, "repe cmps"},
      {{0xf3, 0xa5}, Op::kLoadStore, "rep movs"},
      {{0xf3, 0x6d}, Op::kSystem, "rep ins"},
      {{0xc8, 16, 0, 0}, Op::kStore, "enter"},
      {{0xd7}, Op::kLoad, "xlat"},
      {{0x0f, 0x35}, Op::kSystem, "sysexit"},
      {{0xf3, 0x0f, 0x09}, Op::kCache, "wbnoinvd"},
      {{0x0f, 0x01, 0xd0}, Op::kSpecial, "xgetbv"},
      {{0x0f, 0x77}, Op::kFloatMove, "emms"},
      {{0x0f, 0xae, 0x10}, Op::kFloatMove, "ldmxcsr (%eax)"},
      {{0xc5, 0xf8, 0x77}, Op::kVector, "vzeroupper"},
      {{0x66, 0x0f, 0xf7, 0xc1}, Op::kVectorStore, "maskmovdqu"},
      {{0x0f, 0x0a}, Op::kUnknown, "no instruction"},
  };
  for (const auto& a : all) EXPECT_EQ(unsigned(x86_insn(a.code).op), unsigned(a.op)) << a.text;
  EXPECT_EQ(x86_insn({0x48, 0x0f, 0x07}, 64).op, Op::kSystem) << "sysretq";
  EXPECT_EQ(x86_insn({0x48, 0x0f, 0x35}, 64).op, Op::kSystem) << "sysexitq";
  EXPECT_EQ(x86_insn({0x66, 0x0f, 0xae, 0x30}, 64).op, Op::kCache) << "clwb (%rax)";
  EXPECT_EQ(x86_insn({0x0f, 0x1c, 0x00}, 64).op, Op::kInteger) << "cldemote (%rax)";
}

TEST(IsaX86, WhatChangesTranslationsAndHowOftenItAccesses) {
  EXPECT_FALSE(x86_insn({0x66, 0x0f, 0x3a, 0x22, 0x03, 0x05}).translations) << "pinsrd $5,(%ebx),%xmm0";
  EXPECT_FALSE(x86_insn({0x66, 0x0f, 0x38, 0x22, 0x03}).translations) << "pmovsxbq (%ebx),%xmm0";
  EXPECT_TRUE(x86_insn({0xff, 0x2b}).several) << "ljmp *(%ebx)";
  EXPECT_FALSE(x86_insn({0xff, 0x23}).several) << "jmp *(%ebx)";
}

TEST(IsaX86, WhatLocksTheBus) {
  const auto locked = [](const Code& c, uint32_t mode = 64) {
    return x86().quirks(c.data(), c.size(), mode).locked;
  };
  EXPECT_TRUE(locked({0xf0, 0x48, 0x0f, 0xb1, 0x0f}));        // lock cmpxchg %rcx, (%rdi)
  EXPECT_TRUE(locked({0xf0, 0x01, 0x07}));                    // lock add %eax, (%rdi)
  EXPECT_TRUE(locked({0x66, 0xf0, 0x41, 0x0f, 0xc7, 0x08}));  // prefixes before and behind
  EXPECT_TRUE(locked({0xf2, 0xf0, 0x01, 0x07}));              // xacquire lock add
  EXPECT_TRUE(locked({0x87, 0x07}) && locked({0x86, 0x07}));  // xchg with memory
  EXPECT_TRUE(locked({0x48, 0x87, 0x47, 0x08}) && locked({0x87, 0x07}, 32));
  EXPECT_FALSE(locked({0x87, 0xc1}) || locked({0x48, 0x87, 0xc1}));  // xchg of registers
  EXPECT_FALSE(locked({0x0f, 0xb1, 0x0f}));                          // cmpxchg
  EXPECT_FALSE(locked({0x01, 0x07}) || locked({0x0f, 0xc1, 0x07}));
  EXPECT_FALSE(locked({0x0f, 0x87, 0, 0, 0, 0}) || locked({0x0f, 0x86, 0, 0, 0, 0}));  // ja, jbe
  EXPECT_FALSE(locked({0xf3, 0xa4}) || locked({0x40}, 32) || locked({0xf0}));
}

TEST(IsaX86, WhatEmptiesWriteCombiningBuffers) {
  const auto drains = [](const Code& c, uint32_t mode = 64) {
    return x86().quirks(c.data(), c.size(), mode).drains;
  };
  const Code all[] = {
      {0x0f, 0xae, 0xf8},
      {0x0f, 0xae, 0xf0},  // sfence, mfence
      {0xf0, 0x83, 0x04, 0x24, 0},
      {0x87, 0x07},  // locked
      {0xe4, 0x80},
      {0xe5, 0x80},
      {0xe6, 0x80},
      {0xe7, 0x80},  // in, out
      {0xec},
      {0xed},
      {0xee},
      {0xef},
      {0x6c},
      {0x6d},
      {0x6e},
      {0xf3, 0x6f},
      {0xcf},
      {0x48, 0xcf},  // iret
      {0x0f, 0xa2},
      {0x0f, 0x30},
      {0x0f, 0x08},
      {0x0f, 0x09},
      {0x0f, 0xaa},
      {0xf3, 0x0f, 0x09},
      {0x0f, 0x22, 0xd8},
      {0x0f, 0x22, 0xc0},
      {0x41, 0x0f, 0x22, 0xd8},
      {0x0f, 0x23, 0xf8},
      {0x0f, 0x01, 0x38},
      {0x0f, 0x01, 0x10},
      {0x0f, 0x01, 0x18},
      {0x0f, 0x01, 0xe8},  // invlpg, lgdt, lidt, serialize
      {0x0f, 0x00, 0xd0},
      {0x0f, 0x00, 0x18},              // lldt, ltr
      {0x66, 0x0f, 0x38, 0x82, 0x00},  // invpcid
  };
  for (const Code& c : all) EXPECT_TRUE(drains(c)) << std::hex << +c[0] << " " << (c.size() > 1 ? +c[1] : 0);
  const Code none[] = {
      {0x0f, 0xae, 0xe8},  // lfence
      {0x0f, 0xae, 0x38},
      {0x0f, 0xae, 0x30},  // clflush, xsaveopt
      {0x44, 0x0f, 0x22, 0xc0},
      {0x0f, 0x20, 0xd8},
      {0x0f, 0x21, 0xf8},  // to CR8; from CR and DR
      {0x0f, 0x01, 0x20},
      {0x0f, 0x01, 0x00},
      {0x0f, 0x01, 0xf8},
      {0x0f, 0x01, 0xd0},  // smsw, sgdt, swapgs, xgetbv
      {0x0f, 0x00, 0xc0},
      {0x0f, 0x32},
      {0x0f, 0x31},
      {0x0f, 0x05},  // sldt, rdmsr, rdtsc, syscall
      {0x48, 0x0f, 0xe7, 0x07},
      {0x0f, 0xc3, 0x07},
      {0x66, 0x0f, 0x38, 0x00, 0xc1},  // movntq, movnti, pshufb
      {0xe8, 0, 0, 0, 0},
      {0xe3, 0},
      {0xe0, 0},
      {0xf4},
      {0x90},
      {0xf3, 0x90},
      {0xc3},
      {0xcb},
      {0x8e, 0xd8},
      {0xa4},
      {0x0f},
      {0x0f, 0xae},
  };
  for (const Code& c : none)
    EXPECT_FALSE(drains(c)) << std::hex << +c[0] << " " << (c.size() > 1 ? +c[1] : 0);
}

}  // namespace
}  // namespace perfboard
