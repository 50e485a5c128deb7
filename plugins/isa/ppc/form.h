// SPDX-License-Identifier: GPL-2.0-or-later
//
// Form - where a POWER instruction names registers and what becomes of them there: a set of the constants
// below. Fields as the Power ISA calls them: T, A, B, C are the four of five bits from bit 6 on; BF, BFA
// condition registers.
//
//   const Form form = ppc_form(word);            none of them: no registers, or operands.cc knows them by the opcode
//   if (form & form::kWriteGt) writes(word >> 21 & 31);
#ifndef PERFBOARD_PLUGINS_ISA_PPC_FORM_H
#define PERFBOARD_PLUGINS_ISA_PPC_FORM_H

#include <cstdint>

namespace perfboard {

using Form = uint64_t;

namespace form {

constexpr Form bit(unsigned n) { return Form{1} << n; }

// General registers. Z: A, of which 0 is no register.
constexpr Form kReadGt = bit(0), kReadGa = bit(1), kReadGz = bit(2), kReadGb = bit(3), kReadGc = bit(4);
constexpr Form kWriteGt = bit(5), kWriteGa = bit(6);
// They make an address.
constexpr Form kBase = bit(7), kIndex = bit(8);  // Z and B
constexpr Form kUpdate = bit(9);                 // A, which also becomes the address
// Floating-point registers.
constexpr Form kReadFt = bit(10), kReadFa = bit(11), kReadFb = bit(12), kReadFc = bit(13), kWriteFt = bit(14);
// Vector registers: VSR32 to 63.
constexpr Form kReadVt = bit(15), kReadVa = bit(16), kReadVb = bit(17), kReadVc = bit(18), kWriteVt = bit(19);
// Vector-scalar registers: with a sixth bit at the word's end.
constexpr Form kReadXt = bit(20), kReadXa = bit(21), kReadXb = bit(22), kReadXc = bit(23), kWriteXt = bit(24);
// The field names two registers: this one and the next. T: of each kind; A and B: of floating-point or
// vector-scalar ones.
constexpr Form kPairT = bit(25), kPairA = bit(26), kPairB = bit(46);
// Condition registers, and the bits of them that three fields name.
constexpr Form kWriteBf = bit(27), kReadBfa = bit(28), kReadBitA = bit(29), kReadBitC = bit(30);
// If Rc is 1: CR0, CR1 (word's last bit) or CR6 (bit 21).
constexpr Form kRc0 = bit(31), kRc1 = bit(32), kRc6 = bit(33);
constexpr Form kWriteCr0 = bit(34), kWriteCr1 = bit(35), kWriteCr6 = bit(36);  // always
// XER's carry and overflow; the latter as OE says; FPSCR.
constexpr Form kReadXer = bit(37), kWriteXer = bit(38), kOe = bit(39), kReadFpscr = bit(40),
               kWriteFpscr = bit(41);
constexpr Form kSingle = bit(42);                        // ModelInsn::single
constexpr Form kSerializes = bit(43);                    // ModelInsn::serializes
constexpr Form kReadAcc = bit(44), kWriteAcc = bit(45);  // the four vector-scalar registers from 4 * BF on

}  // namespace form

Form ppc_form(uint32_t word);  // not of a prefixed instruction's suffix

Form ppc_form_float(uint32_t word);   // of floating-point instructions, and of vector ones that access memory
Form ppc_form_vector(uint32_t word);  // of the others: primary opcodes 4 and 60

}  // namespace perfboard
#endif
