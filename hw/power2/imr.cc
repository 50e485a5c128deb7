// SPDX-License-Identifier: GPL-2.0-or-later
//
// The instruction match register: which instructions it names.
#include "hw/power2/machine.h"

namespace perfboard::p2 {
namespace {

// The bits of an instruction word that are its opcode and extended opcode.
uint32_t opcode_bits(uint32_t word) {
  switch (word >> 26) {
    case 19:
    case 31:
    case 59:
    case 63:
      return 0xfc0007fe;
    default:
      return 0xfc000000;
  }
}

}  // namespace

bool imr_matches(const ModelInsn& insn, uint32_t imr, bool power) {
  if (imr == 0) return false;
  return ((insn.opcode ^ imr) & (power ? opcode_bits(imr) : UINT32_MAX)) == 0;
}

}  // namespace perfboard::p2
