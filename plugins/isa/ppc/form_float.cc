// SPDX-License-Identifier: GPL-2.0-or-later
//
// Forms of the instructions on floating-point registers of Power ISA 2.07 to 3.1, decimal and quadword ones
// too, and of the floating-point and vector loads and stores.
#include "plugins/isa/ppc/form.h"
#include "plugins/isa/ppc/insn.h"

namespace perfboard {
namespace {

using namespace form;

constexpr Form kResult = kWriteFt | kRc1;
constexpr Form kQuad = kWriteVt | kReadVa | kReadVb;
constexpr Form kPairs = kPairT | kPairA | kPairB;

// Of 59 and 63 by the last five bits of the extended opcode (A form).
constexpr auto kFormA = opcode_table<Form, 32>({
    {kResult | kReadFa | kReadFb, {18, 20, 21}},                    // fdiv fsub fadd
    {kResult | kReadFb, {22, 24, 26}},                              // fsqrt fre frsqrte
    {kResult | kReadFa | kReadFc, {25}},                            // fmul
    {kResult | kReadFa | kReadFb | kReadFc, {23, 28, 29, 30, 31}},  // fsel fmsub fmadd fnmsub fnmadd
});

// Decimal ones of 59 by the last nine bits of the extended opcode, of which some have the first as an
// operand.
constexpr auto kDecimal = opcode_table<Form, 512>({
    {kResult | kReadFa | kReadFb, {2, 34}},             // dadd dsub dmul ddiv
    {kResult | kReadFa | kReadFb, {3, 259, 35, 291}},   // dqua drrnd
    {kResult | kReadFb, {67, 323, 99, 355, 227, 483}},  // dquai drintx drintn
    {kResult | kReadFa, {66, 98}},                      // dscli dscri
    {kResult | kReadFb, {258, 290, 322}},               // dctdp drsp dctfix dcffix ddedpd denbcd
    {kWriteBf | kReadFa | kReadFb, {130, 162}},         // dcmpo dcmpu dtstex dtstsf
    {kWriteBf | kReadFb, {163}},                        // dtstsfi
    {kWriteBf | kReadFa, {194, 226}},                   // dtstdc dtstdg
});
// By all ten.
constexpr auto kDecimal10 = opcode_table<Form, 1024>({
    {kResult | kReadFa | kReadFb, {866}},  // diex
    {kResult | kReadFb, {354}},            // dxex
});

// Of 59, by bits 21 to 28: sums of products in an accumulator (ISA 3.1), that begin a sum or go on.
constexpr Form kOuter = kReadXa | kReadXb | kWriteAcc;
constexpr auto kMma = opcode_table<Form, 256>({
    {kOuter, {3, 19, 27, 35, 43, 51, 75}},
    {kOuter | kReadAcc, {2, 18, 26, 34, 42, 50, 82, 90, 99, 107, 114, 146, 154, 178, 210, 218, 242}},
    {kOuter | kPairA, {59}},  // xvf64ger
    {kOuter | kPairA | kReadAcc, {58, 122, 186, 250}},
});

constexpr auto k63 = opcode_table<Form, 1024>({
    {kWriteBf | kReadFa | kReadFb, {0, 32, 128}},  // fcmpu fcmpo ftdiv
    {kWriteBf | kReadFb, {160}},                   // ftsqrt
    {kResult | kReadFa | kReadFb, {8}},            // fcpsgn
    {kWriteFt | kReadFa | kReadFb, {838, 966}},    // fmrgow fmrgew
    {kResult | kReadFb,
     {12, 14, 15, 40, 72, 136, 142, 143, 264, 392, 424, 456, 488, 814, 815, 846, 942, 943, 974}},
    {kWriteBf | kReadFpscr | kWriteFpscr, {64}},  // mcrfs
    {kWriteFpscr | kRc1, {38, 70, 134}},          // mtfsb1 mtfsb0 mtfsfi
    {kWriteFpscr | kRc1 | kReadFb, {711}},        // mtfsf
    {kQuad,
     {4, 36, 68, 100, 196, 228, 516, 548, 676,
      740}},                                  // xsaddqp xsmulqp xscmpeqqp xscpsgnqp ... xsmaxcqp xsmincqp
    {kQuad | kReadVt, {388, 420, 452, 484}},  // xsmaddqp ...
    {kWriteVt | kReadVb, {804, 836}},         // xsabsqp xscvqpdp
    {kQuad, {868}},                           // xsiexpqp
    {kWriteBf | kReadVa | kReadVb, {132, 164, 644}},  // xscmpoqp xscmpexpqp xscmpuqp
    {kWriteBf | kReadVb, {708}},                      // xststdcqp
});

constexpr auto k31 = opcode_table<Form, 1024>({
    {kWriteFt | kBase | kIndex, {535, 599, 607, 855, 887}},
    {kWriteFt | kUpdate | kIndex, {567, 631}},
    {kWriteFt | kBase | kIndex | kPairT, {791}},
    {kReadFt | kBase | kIndex, {663, 727, 735, 983}},
    {kReadFt | kUpdate | kIndex, {695, 759}},
    {kReadFt | kBase | kIndex | kPairT, {919}},
    {kWriteXt | kBase | kIndex, {12, 76, 524, 588, 781, 813}},  // lxs...
    {kReadXt | kBase | kIndex, {140, 652, 716, 909, 941}},
    {kWriteGa | kReadXt, {51, 115, 307}},        // mfvsrd mfvsrwz mfvsrld
    {kWriteXt | kReadGa, {179, 211, 243, 403}},  // mtvsr
    {kWriteXt | kReadGz | kReadGb, {435}},       // mtvsrdd
    {kWriteVt | kReadGz | kReadGb, {6, 38}},     // lvsl lvsr
    {kWriteVt | kBase | kIndex, {7, 39, 71, 103, 359}},
    {kReadVt | kBase | kIndex, {135, 167, 199, 231, 487}},
    {kWriteXt | kBase | kIndex, {13, 45, 77, 109, 268, 332, 364, 780, 812, 844, 876}},
    {kReadXt | kBase | kIndex, {141, 173, 205, 237, 396, 908, 940, 972, 1004}},
    {kWriteXt | kBase | kIndex | kPairT, {333}},  // lxvpx
    {kReadXt | kBase | kIndex | kPairT, {461}},   // stxvpx
    {kWriteXt | kBase | kReadGb, {269, 301}},     // lxvl lxvll: B is a length
    {kReadXt | kBase | kReadGb, {397, 429}},
});

// Of 63 pairs of registers hold decimal quadwords; other formats are one register.
Form decimal_quad(uint32_t word) {
  const unsigned extended = ppc_extended(word);
  switch (extended) {
    case 258:  // dctqpq
    case 802:  // dcffixq
      return kResult | kReadFb | kPairT;
    case 290:  // dctfixq
    case 354:  // dxexq
      return kResult | kReadFb | kPairB;
    case 866:  // diexq
      return kResult | kReadFa | kReadFb | kPairT | kPairB;
    case 674:  // dtstsfq
      return kWriteBf | kReadFa | kReadFb | kPairB;
    case 994:  // dcffixqq dctfixqq
      return (word >> 16 & 31) == 0 ? kWriteFt | kPairT | kReadVb : kWriteVt | kReadFb | kPairB;
    default:
      return kDecimal[extended & 511] ? kDecimal[extended & 511] | kPairs : 0;
  }
}

// By A: mffs mffsce mffscdrn mffscdrni mffscrn mffscrni mffsl.
Form move_from_fpscr(uint32_t word) {
  const unsigned which = word >> 16 & 31;
  return kResult | kReadFpscr | (which == 20 || which == 22 ? kReadFb : 0) |
         (which == 1 || (which >= 20 && which <= 23) ? kWriteFpscr : 0);
}

Form of_59(uint32_t word) {
  const unsigned extended = ppc_extended(word);
  if (kMma[word >> 3 & 255]) return kMma[word >> 3 & 255];
  if (extended == 846 || extended == 974) return kResult | kReadFb | kSingle;  // fcfids fcfidus
  if (kDecimal10[extended]) return kDecimal10[extended];
  if (kDecimal[extended & 511]) return kDecimal[extended & 511];
  const Form form = kFormA[extended & 31];
  return form ? form | kSingle : 0;
}

Form of_63(uint32_t word) {
  const unsigned extended = ppc_extended(word);
  if (extended == 583) return move_from_fpscr(word);
  if (k63[extended]) return k63[extended];
  if ((extended & 255) == 5 || (extended & 255) == 37) return kWriteVt | kReadVb;  // xsrqpi xsrqpxp
  const Form decimal = decimal_quad(word);
  return decimal ? decimal : kFormA[extended & 31];
}

}  // namespace

Form ppc_form_float(uint32_t word) {
  const unsigned last2 = word & 3, extended = ppc_extended(word);
  switch (ppc_primary(word)) {
    case 4:
    case 60:
      return ppc_form_vector(word);
    case 6:  // lxvp stxvp
      return (word & 15) == 0 ? kWriteXt | kPairT | kBase : (word & 15) == 1 ? kReadXt | kPairT | kBase : 0;
    case 31:
      if (extended == 177)  // xxmfacc xxmtacc xxsetaccz
        return (word >> 16 & 31) == 3 ? kWriteAcc : kReadAcc | kWriteAcc;
      return k31[extended];
    case 57:  // lfdp lxsd lxssp
      return last2 == 0 ? kWriteFt | kPairT | kBase : last2 == 1 ? 0 : kWriteVt | kBase;
    case 59:
      return of_59(word);
    case 61:  // stfdp stxsd stxssp lxv stxv
      return last2 == 0   ? kReadFt | kPairT | kBase
             : last2 != 1 ? kReadVt | kBase
             : word & 4   ? kReadXt | kBase
                          : kWriteXt | kBase;
    case 63:
      return of_63(word);
    default:
      return 0;
  }
}

}  // namespace perfboard
