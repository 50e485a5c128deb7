// SPDX-License-Identifier: GPL-2.0-or-later
//
// The instruction match register: which instructions it names. INFERRED: the paper says that IMR counts the
// occurrences of specific instructions by their codes; that operands and the bits Rc, OE, LK and AA are no
// part of a code is ours.
#include "hw/power2/machine.h"

namespace perfboard::p2 {
namespace {

// Bits of a POWER word, numbered as its manual does.
constexpr uint32_t bits(unsigned first, unsigned last) {
  return UINT32_MAX >> first & UINT32_MAX << (31 - last);
}
constexpr uint32_t field(uint32_t word, unsigned first, unsigned last) {
  return (word & bits(first, last)) >> (31 - last);
}

constexpr uint32_t kA = bits(11, 15);  // of some instructions the register field A is a further opcode

// Primary opcode 4, vector operations: VA with 6 bits, VC with 10 behind its record bit, VX and the others
// with 11.
uint32_t extended_4(uint32_t word) {
  const unsigned low = field(word, 26, 31), all = field(word, 21, 31);
  if (low == 20 || low == 21) return bits(26, 30);    // mtvsrbmi
  if (low == 22) return bits(21, 22) | bits(26, 31);  // vsldbi, vsrdbi
  if (low > 22) return bits(26, 31);
  if (low == 6 || low == 7) return bits(22, 31);
  if ((all & 0x3ff) == 13) return bits(22, 31) | kA;  // vstribr and its like
  if (low == 1 && all & 0x400)                        // decimal ones, without the preferred sign
    return bits(21, 21) | bits(23, 31) | ((all & ~0x200u) == 0x581 ? kA : 0);
  return bits(21, 31) | (all == 0x602 || all == 0x642 ? kA : 0);
}

// 31: X with 10 bits; XO with 9 behind OE; isel with 5, sradi and extswsli with 9.
uint32_t extended_31(uint32_t word) {
  const unsigned extended = field(word, 21, 30), low = extended & 31;
  if (low == 15) return bits(26, 30);
  if (extended >> 1 == 413 || extended >> 1 == 445) return bits(21, 29);
  const bool modulo =
      (low == 9 || low == 11) && (extended >> 5 & 15) == 8;  // modud, modsd: bit 21 tells them apart
  const bool arithmetic = low == 8 || low == 9 || low == 10 || low == 11;
  return arithmetic && !modulo ? bits(22, 30) : bits(21, 30);
}

// 59 and 63, floating-point operations: A with 5 bits, X with 10; decimal ones with fewer; products of
// matrices.
uint32_t extended_59_63(uint32_t word) {
  const unsigned low = field(word, 26, 30), all = field(word, 21, 30), middle = field(word, 26, 28);
  if (low >= 16) return bits(26, 30);
  if (low == 3 || low == 5) return bits(23, 30);               // Z23
  if (low == 2 && (all & 0x140) == 0x40) return bits(22, 30);  // Z22
  const bool convert = all == 846 || all == 974;
  if (word >> 26 == 59 && (middle == 2 || middle == 3) && !convert) return bits(21, 28);
  return bits(21, 30) | (all == 804 || all == 836 ? kA : 0);
}

// 60: vector-scalar operations. XX4 has 2 bits, XX3 8 (7 behind a record bit, 6 around an immediate), XX2 9.
uint32_t extended_60(uint32_t word) {
  const unsigned middle = field(word, 26, 28), three = field(word, 21, 28), two = field(word, 21, 29);
  if (middle >= 6) return bits(26, 27);
  if (middle == 3) return field(word, 22, 22) ? bits(22, 28) : bits(21, 28);
  if (three == 0x52 || three == 0x5a) return bits(21, 29);  // splats, words in and out
  if (middle == 2 && !field(word, 21, 21) && !field(word, 24, 24)) return bits(21, 21) | bits(24, 28);
  if (middle < 4) return bits(21, 28);
  if (middle == 5 && !field(word, 21, 21) && field(word, 25, 25)) return bits(21, 28);  // tests for divisions
  if (middle == 5 && field(word, 21, 22) == 3 && field(word, 24, 24))
    return bits(21, 24) | bits(26, 28);  // for classes
  return bits(21, 29) | (two == 347 || two == 475 ? kA : 0);
}

uint32_t extended(uint32_t word) {
  switch (word >> 26) {
    case 1:  // a prefix: its type. ModelInsn does not have the suffix, so IMR names all instructions of a
             // type
      return bits(6, 8);
    case 4:
      return extended_4(word);
    case 6:  // quadword pairs
      return bits(28, 31);
    case 17:  // sc, scv
      return bits(30, 31);
    case 19:
      return field(word, 26, 30) == 2 ? bits(26, 30) : bits(21, 30);  // addpcis
    case 30:
      return field(word, 27, 27) ? bits(27, 30) : bits(27, 29);
    case 31:
      return extended_31(word);
    case 57:
    case 58:
    case 62:
      return bits(30, 31);
    case 59:
    case 63:
      return extended_59_63(word);
    case 60:
      return extended_60(word);
    case 61:
      return field(word, 30, 31) == 1 ? bits(29, 31) : bits(30, 31);
    default:
      return 0;
  }
}

// Of an opcode: the bits that are its code.
uint32_t mask_of(uint32_t opcode, bool power) { return power ? bits(0, 5) | extended(opcode) : UINT32_MAX; }

}  // namespace

bool imr_matches(const ModelInsn& insn, uint32_t imr, bool power) {
  if (imr == 0) return false;
  return ((insn.opcode ^ imr) & mask_of(imr, power)) == 0;
}

uint32_t imr_of(const ModelInsn& insn, bool power) { return insn.opcode & mask_of(insn.opcode, power); }

}  // namespace perfboard::p2
