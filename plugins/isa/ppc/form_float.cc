// SPDX-License-Identifier: GPL-2.0-or-later
//
// Forms of the floating-point and vector instructions of Power ISA 2.07 to 3.1, by opcode.
#include "plugins/isa/ppc/form.h"
#include "plugins/isa/ppc/form_table.h"
#include "plugins/isa/ppc/insn.h"

namespace perfboard {
namespace {

using namespace form;

// Of 59 and 63 by the last five bits of the extended opcode (A form).
constexpr Form kArithmetic = kWriteFt | kWriteFpscr | kRc1;
constexpr auto kFormA = form_table<32>({
    {kArithmetic | kReadFa | kReadFb, {18, 20, 21}},                // fdiv fsub fadd
    {kArithmetic | kReadFb, {22, 24, 26}},                          // fsqrt fre frsqrte
    {kWriteFt | kRc1 | kReadFa | kReadFb | kReadFc, {23}},          // fsel
    {kArithmetic | kReadFa | kReadFc, {25}},                        // fmul
    {kArithmetic | kReadFa | kReadFb | kReadFc, {28, 29, 30, 31}},  // fmsub ...
});

}  // namespace

Form ppc_form_float(uint32_t word) {
  switch (ppc_primary(word)) {
    case 59:
      return kFormA[word >> 1 & 31] | kSingle;
    case 63:
      return kFormA[word >> 1 & 31];
    default:
      return 0;
  }
}

}  // namespace perfboard
