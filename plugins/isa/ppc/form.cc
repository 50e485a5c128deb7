// SPDX-License-Identifier: GPL-2.0-or-later
//
// Forms of the integer, branch and memory instructions of Power ISA 2.07 to 3.1, by opcode. Those of the
// floating-point and vector units are in form_float.cc.
#include "plugins/isa/ppc/form.h"

#include "plugins/isa/ppc/insn.h"

namespace perfboard {
namespace {

using namespace form;

constexpr Form kLoad = kWriteGt | kBase, kLoadUpdate = kWriteGt | kUpdate;
constexpr Form kStore = kReadGt | kBase, kStoreUpdate = kReadGt | kUpdate;
constexpr Form kThree = kWriteGt | kReadGa | kReadGb | kRc0;  // add
constexpr Form kTwo = kWriteGt | kReadGa | kRc0;              // neg
constexpr Form kLogic = kWriteGa | kReadGt | kReadGb | kRc0;  // and
constexpr Form kUnary = kWriteGa | kReadGt | kRc0;            // extsb
constexpr Form kCarries = kReadXer | kWriteXer;
constexpr Form kAll = ~kRc0;  // with `&`: without Rc

constexpr auto kPrimary = opcode_table<Form, 64>({
    {kReadGa, {2, 3}},                                   // tdi twi
    {kWriteGt | kReadGa, {7}},                           // mulli
    {kWriteGt | kReadGa | kWriteXer, {8, 12}},           // subfic addic
    {kWriteGt | kReadGa | kWriteXer | kWriteCr0, {13}},  // addic.
    {kWriteBf | kReadGa, {10, 11}},                      // cmpli cmpi
    {kWriteGt | kReadGz, {14, 15}},                      // addi addis
    {kSerializes, {17}},                                 // sc scv
    {kWriteGa | kReadGa | kReadGt | kRc0, {20}},         // rlwimi
    {kUnary, {21}},                                      // rlwinm
    {kLogic, {23}},                                      // rlwnm
    {kWriteGa | kReadGt, {24, 25, 26, 27}},              // ori oris xori xoris
    {kWriteGa | kReadGt | kWriteCr0, {28, 29}},          // andi. andis.
    {kLoad, {32, 34, 40, 42, 46}},                       // lwz lbz lhz lha lmw
    {kLoadUpdate, {33, 35, 41, 43}},                     //
    {kStore, {36, 38, 44, 47}},                          // stw stb sth stmw
    {kStoreUpdate, {37, 39, 45}},                        //
    {kWriteFt | kBase, {48, 50}},                        // lfs lfd
    {kWriteFt | kUpdate, {49, 51}},                      //
    {kReadFt | kBase, {52, 54}},                         // stfs stfd
    {kReadFt | kUpdate, {53, 55}},                       //
    {kLoad | kPairT, {56}},                              // lq
});

constexpr auto k19 = opcode_table<Form, 1024>({
    {kWriteBf | kReadBfa, {0}},                                                       // mcrf
    {kSerializes, {18, 38, 39, 50, 51, 82, 146, 150, 274, 370, 402, 434, 466, 498}},  // rfid ... isync stop
});

constexpr auto k31 = opcode_table<Form, 1024>({
    {kThree | kOe, {40, 233, 235, 266, 393, 395, 425, 427, 457, 459, 489, 491}},  // subf mul add div
    {kThree | kOe, {552, 745, 747, 778, 905, 907, 937, 939, 969, 971, 1001, 1003}},
    {kThree | kWriteXer, {8, 10, 520, 522}},    // subfc addc
    {kThree | kCarries, {136, 138, 648, 650}},  // subfe adde
    {kTwo | kCarries, {200, 202, 232, 234, 712, 714, 744, 746}},
    {kTwo | kOe, {104, 616}},                       // neg
    {kThree, {9, 11, 73, 75, 521, 523, 585, 587}},  // mulh
    {kThree & kAll, {74, 265, 267, 777, 779}},      // addg6s mod
    {(kThree | kCarries) & kAll, {170}},            // addex
    {kLogic, {24, 27, 28, 60, 124, 284, 316, 412, 444, 476, 536, 539}},
    {kLogic | kWriteXer, {792, 794}},                     // sraw srad
    {kLogic & kAll, {59, 156, 188, 220, 252, 508, 571}},  // cntlzdm pdepd pextd cfuged bpermd cmpb cnttzdm
    {kUnary, {26, 58, 538, 570, 890, 891, 922, 954, 986}},
    {kUnary | kWriteXer, {824, 826, 827}},  // srawi sradi
    {kUnary & kAll,
     {122, 154, 155, 186, 187, 219, 282, 314, 378, 506}},  // popcnt prty brw brd brh cdtbcd cbcdtd
    {kWriteBf | kReadGa | kReadGb, {0, 32, 192, 224}},     // cmp cmpl cmprb cmpeqb
    {kWriteGt | kReadBfa, {128}},                          // setb
    {kWriteGt | kReadBitA, {384, 416, 448, 480}},          // setbc ...
    {kReadGa | kReadGb, {4, 68}},                          // tw td
    {kWriteBf | kReadXer, {576}},                          // mcrxrx
    {kWriteBf | kCarries, {512}},                          // mcrxr
    {kWriteGt, {83, 302, 371, 755}},                       // mfmsr mfbhrbe mftb darn
    {kLoad | kIndex, {20,  21,  23,  29,  31,  52,  84,  87,  95,  116, 279, 287,
                      310, 341, 343, 532, 533, 534, 789, 790, 821, 853, 885}},
    {kLoad, {597}},  // lswi
    {kLoadUpdate | kIndex, {53, 55, 119, 311, 373, 375}},
    {kLoad | kIndex | kPairT, {276}},         // lqarx
    {kBase | kReadGb, {690, 754, 658, 722}},  // hashchk hashst
    {kStore | kIndex, {149, 151, 157, 159, 215, 223, 407, 415, 438, 660, 661, 662, 917, 918, 949, 981, 1013}},
    {kStore | kIndex | kWriteCr0, {150, 214, 694, 726}},
    {kStore | kIndex | kWriteCr0 | kPairT, {182}},  // stqcx.
    {kStore, {725}},                                // stswi
    {kStoreUpdate | kIndex, {181, 183, 247, 439}},
    {kBase | kIndex, {1014, 1023}},  // dcbz
    {kStore, {710, 742}},            // stwat stdat
    {kLoad, {582, 614}},             // lwat ldat, operands.cc
    {kBase | kIndex, {22,  54,  63,  86,  127, 134, 166, 230, 246, 255, 262,
                      278, 319, 342, 374, 390, 470, 758, 774, 982, 991, 998}},
    {kBase | kIndex | kWriteCr0, {902}},             // paste.
    {kReadGt, {146, 178}},                           // mtmsr mtmsrd: operands.cc
    {kReadGt, {131, 210, 451}},                      // wrtee mtsr mtdcr
    {kReadGt | kReadGb, {242, 274, 306, 402, 466}},  // mtsrin tlbiel tlbie slbmte slbieg
    {kReadGb, {110, 142, 174, 206, 238, 434}},       // msgsnd ... slbie
    {kWriteGt, {323, 595}},                          // mfdcr mfsr
    {kWriteGt | kReadGb, {659, 851, 915}},           // mfsrin slbmfev slbmfee
    {kWriteGt | kReadGb | kWriteCr0, {979}},         // slbfee.
    {kReadGa | kWriteCr0, {846, 878, 910, 942}},     // tabort ...
    {kReadGa | kReadGb | kWriteCr0, {782, 814}},
    {kWriteCr0, {654, 686, 750}},
});

// Of 30, by bits 27 to 30 of the word: rldicl ... rldimi twice each, rldcl, rldcr.
constexpr auto k30 = opcode_table<Form, 16>({
    {kUnary, {0, 1, 2, 3, 4, 5}},
    {kWriteGa | kReadGa | kReadGt | kRc0, {6, 7}},
    {kLogic, {8, 9}},
});

}  // namespace

Form ppc_form(uint32_t word) {
  const unsigned extended = ppc_extended(word), last2 = word & 3;
  switch (ppc_primary(word)) {
    case 19:
      return (extended & 0x1f) == 2 ? kWriteGt : k19[extended];  // addpcis
    case 30:
      return k30[word >> 1 & 15];
    case 31:
      if ((extended & 0x1f) == 15) return kWriteGt | kReadGz | kReadGb | kReadBitC;  // isel
      return k31[extended] ? k31[extended] : ppc_form_float(word);
    case 58:
      return last2 == 1 ? kLoadUpdate : last2 == 3 ? 0 : kLoad;
    case 62:
      return last2 == 0 ? kStore : last2 == 1 ? kStoreUpdate : last2 == 2 ? kStore | kPairT : 0;
    case 4:
    case 6:
    case 57:
    case 59:
    case 60:
    case 61:
    case 63:
      return ppc_form_float(word);
    default:
      return kPrimary[ppc_primary(word)];
  }
}

}  // namespace perfboard
