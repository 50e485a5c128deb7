// SPDX-License-Identifier: GPL-2.0-or-later
//
// POWER's floating-point operands: the registers are those that the operands are made of; what format they
// have, by opcode.
#include "plugins/isa/floats.h"

#include <optional>

#include "hw/processor/insn.h"
#include "plugins/isa/ppc/insn.h"

namespace perfboard {
namespace {

struct Lanes {
  FloatFormat format;
  uint8_t lanes;  // 0: not here
};
constexpr Lanes kDouble1 = {FloatFormat::kDouble, 1}, kDouble2 = {FloatFormat::kDouble, 2},
                kSingle4 = {FloatFormat::kSingle, 4}, kTop = {FloatFormat::kSingleTop, 1},
                kAsDouble = {FloatFormat::kSingleAsDouble, 1}, kQuad = {FloatFormat::kQuad, 1};

// Of 59 and 63, by the last five bits of the extended opcode: all of form A but fsel.
constexpr bool is_arithmetic(unsigned last) {
  return last == 18 || (last >= 20 && last <= 22) || (last >= 24 && last <= 26) || last >= 28;
}

constexpr auto k63 = opcode_table<Lanes, 1024>({
    {kDouble1, {0, 32, 128, 160}},                             // fcmpu fcmpo ftdiv ftsqrt
    {kDouble1, {12, 14, 15, 142, 143, 814, 815, 942, 943}},    // frsp fcti
    {kDouble1, {392, 424, 456, 488}},                          // fri
    {kQuad, {4, 36, 516, 548, 388, 420, 452, 484, 132, 644}},  // xsaddqp ... xscmpoqp xscmpuqp
    {kQuad, {68, 196, 228, 676, 740}},                         // xscmpeqqp ... xsmaxcqp xsmincqp
    {kQuad, {5, 37, 261, 293, 517, 549, 773, 805}},            // xsrqpi xsrqpxp
});

// 60, by bits 21 to 29: one operand.
constexpr auto kVsx2 = opcode_table<Lanes, 512>({
    {kAsDouble, {10, 11, 26}},
    {kDouble1, {72, 73, 74, 75, 88, 89, 90, 105, 106, 107, 121, 265, 267, 281, 328, 344}},
    {kTop, {329, 331}},
    {kSingle4, {136, 137, 138, 139, 152, 153, 154, 169, 170, 171, 185, 392, 408, 457}},
    {kDouble2, {200, 201, 202, 203, 216, 217, 218, 233, 234, 235, 249, 393, 456, 472}},
});
// By bits 21 to 28.
constexpr auto kVsx3 = opcode_table<Lanes, 256>({
    {kAsDouble, {0, 1, 8, 9, 16, 17, 24, 25, 129, 137, 145, 153}},
    {kDouble1, {32, 33, 40, 41, 48, 49, 56, 57, 161, 169, 177, 185}},
    {kDouble1, {3, 11, 19, 35, 43, 61, 128, 136, 144, 152, 160, 168}},
    {kSingle4, {64, 65, 72, 73, 80, 81, 88, 89, 93, 192, 193, 200, 201, 209, 217}},
    {kSingle4, {67, 75, 83, 195, 203, 211}},
    {kDouble2, {96, 97, 104, 105, 112, 113, 120, 121, 125, 224, 225, 232, 233, 241, 249}},
    {kDouble2, {99, 107, 115, 227, 235, 243}},
});

// 4, by the last eleven bits; the compares' Rc aside.
constexpr auto kVmx = opcode_table<Lanes, 1024>({
    {kSingle4, {10, 74, 198, 266, 330, 394, 454, 458, 522, 586, 650, 710, 714, 906, 966, 970}},
});

std::optional<Lanes> found(const Lanes& lanes) { return lanes.lanes ? std::optional(lanes) : std::nullopt; }

std::optional<Lanes> lanes_of(uint32_t word) {
  const unsigned extended = ppc_extended(word), a = word >> 16 & 31, last11 = word & 2047;
  switch (ppc_primary(word)) {
    case 4:
      if ((word & 63) == 46 || (word & 63) == 47) return kSingle4;  // vmaddfp vnmsubfp
      if (last11 == 1034 || last11 == 1098) return kSingle4;        // vmaxfp vminfp
      return last11 < 1024 || (last11 & 63) == 6 ? found(kVmx[last11 & 1023]) : std::nullopt;
    case 59:
      return is_arithmetic(extended & 31) ? std::optional(kAsDouble) : std::nullopt;
    case 60:
      if ((word >> 4 & 3) == 3) return std::nullopt;  // xxsel
      if (const Lanes two = kVsx2[word >> 2 & 511]; two.lanes) return two;
      return found(kVsx3[word >> 3 & 255]);
    case 63:
      if (extended == 836)  // xscvdpqp; xscvqpdp, and to integers
        return a == 22 ? std::optional(kDouble1)
                       : (a == 20 || (a & 7) == 1 ? std::optional(kQuad) : std::nullopt);
      if (extended == 804) return a == 27 ? std::optional(kQuad) : std::nullopt;  // xssqrtqp
      if (const Lanes x = k63[extended]; x.lanes) return x;
      return is_arithmetic(extended & 31) ? std::optional(kDouble1) : std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace

Floats ppc_floats(uint32_t word) {
  Floats f;
  const std::optional<Lanes> lanes = lanes_of(word);
  if (!lanes) return f;
  f.format = lanes->format;
  f.lanes = lanes->lanes;
  const ModelInsn insn = ppc_operands(word);
  for (const uint8_t reg : insn.read_registers())
    if (reg >= kFloat0 && reg < kCondition0) f.add(reg - kFloat0);
  return f;
}

}  // namespace perfboard
