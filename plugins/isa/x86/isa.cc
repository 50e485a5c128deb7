// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/isa/isa.h"

#include "plugins/isa/x86/cpu.h"
#include "plugins/isa/x86/insn.h"
#include "plugins/isa/x86/opcode.h"

namespace perfboard {
namespace {

constexpr uint64_t kPg = uint64_t{1} << 31, kPsePaePge = 0xb0;  // of CR0 and CR4

struct PiecesRow {
  uint8_t map, opcode;
  int reg;
  Pieces pieces;
};
constexpr PiecesRow kPieces[] = {
#define ANY (-1)
#define VEX (-2)
#define HELPED(...)
#define ELSEWHERE(...)
#define PIECES(map, opcode, reg, ...) {map, opcode, reg, {__VA_ARGS__}},
#include "plugins/isa/x86/helped.def"
#undef ELSEWHERE
#undef PIECES
#undef HELPED
};

// code: size bytes from the instruction's first; at: its opcode, behind the prefixes.
Pieces pieces_of(const uint8_t* code, size_t size, size_t at, unsigned bits) {
  const unsigned opcode = at < size ? code[at] : 0, second = at + 1 < size ? code[at + 1] : 0;
  const bool may_be = (opcode & 0xf9) == 0xd9 || (opcode & 0xfe) == 0xc4 ||  // x87; VEX
                      (opcode == 0x0f && (second == 0xae || second == 0xf7));
  if (!may_be) return {};
  const X86Opcode x = x86_opcode(code, size, bits);
  for (const PiecesRow& row : kPieces) {
    if (!x.is(row.map, row.opcode) || (row.reg == VEX && !x.vex)) continue;
    if (row.reg >= 0 && !(x.memory() && x.middle() == static_cast<unsigned>(row.reg))) continue;
    Pieces p = row.pieces;
    if (p.element) {
      p.mask = x.mask;
      p.halves = x.long_vector ? 2 : 1;
      if (x.opcode >= 0x8c && x.wide) p.element = 8;  // VPMASKMOVQ
    }
    if (x.map == 0 && p.more && (x.prefix == X86Opcode::k66) != (bits == 16)) p.more_bytes = p.more_from = 2;
    return p;
  }
  return {};
}
Quirks quirks(const uint8_t* code, size_t size, uint32_t mode);

Insn decode(const uint8_t* code, size_t size, uint32_t mode) {
  const X86Insn x = classify_x86(code, size, mode & PB_X86_BITS);
  const bool loops = x.repeated && !(mode & PB_X86_SINGLE);
  Insn insn;
  insn.op = x.op;
  insn.bytes = x.bytes;
  insn.branch = x.branch;
  insn.quiet = x.quiet;
  insn.probes = x.string == X86Insn::kIns;
  const Quirks q = quirks(code, size, mode);
  insn.atomic = q.locked;
  insn.pieces = q.pieces;
  // Of those that loop only the unfinished iteration may have made one of two accesses.
  insn.several =
      x.several && !insn.probes && (!loops || x.string == X86Insn::kMovs || x.string == X86Insn::kCmps);
  insn.translations = x.paging != X86Insn::kNoPaging;
  insn.relative = x.ip_relative;
  if (!loops) return insn;
  switch (x.string) {
    case X86Insn::kMovs:
    case X86Insn::kStos:
      insn.iterates = Iterates::kByStore;
      break;
    case X86Insn::kLods:
    case X86Insn::kScas:
    case X86Insn::kOuts:
      insn.iterates = Iterates::kByLoad;
      break;
    case X86Insn::kCmps:
      insn.iterates = Iterates::kBySecondLoad;
      break;
    case X86Insn::kIns:
      insn.iterates = Iterates::kBySecondStore;
      break;
    case X86Insn::kNoString:
      break;
  }
  return insn;
}

// What empties write-combining buffers (Intel SDM 3, Buffering of Write Combining Memory Locations): SFENCE,
// I/O, locked and serialising instructions. nine: the register that ModRM names is R8 to R15.
bool drains(const X86Opcode& x, bool nine) {
  if (x.map == 0)  // INS OUTS, IN OUT, IRET
    return (x.opcode & 0xfc) == 0x6c || (x.opcode & 0xf4) == 0xe4 || x.opcode == 0xcf;
  if (x.is(1, 0xae) && !x.memory() && x.middle() == 7) return true;  // SFENCE
  return x.serializes() && !(x.is(1, 0x22) && nine);                 // not MOV to CR8
}

// INS: TCG stores a zero first, so that a fault comes before the port is read. PUSHA is no instruction of
// 64-bit code, where its opcode does not store either.
Quirks quirks(const uint8_t* code, size_t size, uint32_t mode) {
  size_t i = 0;
  bool lock = false, nine = false;
  for (; i < size && is_prefix(code[i]); ++i) lock |= code[i] == 0xf0;
  if ((mode & PB_X86_BITS) == 64 && i + 1 < size && (code[i] & 0xf0) == 0x40) nine = code[i++] & 4;  // REX
  if (i == size) return {};
  // QEMU looks up the flags with a helper for these: jumps on a condition; SETcc and CMOVcc on registers.
  const unsigned opcode = code[i], second = opcode == 0x0f && i + 1 < size ? code[i + 1] : 0;
  const bool in_registers = i + 2 < size && code[i + 2] >= 0xc0;
  if (opcode >> 4 == 0x7 || second >> 4 == 0x8 ||
      ((second >> 4 == 0x4 || second >> 4 == 0x9) && in_registers))
    return {.accesses = false};
  Quirks q;
  // XCHG locks the bus without being told to.
  q.locked = lock || ((opcode & 0xfe) == 0x86 && i + 1 < size && code[i + 1] < 0xc0);
  q.drains = q.locked || drains(x86_opcode(code, size, mode & PB_X86_BITS), nine);
  if (opcode == 0x6c || opcode == 0x6d) q.stores = StoreOrder::kProbesFirst;
  if (opcode == 0x60) q.stores = StoreOrder::kDescending;
  q.pieces = pieces_of(code, size, i, mode & PB_X86_BITS);
  return q;
}

uint64_t linear_address(const X86Insn& x, unsigned bits, uint64_t address, const uint64_t* registers) {
  uint64_t at = static_cast<uint64_t>(x.displacement);
  if (x.ip_relative) at += address + x.bytes;
  if (x.base != kNoRegister) at += registers[PB_X86_GENERAL + x.base];
  if (x.index != kNoRegister) at += registers[PB_X86_GENERAL + x.index] * x.scale;
  if (x.address_bits < 64) at &= (uint64_t{1} << x.address_bits) - 1;
  if (bits != 64 || x.segment >= 4)  // 64-bit code: FS and GS alone
    at += registers[PB_X86_SEGMENT_BASE + x.segment];
  return bits == 64 ? at : static_cast<uint32_t>(at);
}

TlbChange tlb_change(const uint8_t* code, size_t size, uint32_t mode, uint64_t address,
                     const uint64_t* registers) {
  const X86Insn x = classify_x86(code, size, mode & PB_X86_BITS);
  if (registers[PB_X86_CPL] != 0) return {};  // it will fault
  if (x.paging == X86Insn::kInvlpg)
    return {TlbChange::kDropsPage, linear_address(x, mode & PB_X86_BITS, address, registers)};
  if (x.paging == X86Insn::kWritesCr) {
    const uint64_t value = x.base == kNoRegister ? 0 : registers[PB_X86_GENERAL + x.base];
    const bool empties = x.cr == 3 || (x.cr == 0 && ((value ^ registers[PB_X86_CR0]) & kPg)) ||
                         (x.cr == 4 && ((value ^ registers[PB_X86_CR4]) & kPsePaePge));
    if (!empties) return {};
  }
  return {TlbChange::kEmpties};
}

ModelInsn model(const uint8_t* code, size_t size, uint32_t mode, uint64_t address) {
  ModelInsn insn = x86_operands(code, size, mode & PB_X86_BITS);
  insn.address = address;
  return insn;
}

Floats floats_of(const uint8_t* code, size_t size, uint32_t mode, uint64_t address) {
  return x86_floats(code, size, mode & PB_X86_BITS, address);
}

}  // namespace

const Isa kX86 = {"x86", 15, decode, quirks, tlb_change, nullptr, model, floats_of};

}  // namespace perfboard
