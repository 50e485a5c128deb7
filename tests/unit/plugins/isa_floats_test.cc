// SPDX-License-Identifier: GPL-2.0-or-later
//
// Floating-point operands, and which values are special numbers.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "plugins/isa/isa.h"
#include "plugins/isa/x86/cpu.h"
#include "plugins/machine.h"
#include "tests/unit/plugins/describe_insn.h"

namespace perfboard {
namespace {

// "2d: 1 34 m": two doubles in each of registers 1 and 34 and in memory.
std::string describe(const Floats& f) {
  static const char* const kFormats[] = {"d", "s", "top", "sd", "x", "q"};
  if (!f.any()) return "";
  std::string text = std::to_string(f.lanes) + kFormats[static_cast<unsigned>(f.format)] + ":";
  for (const uint8_t reg : f.registers()) text += " " + std::to_string(reg);
  if (f.has_memory)
    text += f.memory_format == f.format
                ? " m"
                : std::string(" m") + kFormats[static_cast<unsigned>(f.memory_format)];
  return text;
}

TEST(IsaFloats, Power) {
  const struct {
    uint32_t word;
    const char *text, *operands;
  } all[] = {
      {0xfc22182a, "fadd 1,2,3", "1d: 2 3"},
      {0xec22182b, "fadds. 1,2,3", "1sd: 2 3"},
      {0xfc2200f2, "fmul 1,2,3", "1d: 2 3"},
      {0xfc2220fa, "fmadd 1,2,3,4", "1d: 2 4 3"},
      {0xec2220fc, "fnmsubs 1,2,3,4", "1sd: 2 4 3"},
      {0xfc20102c, "fsqrt 1,2", "1d: 2"},
      {0xfc201030, "fre 1,2", "1d: 2"},
      {0xfc821800, "fcmpu 1,2,3", "1d: 2 3"},
      {0xfc201018, "frsp 1,2", "1d: 2"},
      {0xfc20165e, "fctidz 1,2", "1d: 2"},
      {0xfc2220ee, "fsel 1,2,3,4", ""},
      {0xfc201090, "fmr 1,2", ""},
      {0xfc201050, "fneg 1,2", ""},
      {0xec20169c, "fcfids 1,2", ""},
      {0xec221804, "dadd 1,2,3", ""},
      {0xfc20048e, "mffs 1", ""},
      {0xf0221906, "xsadddp 1,34,35", "1d: 34 35"},
      {0xf0221803, "xsaddsp 33,2,35", "1sd: 2 35"},
      {0xf0221908, "xsmaddadp 1,2,3", "1d: 2 3 1"},
      {0xf020102c, "xssqrtsp 1,2", "1sd: 2"},
      {0xf1011118, "xscmpudp 2,1,2", "1d: 1 2"},
      {0xf0201560, "xscvdpsxds 1,2", "1d: 2"},
      {0xf0201524, "xscvspdp 1,2", "1top: 2"},
      {0xf02015e0, "xscvsxddp 1,2", ""},
      {0xf0221b07, "xvadddp 33,34,35", "2d: 34 35"},
      {0xf0221a00, "xvaddsp 1,2,3", "4s: 2 3"},
      {0xf0221b18, "xvcmpeqdp 1,2,3", "2d: 2 3"},
      {0xf020132f, "xvsqrtdp 33,34", "2d: 34"},
      {0xf0221950, "xxpermdi 1,2,3,1", ""},
      {0xf022193e, "xxsel 1,34,35,36", ""},
      {0xfc221808, "xsaddqp 1,2,3", "1q: 34 35"},
      {0x1022180a, "vaddfp 1,2,3", "4s: 34 35"},
      {0x102220ee, "vmaddfp 1,2,3,4", "4s: 34 36 35"},
      {0x102218c6, "vcmpeqfp 1,2,3", "4s: 34 35"},
      {0x10221cc6, "vcmpeqfp. 1,2,3", "4s: 34 35"},
      {0x1022180a ^ 10, "vaddubm 1,2,3", ""},
      {0xc8240008, "lfd 1,8(4)", ""},
      {0x7c642a14, "add 3,4,5", ""},
  };
  for (const auto& a : all) {
    const uint8_t code[4] = {uint8_t(a.word >> 24), uint8_t(a.word >> 16), uint8_t(a.word >> 8),
                             uint8_t(a.word)};
    EXPECT_EQ(describe(kPpc.floats(code, sizeof code, 0, 0)), a.operands) << a.text;
  }
  EXPECT_FALSE(kPpc.floats(nullptr, 0, 0, 0).any());
}

Floats x86(const Code& code, unsigned bits = 64, uint64_t address = 0) {
  return kX86.floats(code.data(), code.size(), bits, address);
}

TEST(IsaFloats, X86) {
  const struct {
    Code code;
    const char *text, *operands;
  } all[] = {
      {"f3 0f 58 c1", "addss xmm0,xmm1", "1s: 32 33"},
      {"f2 0f 58 03", "addsd xmm0,[rbx]", "1d: 32 m"},
      {"0f 58 c1", "addps xmm0,xmm1", "4s: 32 33"},
      {"66 0f 58 03", "addpd xmm0,[rbx]", "2d: 32 m"},
      {"f2 45 0f 59 c1", "mulsd xmm8,xmm9", "1d: 40 41"},
      {"f2 0f 51 c1", "sqrtsd xmm0,xmm1", "1d: 33"},
      {"f3 0f 5a c1", "cvtss2sd xmm0,xmm1", "1s: 33"},
      {"0f 5a c1", "cvtps2pd xmm0,xmm1", "2s: 33"},
      {"f2 0f 2c c0", "cvttsd2si eax,xmm0", "1d: 32"},
      {"f2 0f 2a c0", "cvtsi2sd xmm0,eax", ""},
      {"0f 5b c1", "cvtdq2ps xmm0,xmm1", ""},
      {"66 0f 5b c1", "cvtps2dq xmm0,xmm1", "4s: 33"},
      {"66 0f 2e c1", "ucomisd xmm0,xmm1", "1d: 32 33"},
      {"0f 2f 03", "comiss xmm0,[rbx]", "1s: 32 m"},
      {"f2 0f c2 c1 01", "cmpltsd xmm0,xmm1", "1d: 32 33"},
      {"66 0f 3a 0b c1 03", "roundsd xmm0,xmm1,3", "1d: 33"},
      {"f2 0f 7c c1", "haddps xmm0,xmm1", "4s: 32 33"},
      {"f2 0f 10 c1", "movsd xmm0,xmm1", ""},
      {"0f 54 c1", "andps xmm0,xmm1", ""},
      {"66 0f fe c1", "paddd xmm0,xmm1", ""},
      {"c5 f3 58 c2", "vaddsd xmm0,xmm1,xmm2", "1d: 33 34"},
      {"c5 f5 58 03", "vaddpd ymm0,ymm1,[rbx]", "4d: 33 m"},
      {"c5 f4 58 c2", "vaddps ymm0,ymm1,ymm2", "8s: 33 34"},
      {"c5 f3 51 c2", "vsqrtsd xmm0,xmm1,xmm2", "1d: 34"},
      {"c4 e2 f1 b9 c2", "vfmadd231sd xmm0,xmm1,xmm2", "1d: 32 33 34"},
      {"c4 e2 75 a8 c2", "vfmadd213ps ymm0,ymm1,ymm2", "8s: 32 33 34"},
      {"c4 e2 71 9d 03", "vfnmadd132ss xmm0,xmm1,[rbx]", "1s: 32 33 m"},
      {"d8 c2", "fadd st,st(2)", "1x: 0 2"},
      {"dc c2", "fadd st(2),st", "1x: 0 2"},
      {"d8 03", "fadd dword [rbx]", "1x: 0 ms"},
      {"dc 0b", "fmul qword [rbx]", "1x: 0 md"},
      {"da 03", "fiadd dword [rbx]", "1x: 0"},
      {"d9 fa", "fsqrt", "1x: 0"},
      {"d9 f3", "fpatan", "1x: 0 1"},
      {"d9 03", "fld dword [rbx]", "1x: ms"},
      {"dd 1b", "fstp qword [rbx]", "1x: 0"},
      {"db 1b", "fistp dword [rbx]", "1x: 0"},
      {"db 3b", "fstp tword [rbx]", ""},
      {"db 2b", "fld tword [rbx]", ""},
      {"d9 c3", "fld st(3)", ""},
      {"d9 e0", "fchs", ""},
      {"db e9", "fucomi st,st(1)", "1x: 0 1"},
      {"df e0", "fnstsw ax", ""},
      {"01 d8", "add eax,ebx", ""},
  };
  for (const auto& a : all) EXPECT_EQ(describe(x86(a.code)), a.operands) << a.text;
  EXPECT_FALSE(x86({}).any());
  EXPECT_FALSE(x86("c5").any());
}

TEST(IsaFloats, AddressesOfX86) {
  uint64_t registers[PB_REGISTERS] = {};
  registers[PB_X86_GENERAL + 3] = 0xffffffff00001000;
  registers[PB_X86_GENERAL + 1] = 0x20;
  registers[PB_X86_SEGMENT_BASE + 3] = 0x100000;
  registers[PB_X86_SEGMENT_BASE + 4] = 0x7000000;
  EXPECT_EQ(x86("f2 0f 58 44 8b 10").memory.at(registers), 0xffffffff00001090) << "[rbx+rcx*4+16]";
  EXPECT_EQ(x86("64 f2 0f 58 01").memory.at(registers), 0x7000020u) << "fs:[rcx]";
  EXPECT_EQ(x86("f2 0f 58 05 f8 ff ff ff", 64, 0x4000).memory.at(registers), 0x4000u) << "[rip-8]";
  EXPECT_EQ(x86("f2 0f 58 44 8b f0", 32).memory.at(registers), 0x101070u) << "ds:[ebx+ecx*4-16]";
  EXPECT_EQ(x86("f2 0f 58 47 10", 16).memory.at(registers), 0x101010u) << "ds:[bx+16]";
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool special(double value, FloatFormat format = FloatFormat::kDouble) {
  const uint64_t words[2] = {std::bit_cast<uint64_t>(value), 0};
  return any_special(format, 1, words);
}

TEST(IsaFloats, SpecialNumbers) {
  const double least = std::numeric_limits<double>::min(), least_single = std::numeric_limits<float>::min();
  for (const double sign : {1.0, -1.0}) {
    for (const double value : {0.0, 1.0, least, std::numeric_limits<double>::max()})
      EXPECT_FALSE(special(sign * value)) << value;
    for (const double value :
         {std::nextafter(least, 0.0), std::numeric_limits<double>::denorm_min(), kInfinity})
      EXPECT_TRUE(special(sign * value)) << value;
    EXPECT_TRUE(special(std::copysign(std::nan(""), sign)));
    EXPECT_FALSE(special(sign * least_single, FloatFormat::kSingleAsDouble));
    EXPECT_FALSE(special(sign * 0.0, FloatFormat::kSingleAsDouble));
    EXPECT_TRUE(special(std::nextafter(sign * least_single, 0.0), FloatFormat::kSingleAsDouble));
    EXPECT_TRUE(special(sign * least, FloatFormat::kSingleAsDouble));
  }
  const uint32_t ones = std::bit_cast<uint32_t>(1.0f), denormal = 1, infinite = 0x7f800000,
                 minus_zero = 0x80000000;
  const auto lanes = [](uint32_t a, uint32_t b, uint32_t c, uint32_t d, unsigned n) {
    const uint64_t words[2] = {uint64_t{b} << 32 | a, uint64_t{d} << 32 | c};
    return any_special(FloatFormat::kSingle, n, words);
  };
  EXPECT_FALSE(lanes(ones, minus_zero, ones, 0, 4));
  EXPECT_TRUE(lanes(ones, ones, ones, denormal, 4));
  EXPECT_TRUE(lanes(ones, infinite, ones, ones, 4));
  EXPECT_FALSE(lanes(ones, infinite, ones, ones, 1)) << "a lane that is none";
  EXPECT_FALSE(lanes(ones, ones, infinite, infinite, 2));
  const uint64_t top[2] = {uint64_t{infinite} << 32 | ones, 0};
  EXPECT_TRUE(any_special(FloatFormat::kSingleTop, 1, top));
  const auto wide = [](FloatFormat format, uint64_t first, uint64_t second) {
    const uint64_t words[2] = {first, second};
    return any_special(format, 1, words);
  };
  const uint64_t integer = uint64_t{1} << 63;
  EXPECT_FALSE(wide(FloatFormat::kExtended, integer, 0x3fff)) << "1";
  EXPECT_FALSE(wide(FloatFormat::kExtended, 0, 0x8000)) << "-0";
  EXPECT_TRUE(wide(FloatFormat::kExtended, 1, 0)) << "denormal";
  EXPECT_TRUE(wide(FloatFormat::kExtended, integer, 0)) << "pseudo-denormal";
  EXPECT_TRUE(wide(FloatFormat::kExtended, integer, 0xffff)) << "-infinity";
  EXPECT_TRUE(wide(FloatFormat::kExtended, 1, 0x3fff)) << "unnormal";
  EXPECT_FALSE(wide(FloatFormat::kQuad, 0x3fff000000000000, 0)) << "1";
  EXPECT_FALSE(wide(FloatFormat::kQuad, integer, 0)) << "-0";
  EXPECT_TRUE(wide(FloatFormat::kQuad, 0, 1)) << "denormal";
  EXPECT_TRUE(wide(FloatFormat::kQuad, 0x7fff000000000000, 0)) << "infinity";
}

}  // namespace
}  // namespace perfboard
