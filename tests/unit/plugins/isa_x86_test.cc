// SPDX-License-Identifier: GPL-2.0-or-later
//
// Instruction classes, against opcodes as the processor's manual lists them.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "plugins/isa/x86/insn.h"

namespace perfboard {
namespace {

using Code = std::vector<uint8_t>;

X86Insn x86_class(const Code& code, unsigned bits) { return classify_x86(code.data(), code.size(), bits); }

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

const Code kPrefixes[] = {{},     {0x66}, {0x67}, {0xf2}, {0xf3},       {0x2e},       {0x36},
                          {0x3e}, {0x26}, {0x64}, {0x65}, {0x66, 0x67}, {0x3e, 0xf2}, {0xf3, 0x2e}};

TEST(EventsInsn, BranchesAreThoseOfTheOpcodeMap) {
  for (unsigned bits : {16u, 32u, 64u}) {
    for (const Code& prefix : kPrefixes) {
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
  EXPECT_TRUE(x86_class({0x48, 0xcf}, 64).branch);        // iretq
  EXPECT_TRUE(x86_class({0x48, 0xcb}, 64).branch);        // retfq
  EXPECT_TRUE(x86_class({0x41, 0xff, 0xe3}, 64).branch);  // jmp *%r11
  EXPECT_TRUE(x86_class({0x3e, 0xff, 0xe0}, 64).branch);  // notrack jmp *%rax
  EXPECT_TRUE(x86_class({0xf3, 0xc3}, 64).branch);        // rep ret
  EXPECT_TRUE(x86_class({0x66, 0xea, 0, 0, 0, 0, 8, 0}, 16).branch);
  EXPECT_FALSE(x86_class({0xcd, 0x80}, 32).branch);  // int
  EXPECT_FALSE(x86_class({0xcc}, 32).branch);
  EXPECT_FALSE(x86_class({0x0f, 0x05}, 64).branch);              // syscall
  EXPECT_FALSE(x86_class({0xc7, 0xf8, 0, 0, 0, 0}, 64).branch);  // xbegin
  EXPECT_FALSE(x86_class({0xf3, 0x0f, 0x1e, 0xfa}, 64).branch);  // endbr64
}

// One byte more or less is another mode: what is INC in 32-bit code is a prefix in 64-bit code.
TEST(EventsInsn, TheModeDecides) {
  EXPECT_TRUE(x86_class({0x40}, 32).quiet);
  EXPECT_FALSE(x86_class({0x40, 0xff, 0xe0}, 32).branch);
  EXPECT_TRUE(x86_class({0x40, 0xff, 0xe0}, 64).branch);
  EXPECT_EQ(x86_class({0xe9, 0, 0, 0, 0}, 16).bytes, 3);
  EXPECT_EQ(x86_class({0xe9, 0, 0, 0, 0}, 32).bytes, 5);
}

TEST(EventsInsn, QuietOnesTouchNothing) {
  for (const Code& c : {Code{0x89, 0xc8},
                        {0x01, 0xc8},
                        {0x83, 0xc0, 1},
                        {0x8d, 0x44, 0x88, 4},
                        {0xb8, 1, 0, 0, 0},
                        {0x85, 0xc0},
                        {0xf7, 0xd8},
                        {0xc1, 0xe0, 3},
                        {0x0f, 0xb6, 0xc1},
                        {0x0f, 0xaf, 0xc1}})
    EXPECT_TRUE(x86_class(c, 32).quiet) << unsigned(c[0]);
  for (const Code& c : {Code{0x8b, 0x00},
                        {0x50},
                        {0xf7, 0xf1},
                        {0x8e, 0xd8},
                        {0x0f, 0x22, 0xd8},
                        {0x0f, 0x20, 0xd8},
                        {0x0f, 0x0b},
                        {0xcc},
                        {0xf4},
                        {0xfa},
                        {0xfb},
                        {0xe4, 0x60},
                        {0xf0, 0x01, 0xc8},
                        {0x9b},
                        {0xd9, 0xc0},
                        {0x0f, 0x58, 0xc1},
                        {0x0f, 0xa2},
                        {0x0f, 0x31},
                        {0x9c},
                        {0x9d},
                        {0xc9},
                        {0xa1, 0, 0, 0, 0},
                        {0xf3, 0x90},
                        {0x0f, 0xff},
                        {0x8d, 0xc0},
                        {0x0f, 0x23, 0xc0},
                        {0xeb, 0}})
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
  for (const Code& c : {Code{0xff, 0x30},
                        {0x8f, 0x00},
                        {0xa5},
                        {0xa7},
                        {0x01, 0x08},
                        {0xff, 0x10},
                        {0x60},
                        {0x61},
                        {0xcf},
                        {0x0f, 0xae, 0x00},
                        {0x87, 0x08},
                        {0x8e, 0xd8},
                        {0x1f},
                        {0x9a, 0, 0, 0, 0, 8, 0}})
    EXPECT_TRUE(x86_class(c, 32).several) << unsigned(c[0]);
  for (const Code& c : {Code{0x50},
                        {0x58},
                        {0x8b, 0x00},
                        {0x89, 0x00},
                        {0x03, 0x00},
                        {0x39, 0x00},
                        {0xc3},
                        {0xe8, 0, 0, 0, 0},
                        {0xff, 0xd0},
                        {0x68, 0, 0, 0, 0},
                        {0x0f, 0xb6, 0x00},
                        {0xc9},
                        {0x90}})
    EXPECT_FALSE(x86_class(c, 32).several) << unsigned(c[0]);
  EXPECT_TRUE(x86_class({0x0f, 0xff}, 32).several) << "unknown";
}

TEST(EventsInsn, Strings) {
  EXPECT_EQ(x86_class({0xf3, 0xa5}, 32).string, X86Insn::kMovs);
  EXPECT_TRUE(x86_class({0xf3, 0xa5}, 32).repeated);
  EXPECT_TRUE(x86_class({0xf3, 0x48, 0xab}, 64).repeated);
  EXPECT_EQ(x86_class({0xf3, 0x48, 0xab}, 64).string, X86Insn::kStos);
  EXPECT_FALSE(x86_class({0xa5}, 32).repeated);
  EXPECT_FALSE(x86_class({0xf3, 0xc3}, 32).repeated);
  EXPECT_EQ(x86_class({0x6c}, 32).string, X86Insn::kIns);
  EXPECT_EQ(x86_class({0x66, 0xf2, 0x6f}, 16).string, X86Insn::kOuts);
  EXPECT_EQ(x86_class({0xf3, 0xa6}, 32).string, X86Insn::kCmps);
  EXPECT_EQ(x86_class({0xae}, 32).string, X86Insn::kScas);
  EXPECT_EQ(x86_class({0xac}, 32).string, X86Insn::kLods);
  EXPECT_EQ(x86_class({0xf2, 0x0f, 0x10, 0x00}, 32).string, X86Insn::kNoString);  // movsd of SSE
  EXPECT_EQ(x86_class({0xc5, 0xf9, 0x6f, 0x00}, 64).string, X86Insn::kNoString);  // vmovdqa
}

TEST(EventsInsn, Paging) {
  X86Insn c = x86_class({0x0f, 0x22, 0xd8}, 32);  // mov %eax, %cr3
  EXPECT_EQ(c.paging, X86Insn::kWritesCr);
  EXPECT_EQ(c.cr, 3);
  EXPECT_EQ(c.base, 0);
  c = x86_class({0x41, 0x0f, 0x22, 0xe7}, 64);  // mov %r15, %cr4
  EXPECT_EQ(c.cr, 4);
  EXPECT_EQ(c.base, 15);
  EXPECT_EQ(x86_class({0x44, 0x0f, 0x22, 0xc0}, 64).cr, 8) << "not CR0";
  EXPECT_EQ(x86_class({0x0f, 0x20, 0xd8}, 32).paging, X86Insn::kNoPaging);
  c = x86_class({0x0f, 0x01, 0x7c, 0x8b, 0x10}, 32);  // invlpg 0x10(%ebx,%ecx,4)
  EXPECT_EQ(c.paging, X86Insn::kInvlpg);
  EXPECT_EQ(c.base, 3);
  EXPECT_EQ(c.index, 1);
  EXPECT_EQ(c.scale, 4);
  EXPECT_EQ(c.displacement, 0x10);
  EXPECT_EQ(c.segment, 3);
  EXPECT_EQ(c.address_bits, 32);
  EXPECT_EQ(x86_class({0x0f, 0x01, 0x7d, 0x00}, 32).segment, 2) << "by EBP";
  EXPECT_EQ(x86_class({0x65, 0x0f, 0x01, 0x38}, 64).segment, 5);
  EXPECT_EQ(x86_class({0x67, 0x0f, 0x01, 0x3f}, 32).address_bits, 16);
  EXPECT_TRUE(x86_class({0x0f, 0x01, 0x3d, 0, 0, 0, 0}, 64).ip_relative);
  EXPECT_EQ(x86_class({0x0f, 0x01, 0xf8}, 64).paging, X86Insn::kNoPaging) << "swapgs";
  EXPECT_EQ(x86_class({0x66, 0x0f, 0x38, 0x82, 0x00}, 64).paging, X86Insn::kInvpcid);
}

TEST(EventsInsn, ReadsNoFurtherThanItMay) {
  for (size_t n = 0; n < 3; ++n)
    EXPECT_FALSE(classify_x86(reinterpret_cast<const uint8_t*>("\xf3\xf3\xf3"), n, 32).branch);
}

}  // namespace
}  // namespace perfboard
