// SPDX-License-Identifier: GPL-2.0-or-later
//
// Forms of the vector (4) and vector-scalar (60) instructions of Power ISA 2.07 to 3.1 that access no memory.
#include "plugins/isa/ppc/form.h"
#include "plugins/isa/ppc/insn.h"

namespace perfboard {
namespace {

using namespace form;

constexpr Form kTwo = kWriteVt | kReadVb, kThree = kWriteVt | kReadVa | kReadVb, kFour = kThree | kReadVc;
constexpr Form kCounts = kWriteGt | kReadVb;  // the result is a general register

// Of 4, by the last six bits of the word. What is not here is looked up by the last eleven.
constexpr auto kFormVa = opcode_table<Form, 64>({
    {kWriteVt, {20, 21}},  // mtvsrbmi
    {kThree, {22, 44}},    // vsldbi vsrdbi vsldoi
    {kFour, {23, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 45, 46, 47, 59, 60, 61, 62, 63}},
    {kThree | kReadGc, {24, 25, 26, 27, 28, 29, 30, 31}},    // vextdubvlx ... vextddvrx
    {kWriteGt | kReadGa | kReadGb | kReadGc, {48, 49, 51}},  // maddhd maddhdu maddld
});

// By the last eleven bits; not here: kThree.
constexpr auto kFormVx = opcode_table<Form, 2048>({
    {kTwo,
     {524, 588, 652, 522, 586, 650, 714, 266, 330, 394, 458}},  // vsplt vrfi vrefp vrsqrtefp vexptefp vlogefp
    {kTwo, {778, 842, 906, 970, 526, 590, 654, 718, 846, 974, 1614, 1742}},  // vcfux vctuxs vupk
    {kTwo, {1794, 1858, 1922, 1986, 1795, 1859, 1923, 1987, 1292}},          // vclz vpopcnt vgbbd
    {kTwo, {525, 589, 653, 717}},                                            // vextractub
    {kTwo | kReadVt, {781, 845, 909, 973}},                                  // vinsertb
    {kWriteVt | kReadVa, {1480, 1666, 1730, 1, 513}},  // vsbox vshasigma vmul10cuq vmul10uq
    {kWriteVt, {780, 844, 908}},                       // vspltis
    {kWriteVt, {1540}},                                // mfvscr
    {kReadVb, {1604}},                                 // mtvscr
    {kWriteGt | kReadGa | kReadVb, {1549, 1613, 1677, 1805, 1869, 1933}},                // vextublx
    {kWriteVt | kReadVa | kReadGb, {397, 461}},                                          // vclrlb vclrrb
    {kWriteVt | kReadVt | kReadGb, {207, 463}},                                          // vinsw vinsd
    {kWriteVt | kReadVt | kReadGa | kReadVb, {15, 79, 143, 271, 335, 399}},              // vinsbvlx
    {kWriteVt | kReadVt | kReadGa | kReadGb, {527, 591, 655, 719, 783, 847, 911, 975}},  // vinsblx
    {kThree | kReadVt, {69, 133, 197}},          // vrlqmi vrlwmi vrldmi
    {kWriteBf | kReadVa | kReadVb, {257, 321}},  // vcmpuq vcmpsq
    {kThree | kWriteCr6,
     {1025, 1537, 1089, 1601, 1153, 1217, 1729, 1281, 1793, 1345, 1473, 1985}},  // bcdadd. ...
    {kTwo | kWriteCr6, {1409, 1921}},                                            // bcdcfn. ...
    {kCounts, {1228}},                                                           // vgnb
});

// Of 4 and 1602 by A: vexpand, vextract, mtvsr, vcntmb.
Form of_masks(unsigned which) {
  return which < 8 ? kTwo : which < 16 ? kCounts : which < 24 ? kWriteVt | kReadGb : kCounts;
}

Form of_4(uint32_t word) {
  const unsigned last = word & 2047, a = word >> 16 & 31;
  if (kFormVa[word & 63]) return kFormVa[word & 63];
  if ((last & 0x3ff) == 13) return kTwo | kRc6;     // vstribl vstribr
  if ((last & 0x3e) == 6) return kThree | kRc6;     // vcmp
  if (last == 1538) return a < 2 ? kCounts : kTwo;  // vclzlsbb vctzlsbb vneg ...
  if (last == 1602) return of_masks(a);
  return kFormVx[last] ? kFormVx[last] : kThree;
}

constexpr Form kX2 = kWriteXt | kReadXb, kX3 = kX2 | kReadXa;

// Of 60, by bits 21 to 29: those with one operand, and those that are alone in their form.
constexpr auto kFormXx2 = opcode_table<Form, 512>({
    {kX2 | kSingle, {10, 11, 26, 281, 296, 312}},  // xsrsqrtesp xssqrtsp xsresp xsrsp xscvuxdsp xscvsxdsp
    {kX2, {72, 73, 74, 75, 88, 89, 90, 105, 107, 121}},  //
    {kX2, {136, 137, 138, 139, 152, 153, 154, 164, 165, 168, 169, 171, 184, 185}},
    {kX2, {200, 201, 202, 203, 216, 217, 218, 232, 233, 235, 248, 249}},
    {kX2, {265, 267, 328, 329, 331, 344, 345, 360, 361, 376, 377, 392, 393, 408, 409, 424, 425, 440, 441}},
    {kX2, {456, 457, 472, 473, 488, 489, 504, 505}},
    {kX2, {426, 427, 442, 443, 490, 491, 506, 507}},  // xvtstdcsp xvtstdcdp
    {kX2 | kReadXt, {181}},                           // xxinsertw
    {kWriteXt, {180}},                                // xxspltib lxvkq
    {kWriteXt | kReadGa | kReadGb, {459}},            // xsiexpdp
    {kWriteXt | kReadVb, {458, 474}},                 // xxgenpcv
    {kWriteBf | kReadXb, {106, 170, 234, 298, 362}},  // xstsqrtdp xvtsqrt xststdc
});

// By bits 21 to 28; not here: kX3.
constexpr auto kFormXx3 = opcode_table<Form, 256>({
    {kX3 | kSingle, {0, 8, 16, 24}},                                         // xsaddsp ...
    {kX3 | kReadXt | kSingle, {1, 9, 17, 25, 129, 137, 145, 153}},           // xsmaddasp ...
    {kX3 | kReadXt, {33, 41, 49, 57, 161, 169, 177, 185}},                   // xsmaddadp ...
    {kX3 | kReadXt, {65, 73, 81, 89, 97, 105, 113, 121}},                    // xvmadda
    {kX3 | kReadXt, {26, 58}},                                               // xxperm xxpermr
    {kX3 | kReadXt, {193, 201, 209, 217, 225, 233, 241, 249}},               // xvnmadda
    {kWriteBf | kReadXa | kReadXb, {35, 43, 59, 61, 93, 125}},               // xscmpudp ... xvtdiv
    {kX3 | kRc6, {67, 75, 83, 99, 107, 115, 195, 203, 211, 227, 235, 243}},  // xvcmp
});

// 60 and 475 by A.
Form of_475(unsigned which) {
  return which == 2 ? kWriteBf | kReadXb : kX2;  // xvtlsbb; xvxexpdp xxbr xvcv ...
}

Form of_60(uint32_t word) {
  const unsigned two = word >> 2 & 511, three = word >> 3 & 255, a = word >> 16 & 31;
  if ((word >> 4 & 3) == 3) return kX3 | kReadXc;           // xxsel
  if (two == 347) return a < 2 ? kWriteGt | kReadXb : kX2;  // xsxexpdp xsxsigdp xscvhpdp xscvdphp
  if (two == 475) return of_475(a);
  if (kFormXx2[two]) return kFormXx2[two];
  return kFormXx3[three] ? kFormXx3[three] : kX3;
}

}  // namespace

Form ppc_form_vector(uint32_t word) { return ppc_primary(word) == 4 ? of_4(word) : of_60(word); }

}  // namespace perfboard
