// SPDX-License-Identifier: GPL-2.0-or-later
//
// Classes of instructions, by the opcode maps of Power ISA 2.07 to 3.1 (book appendices "opcode maps").
#include <array>

#include "plugins/isa/ppc/insn.h"

namespace perfboard {
namespace {

// By primary opcode. 1, 4, 6, 19, 31 and 57 to 63 are looked at again.
constexpr auto kPrimary = opcode_table<Op, 64>({
    {Op::kTrap, {2, 3}},   // tdi twi
    {Op::kMultiply, {7}},  // mulli
    {Op::kInteger, {8, 10, 11, 12, 13, 14, 15, 20, 21, 23, 24, 25, 26, 27, 28, 29, 30}},
    {Op::kBranch, {16, 18}},                                    // bc b
    {Op::kSystemCall, {17}},                                    // sc scv
    {Op::kLoad, {32, 33, 34, 35, 40, 41, 42, 43, 46, 56, 58}},  // to lmw lq ld
    {Op::kStore, {36, 37, 38, 39, 44, 45, 47, 62}},             // to stmw std
    {Op::kFloatLoad, {48, 49, 50, 51}},
    {Op::kFloatStore, {52, 53, 54, 55}},
    {Op::kVector, {4}},
});

constexpr auto k19 = opcode_table<Op, 1024>({
    {Op::kCondition, {0, 33, 129, 193, 225, 257, 289, 417, 449}},
    {Op::kBranch,
     {16, 528, 560, 18, 274, 82, 146, 50, 51, 38, 39}},  // bclr bcctr bctar rfid hrfid rfscv rfebb rfi ...
    {Op::kSync, {150}},
    {Op::kSystem, {370, 402, 434, 466, 498}},  // stop doze nap sleep rvwinkle
});

constexpr auto k31 = opcode_table<Op, 1024>({
    {Op::kInteger,
     {0,   8,   10,  24,  26,  27,  28,  32,  40,  58,  59,  60,  74,  104, 122, 124, 128, 136, 138,
      154, 155, 156, 170, 186, 187, 188, 192, 200, 202, 219, 220, 224, 232, 234, 252, 266, 282, 284,
      314, 316, 378, 384, 412, 416, 444, 448, 476, 480, 506, 508, 520, 522, 536, 538, 539, 552, 570,
      571, 616, 648, 650, 712, 714, 744, 746, 778, 792, 794, 824, 826, 827, 890, 891, 922, 954, 986}},
    {Op::kMultiply, {9, 11, 73, 75, 233, 235, 521, 523, 585, 587, 745, 747}},
    {Op::kDivide,
     {265, 267, 393, 395, 425, 427, 457, 459, 489, 491, 777, 779, 905, 907, 937, 939, 969, 971, 1001, 1003}},
    {Op::kTrap, {4, 68}},
    {Op::kSpecial, {19, 83, 144, 302, 323, 339, 371, 451, 467, 512, 576, 755}},
    {Op::kLoad, {20,  21,  23,  29,  31,  52,  53,  55,  84,  87,  95,  116, 119, 276, 279, 287, 310,
                 311, 341, 343, 373, 375, 532, 533, 534, 597, 690, 754, 789, 790, 821, 853, 885}},
    {Op::kStore, {149, 150, 151, 157, 159, 181, 182, 183, 214, 215, 223, 247, 407, 415, 438,
                  439, 658, 660, 661, 662, 694, 722, 725, 726, 917, 918, 949, 981, 1013}},
    {Op::kLoadStore, {582, 614, 710, 742}},  // lwat ldat stwat stdat
    {Op::kFloatLoad, {12, 76, 524, 535, 567, 588, 599, 607, 631, 781, 791, 813, 855, 887}},
    {Op::kFloatStore, {140, 652, 663, 695, 716, 727, 735, 759, 909, 919, 941, 983}},
    {Op::kFloatMove, {51, 115, 179, 211, 243, 307, 403, 435}},  // mfvsrd mtvsrd ...
    {Op::kVector, {6, 38, 177}},                                // lvsl lvsr load nothing; xxmtacc
    {Op::kVectorLoad,
     {7, 13, 39, 45, 71, 77, 103, 109, 268, 269, 301, 332, 333, 359, 364, 780, 812, 844, 876}},
    {Op::kVectorStore,
     {135, 141, 167, 173, 199, 205, 231, 237, 396, 397, 429, 461, 487, 908, 940, 972, 1004}},
    {Op::kCache, {22,  54,  63,  86,  127, 134, 166, 230, 246, 255, 262, 278, 319,  342, 374,
                  390, 454, 470, 758, 774, 822, 838, 902, 966, 982, 991, 998, 1014, 1023}},  // dcbz too
    {Op::kSync, {30, 62, 598, 854}},
    {Op::kSystem,
     {131, 142, 146, 163, 174, 178, 206, 210, 238, 242, 270, 274, 306, 338, 370, 402, 430, 434, 466, 498,
      566, 595, 654, 659, 686, 750, 782, 786, 814, 846, 851, 878, 910, 914, 915, 942, 946, 978, 979, 1010}},
});

// Of 59 and 63 by the last five bits of the extended opcode (A form), for both precisions.
constexpr auto kFloatArithmetic = opcode_table<Op, 32>({
    {Op::kFloatDivide, {18}},
    {Op::kFloatAdd, {20, 21}},
    {Op::kFloatRoot, {22}},
    {Op::kFloatMove, {23, 24, 26}},  // select, estimates
    {Op::kFloatMultiply, {25}},
    {Op::kFloatMultiplyAdd, {28, 29, 30, 31}},
});

// 63: the others; quadword (ISA 3.0) and decimal operations too.
constexpr auto k63 = opcode_table<Op, 1024>({
    {Op::kFloatCompare, {0, 32, 128, 160, 132, 164, 644, 68, 196, 228}},
    {Op::kFloatConvert, {12,  14,  15,  142, 143, 392, 424, 456, 488, 814, 815, 846, 942,
                         943, 974, 836, 5,   37,  261, 293, 517, 549, 773, 805, 994}},
    {Op::kFloatMove,
     {8, 38, 40, 64, 70, 72, 100, 134, 136, 264, 583, 676, 708, 711, 740, 804, 838, 868, 966}},
    {Op::kFloatAdd, {2, 4, 514, 516}},
    {Op::kFloatMultiply, {34, 36}},
    {Op::kFloatMultiplyAdd, {388, 420, 452, 484}},
    {Op::kFloatDivide, {546, 548}},
});
constexpr auto k59 = opcode_table<Op, 1024>({
    {Op::kFloatConvert, {846, 974}},
    {Op::kFloatAdd, {2, 514}},
    {Op::kFloatMultiply, {34}},
    {Op::kFloatDivide, {546}},
});

// The rest of the decimal operations of both, by the last nine bits of the extended opcode.
constexpr auto kDecimal = opcode_table<Op, 512>({
    {Op::kFloatCompare, {130, 162, 163, 194, 226}},
    {Op::kFloatConvert, {3, 35, 67, 99, 227, 258, 259, 290, 291, 322, 323, 355, 483}},
    {Op::kFloatMove, {66, 98, 354}},
});

// 59: sums of products in an accumulator (ISA 3.1), by bits 21 to 28.
constexpr auto kMma = opcode_table<Op, 256>({
    {Op::kVector, {2,  3,  18, 19,  26,  27,  34,  35,  42,  43,  50,  51,  58,  59, 75,
                   82, 90, 99, 107, 114, 122, 146, 154, 178, 186, 210, 218, 242, 250}},
});

// 60: the scalar ones by bits 21 to 28 (XX3) and 21 to 29 (XX2). What is not here works on vectors.
constexpr auto kVsx3 = opcode_table<Op, 256>({
    {Op::kFloatAdd, {0, 8, 32, 40}},
    {Op::kFloatMultiply, {16, 48}},
    {Op::kFloatDivide, {24, 56}},
    {Op::kFloatMultiplyAdd, {1, 9, 17, 25, 33, 41, 49, 57, 129, 137, 145, 153, 161, 169, 177, 185}},
    {Op::kFloatCompare, {3, 11, 19, 35, 43, 59, 61}},
    {Op::kFloatMove, {128, 136, 144, 152, 160, 168, 176}},
});
constexpr auto kVsx2 = opcode_table<Op, 512>({
    {Op::kFloatRoot, {11, 75}},
    {Op::kFloatMove, {10, 26, 74, 90, 106, 345, 361, 377}},
    {Op::kFloatConvert,
     {72, 73, 88, 89, 105, 107, 121, 265, 267, 281, 296, 312, 328, 329, 331, 344, 360, 376}},
});

Op vsx(uint32_t word) {
  const Op two = kVsx2[word >> 2 & 0x1ff];
  return two != Op::kUnknown                       ? two
         : kVsx3[word >> 3 & 0xff] != Op::kUnknown ? kVsx3[word >> 3 & 0xff]
                                                   : Op::kVector;
}

Op float_op(uint32_t word, const std::array<Op, 1024>& others) {
  const unsigned extended = ppc_extended(word);
  if (others[extended] != Op::kUnknown) return others[extended];
  const Op decimal = kDecimal[extended & 511];
  return decimal != Op::kUnknown ? decimal : kFloatArithmetic[extended & 31];
}

}  // namespace

Op ppc_op(uint32_t word) {
  const unsigned extended = ppc_extended(word);
  switch (ppc_primary(word)) {
    case 4:  // maddhd maddhdu maddld
      return (word & 0x3f) == 48 || (word & 0x3f) == 49 || (word & 0x3f) == 51 ? Op::kMultiply : Op::kVector;
    case 6:
      return (word & 15) == 0 ? Op::kVectorLoad : (word & 15) == 1 ? Op::kVectorStore : Op::kUnknown;
    case 19:
      return (extended & 0x1f) == 2 ? Op::kInteger : k19[extended];  // addpcis
    case 31:
      return (extended & 0x1f) == 15 ? Op::kInteger : k31[extended];  // isel
    case 57:
      return (word & 3) == 1 ? Op::kUnknown : Op::kFloatLoad;
    case 58:
      return (word & 3) == 3 ? Op::kUnknown : Op::kLoad;
    case 59:
      return kMma[word >> 3 & 255] != Op::kUnknown ? Op::kVector : float_op(word, k59);
    case 60:
      return vsx(word);
    case 61:
      return (word & 3) != 1 ? Op::kFloatStore : word & 4 ? Op::kVectorStore : Op::kVectorLoad;
    case 62:
      return (word & 3) == 3 ? Op::kUnknown : Op::kStore;
    case 63:
      return float_op(word, k63);
    default:
      return kPrimary[ppc_primary(word)];
  }
}

Op ppc_prefixed_op(uint32_t prefix, uint32_t suffix) {
  const unsigned primary = ppc_primary(suffix);
  switch (prefix >> 24 & 3) {
    case 0:  // loads and stores with opcodes of their own
      switch (primary) {
        case 41:
        case 56:
        case 57:
          return Op::kLoad;
        case 42:
        case 43:
          return Op::kFloatLoad;
        case 46:
        case 47:
          return Op::kFloatStore;
        case 50:
        case 51:
        case 58:
          return Op::kVectorLoad;
        case 54:
        case 55:
        case 62:
          return Op::kVectorStore;
        case 60:
        case 61:
          return Op::kStore;
        default:
          return Op::kUnknown;
      }
    case 2:  // as without the prefix
      return primary == 14 || (primary >= 32 && primary < 56) ? kPrimary[primary] : Op::kUnknown;
    case 3:
      return primary == 59 ? Op::kVector : suffix == 0 ? Op::kInteger : Op::kUnknown;  // pnop
    default:
      return primary >= 32 && primary <= 34 ? Op::kVector : Op::kUnknown;
  }
}

}  // namespace perfboard
