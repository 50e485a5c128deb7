// SPDX-License-Identifier: GPL-2.0-or-later
//
// An x86 instruction's opcode and ModRM byte: behind the prefixes, in whichever way the map is told.
#ifndef PERFBOARD_PLUGINS_ISA_X86_OPCODE_H
#define PERFBOARD_PLUGINS_ISA_X86_OPCODE_H

#include <cstddef>
#include <cstdint>

#include "plugins/isa/x86/insn.h"

namespace perfboard {

struct X86Opcode {
  uint8_t map = 0;  // 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A; 8 to 10: XOP's
  uint8_t opcode = 0;
  uint8_t modrm = 0;                                       // the byte behind it, whether it is one or not
  enum : uint8_t { kNone, k66, kF3, kF2 } prefix = kNone;  // the one that is part of the opcode
  bool vex = false, wide = false, long_vector = false;     // VEX; W or REX.W; 256 bits
  uint8_t mask = 0;                                        // VEX: the register that it names (vvvv)

  bool is(unsigned of_map, unsigned which) const { return map == of_map && opcode == which; }
  unsigned middle() const { return modrm >> 3 & 7; }
  bool memory() const { return modrm < 0xc0; }
  bool writes_back() const { return is(1, 0xae) && prefix == k66 && memory() && middle() == 6; }  // CLWB
  // Intel SDM 3, Serializing Instructions, in maps 1 and 2. INFERRED: INVPCID, which that list leaves out,
  // does as INVLPG.
  bool serializes() const {
    if (map == 2) return opcode >= 0x80 && opcode <= 0x82;  // INVEPT INVVPID INVPCID
    if (map != 1) return false;
    switch (opcode) {
      case 0x00:
        return middle() == 2 || middle() == 3;  // LLDT LTR
      case 0x01:                                // LGDT LIDT INVLPG; SERIALIZE
        return memory() ? middle() == 2 || middle() == 3 || middle() == 7 : modrm == 0xe8;
      case 0xae:
        return !memory() && middle() == 6;  // MFENCE
      case 0x08:                            // INVD WBINVD
      case 0x09:
      case 0x22:  // MOV to CR and DR
      case 0x23:
      case 0x30:  // WRMSR
      case 0xa2:  // CPUID
      case 0xaa:  // RSM
        return true;
      default:
        return false;
    }
  }
  // Those that are reserved as hints. Newer processors, and capstone 5, take some of them for more.
  bool hint() const { return map == 1 && opcode >= 0x19 && opcode <= 0x1f && !vex; }
};

inline X86Opcode x86_opcode(const uint8_t* code, size_t size, unsigned bits) {
  const auto at = [code, size](size_t i) { return i < size ? code[i] : uint8_t{0}; };
  X86Opcode x;
  size_t i = 0;
  for (; i < size && is_prefix(code[i]); ++i) {
    if (code[i] == 0xf2 || code[i] == 0xf3) x.prefix = code[i] == 0xf2 ? X86Opcode::kF2 : X86Opcode::kF3;
    if (code[i] == 0x66 && x.prefix == X86Opcode::kNone) x.prefix = X86Opcode::k66;
  }
  if (bits == 64 && (at(i) & 0xf0) == 0x40) x.wide = at(i++) & 8;  // REX
  const uint8_t first = at(i), second = at(i + 1);
  const auto from = [&](unsigned map, size_t where) {
    x.map = static_cast<uint8_t>(map);
    x.opcode = at(where);
    x.modrm = at(where + 1);
    return x;
  };
  // by: its byte that has L and the prefix
  const auto vector_extension = [&](uint8_t by, bool wide) {
    x.vex = true;
    x.wide = wide;
    x.long_vector = by & 4;
    x.mask = ~by >> 3 & 15;
    x.prefix = static_cast<decltype(x.prefix)>(by & 3);
  };
  // In 16 and 32-bit code LDS, LES and BOUND of memory have these opcodes.
  const bool vector = bits == 64 || second >= 0xc0;
  if (first == 0xc5 && vector) {
    vector_extension(second, false);
    return from(1, i + 2);
  }
  if (first == 0xc4 && vector) {
    vector_extension(at(i + 2), at(i + 2) & 0x80);
    return from(second & 0x1f, i + 3);
  }
  if (first == 0x62 && vector) return from(second & 7, i + 4);                   // EVEX
  if (first == 0x8f && (second & 0x1f) >= 8) return from(second & 0x1f, i + 3);  // XOP
  if (first != 0x0f) return from(0, i);
  if (second == 0x38) return from(2, i + 2);
  return second == 0x3a ? from(3, i + 2) : from(1, i + 1);
}

}  // namespace perfboard
#endif
