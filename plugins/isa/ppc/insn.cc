// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/isa/ppc/insn.h"

#include <algorithm>
#include <iterator>

namespace perfboard {
namespace {

template <size_t kSize>
constexpr bool among(unsigned value, const uint16_t (&list)[kSize]) {
  return std::find(std::begin(list), std::end(list), value) != std::end(list);
}

// Extended opcodes of 31 that only compute, on every 64-bit processor: no bit of theirs makes them illegal.
// or is looked at again.
constexpr uint16_t kQuiet31[] = {
    0,   8,   9,   10,  11,  24,  26,  27,  28,  32,  40,  58,  60,  73,   75,   104, 124,
    136, 138, 200, 202, 232, 233, 234, 235, 266, 284, 316, 412, 444, 457,  459,  476, 489,
    491, 520, 521, 522, 523, 536, 539, 552, 585, 587, 616, 648, 650, 712,  714,  744, 745,
    746, 747, 778, 792, 794, 824, 826, 827, 922, 954, 969, 971, 986, 1001, 1003,
};

// lq aside, in opcode 31: strings, quadwords, conditional stores (TCG compares first), floating-point pairs,
// dcbz.
constexpr uint16_t kSeveral31[] = {150, 182, 214, 276, 533, 597, 661, 694, 725, 726, 791, 919, 1014, 1023};

unsigned special_register(uint32_t word) { return (word >> 16 & 31) | (word >> 6 & 0x3e0); }

}  // namespace

bool ppc_quiet(uint32_t word) {
  switch (ppc_primary(word)) {
    case 7:
    case 8:
    case 10:
    case 11:
    case 12:
    case 13:
    case 14:
    case 15:
    case 20:
    case 21:
    case 23:
    case 24:
    case 25:
    case 26:
    case 27:
    case 28:
    case 29:
      return true;
    case 30:
      return (word >> 2 & 7) < 4 || (word >> 1 & 15) == 8 || (word >> 1 & 15) == 9;
    case 31:
      break;
    default:
      return false;
  }
  const unsigned extended = ppc_extended(word);
  if (extended == 444)  // or rx,rx,rx: a hint, at which QEMU may leave the block
    return !((word >> 21 & 31) == (word >> 16 & 31) && (word >> 16 & 31) == (word >> 11 & 31));
  if ((extended == 339 || extended == 467) && !(word & 1))  // from and to LR and CTR
    return special_register(word) == 8 || special_register(word) == 9;
  return among(extended, kQuiet31);
}

bool ppc_several(uint32_t word, Op op) {
  switch (op) {
    case Op::kLoad:
    case Op::kStore:
    case Op::kFloatLoad:
    case Op::kFloatStore:
    case Op::kCache: {
      const unsigned primary = ppc_primary(word);
      if (primary == 31) return among(ppc_extended(word), kSeveral31);
      if (primary == 57 || primary == 61) return (word & 3) == 0;  // lfdp stfdp
      if (primary == 62) return (word & 3) == 2;                   // stq
      return primary == 46 || primary == 47 || primary == 56;      // lmw stmw lq
    }
    case Op::kUnknown:
    case Op::kLoadStore:
    case Op::kVectorLoad:
    case Op::kVectorStore:
    case Op::kSystem:
      return true;
    default:
      return false;
  }
}

bool ppc_prefixed_several(uint32_t suffix, Op op) {
  if (op == Op::kLoad || op == Op::kStore)
    return ppc_primary(suffix) == 56 || ppc_primary(suffix) == 60;  // plq pstq
  return op == Op::kUnknown || op == Op::kVectorLoad || op == Op::kVectorStore;
}

bool ppc_writes_msr(uint32_t word) {
  const unsigned extended = ppc_extended(word);
  if (ppc_primary(word) == 19)
    return extended == 18 || extended == 274 || extended == 82;  // rfid hrfid rfscv
  // mtmsr mtmsrd; with bit 15 set they write EE and RI alone.
  return ppc_primary(word) == 31 && (extended == 146 || extended == 178) && !(word & 0x10000);
}

bool ppc_changes_translations(uint32_t word) {
  constexpr uint16_t kThese[] = {210, 242, 274, 306,
                                 370, 434, 466, 498};    // mtsr mtsrin tlbiel tlbie tlbia slbie slbieg slbia
  constexpr uint16_t kRegisters[] = {25, 48, 319, 464};  // SDR1 PIDR LPIDR PTCR
  if (ppc_primary(word) != 31) return false;
  return among(ppc_extended(word), kThese) ||
         (ppc_extended(word) == 467 && among(special_register(word), kRegisters));
}

}  // namespace perfboard
