// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/isa/isa.h"

#include "plugins/isa/ppc/cpu.h"
#include "plugins/isa/ppc/insn.h"

namespace perfboard {
namespace {

uint32_t word_at(const uint8_t* code, uint32_t mode) {
  const uint32_t first = code[0], second = code[1], third = code[2], fourth = code[3];
  return mode & PB_PPC_LITTLE_ENDIAN ? fourth << 24 | third << 16 | second << 8 | first
                                     : first << 24 | second << 16 | third << 8 | fourth;
}

// Opcode 31. For cache control QEMU loads a byte of the line to find out whether the instruction may touch it
// (dcbi: and stores it). The compare of the compare-and-exchange that a conditional store is made of is no
// load of the program's.
Quirks quirks_of(uint32_t word) {
#define HELPED(...)
#define ELSEWHERE(...)
#define BIG_ENDIAN_ONLY(...)
#define PIECES(extended, ...) \
  case extended:              \
    return {.pieces = {__VA_ARGS__}};
  constexpr unsigned kDcbst = 54, kDcbf = 86, kDcbstep = 63, kDcbfep = 127, kDcbi = 470, kIcbi = 982,
                     kIcbiep = 991;
  constexpr unsigned kStwcx = 150, kStqcx = 182, kStdcx = 214, kStbcx = 694, kSthcx = 726;
  if (ppc_primary(word) != 31) return {};
  switch (ppc_extended(word)) {
    case kDcbi:
      return {StoreOrder::kAsSeen, true, true};
    case kDcbst:
    case kDcbf:
    case kDcbstep:
    case kDcbfep:
    case kIcbi:
    case kIcbiep:
    case kStwcx:
    case kStqcx:
    case kStdcx:
    case kStbcx:
    case kSthcx:
      return {StoreOrder::kAsSeen, true, false};
#include "plugins/isa/ppc/helped.def"
#undef ELSEWHERE
#undef PIECES
#undef BIG_ENDIAN_ONLY
#undef HELPED
    default:
      return {};
  }
}

Insn decode(const uint8_t* code, size_t size, uint32_t mode) {
  Insn insn;
  if (size < 4) return insn;
  const uint32_t word = word_at(code, mode);
  if (ppc_primary(word) == 1 && mode & PB_PPC_PREFIXES) {
    if (size < 8) return insn;
    const uint32_t suffix = word_at(code + 4, mode);
    insn.op = ppc_prefixed_op(word, suffix);
    insn.bytes = 8;
    insn.several = ppc_prefixed_several(suffix, insn.op);
    return insn;
  }
  insn.op = ppc_op(word);
  insn.bytes = 4;
  insn.branch = insn.op == Op::kBranch;
  insn.quiet = ppc_quiet(word);
  insn.several = ppc_several(word, insn.op);
  insn.marks = ppc_writes_msr(word);
  insn.translations = ppc_changes_translations(word);
  insn.atomic = insn.op == Op::kLoadStore;  // lwat ldat stwat stdat
  const Quirks quirks = quirks_of(word);
  insn.hides_loads = quirks.hides_loads;
  insn.hides_stores = quirks.hides_stores;
  insn.pieces = quirks.pieces;
  return insn;
}

Quirks quirks(const uint8_t* code, size_t size, uint32_t mode) {
  return size >= 4 ? quirks_of(word_at(code, mode)) : Quirks{};
}

// A page of the process's own radix tables that tlbie or tlbiel names drops that page; everything else
// empties the TLB: what names a virtual page of the hash table or a segment does not tell which effective
// addresses are meant.
TlbChange tlb_change(const uint8_t* code, size_t, uint32_t mode, uint64_t, const uint64_t* registers) {
  const uint32_t word = word_at(code, mode);
  const unsigned extended = ppc_extended(word);
  constexpr unsigned kTlbie = 306, kTlbiel = 274, kSlbieg = 466;
  const bool everywhere = extended == kTlbie || extended == kSlbieg;
  const TlbChange empties = {TlbChange::kEmpties, 0, everywhere};
  if (extended != kTlbie && extended != kTlbiel) return empties;
  const uint64_t rb = registers[PB_PPC_GENERAL + (word >> 11 & 31)];
  const bool radix = word & 0x10000;
  const unsigned what = word >> 18 & 3;    // RIC; 0: only the TLB
  const unsigned which = rb >> 10 & 3;     // IS; 0: one page
  const unsigned page_size = rb >> 5 & 7;  // AP; 0: 4 KB
  if (!radix || what != 0 || which != 0 || page_size != 0) return empties;
  return {TlbChange::kDropsPage, rb & ~uint64_t{0xfff}, everywhere};
}

// The instruction is one that decode() gave `marks`, and the processor is privileged.
bool mark_after(const uint8_t* code, size_t, uint32_t mode, const uint64_t* registers) {
  const uint32_t word = word_at(code, mode);
  const uint64_t msr = registers[PB_PPC_MSR];
  uint64_t value = 0;
  if (ppc_primary(word) == 31) {
    value = registers[PB_PPC_GENERAL + (word >> 21 & 31)];
  } else {
    switch (ppc_extended(word)) {
      case 274:  // hrfid
        if (!(msr >> PB_PPC_MSR_HV & 1))
          value = msr;  // it will fault
        else
          value = registers[PB_PPC_HSRR1];
        break;
      case 82:  // rfscv
        value = registers[PB_PPC_CTR];
        break;
      default:  // rfid
        value = registers[PB_PPC_SRR1];
        break;
    }
  }
  return (value & registers[PB_PPC_MSR_LEGAL]) >> PB_PPC_MSR_PMM & 1;
}

ModelInsn model(const uint8_t* code, size_t size, uint32_t mode, uint64_t address) {
  ModelInsn insn;
  if (size >= 4) {
    const uint32_t word = word_at(code, mode);
    if (ppc_primary(word) != 1 || !(mode & PB_PPC_PREFIXES))
      insn = ppc_operands(word);
    else if (size >= 8)
      insn = ppc_prefixed_operands(word, word_at(code + 4, mode));
  }
  insn.address = address;
  return insn;
}

// Prefixed instructions do not compute with floating-point numbers, but for the accumulators'.
Floats floats_of(const uint8_t* code, size_t size, uint32_t mode, uint64_t) {
  return size >= 4 ? ppc_floats(word_at(code, mode)) : Floats{};
}

}  // namespace

const Isa kPpc = {"ppc", 8, decode, quirks, tlb_change, mark_after, model, floats_of};

}  // namespace perfboard
