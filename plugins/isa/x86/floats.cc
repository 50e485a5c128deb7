// SPDX-License-Identifier: GPL-2.0-or-later
//
// x86's floating-point operands: of SSE, AVX and FMA by opcode and prefix, of the x87 by its registers.
#include "plugins/isa/floats.h"

#include "plugins/isa/operands.h"
#include "plugins/isa/x86/cpu.h"
#include "plugins/isa/x86/decoder.h"
#include "plugins/isa/x86/insn.h"
#include "plugins/isa/x86/opcode.h"
#include "plugins/isa/x86/x87.h"

namespace perfboard {
namespace {

constexpr unsigned kXmm0 = 32;  // in Floats::reg

// How many of the operands are numbers: the last, the last two, all three.
enum class Numbers : uint8_t { kNone, kOne, kTwo, kThree };

struct Shape {
  Numbers numbers = Numbers::kNone;
  FloatFormat format = FloatFormat::kSingle;
  bool packed = false;
};

Shape shape_of(unsigned prefix, Numbers numbers) {  // none: PS, 66: PD, F3: SS, F2: SD
  const bool wide = prefix == X86Opcode::k66 || prefix == X86Opcode::kF2;
  return {numbers, wide ? FloatFormat::kDouble : FloatFormat::kSingle,
          prefix == X86Opcode::kNone || prefix == X86Opcode::k66};
}

Shape of_map_1(const X86Opcode& x) {
  switch (x.opcode) {
    case 0x51:  // SQRT
    case 0x5a:  // CVT between the two
      return shape_of(x.prefix, Numbers::kOne);
    case 0x52:  // RSQRT, RCP
    case 0x53:
      return x.prefix == X86Opcode::kNone || x.prefix == X86Opcode::kF3 ? shape_of(x.prefix, Numbers::kOne)
                                                                        : Shape{};
    case 0x58:  // ADD MUL
    case 0x59:
    case 0x5c:  // SUB MIN DIV MAX
    case 0x5d:
    case 0x5e:
    case 0x5f:
    case 0xc2:  // CMP
      return shape_of(x.prefix, Numbers::kTwo);
    case 0x2e:  // UCOMIS COMIS
    case 0x2f:
      return {Numbers::kTwo, x.prefix == X86Opcode::k66 ? FloatFormat::kDouble : FloatFormat::kSingle, false};
    case 0x2c:  // CVTT and CVT to integers in general and MMX registers
    case 0x2d:
      return shape_of(x.prefix, Numbers::kOne);
    case 0x5b:  // CVTPS2DQ CVTTPS2DQ; without a prefix from integers
      return x.prefix == X86Opcode::kNone ? Shape{} : Shape{Numbers::kOne, FloatFormat::kSingle, true};
    case 0xe6:  // CVTTPD2DQ CVTPD2DQ; F3: from integers
      return x.prefix == X86Opcode::k66 || x.prefix == X86Opcode::kF2
                 ? Shape{Numbers::kOne, FloatFormat::kDouble, true}
                 : Shape{};
    case 0x7c:  // HADD HSUB ADDSUB
    case 0x7d:
    case 0xd0:
      return x.prefix == X86Opcode::k66 || x.prefix == X86Opcode::kF2
                 ? Shape{Numbers::kTwo,
                         x.prefix == X86Opcode::k66 ? FloatFormat::kDouble : FloatFormat::kSingle, true}
                 : Shape{};
    default:
      return {};
  }
}

Shape shape_of(const X86Opcode& x) {
  if (x.map == 1) return of_map_1(x);
  if (x.map == 2) {  // FMA
    const unsigned row = x.opcode >> 4, column = x.opcode & 15;
    if (!x.vex || row < 9 || row > 11 || column < 6) return {};
    const bool scalar = column >= 9 && column % 2 == 1;
    return {Numbers::kThree, x.wide ? FloatFormat::kDouble : FloatFormat::kSingle, !scalar};
  }
  if (x.map == 3 && x.opcode >= 0x08 && x.opcode <= 0x0b)  // ROUND
    return {Numbers::kOne, x.opcode & 1 ? FloatFormat::kDouble : FloatFormat::kSingle, x.opcode < 0x0a};
  if (x.map == 3 && (x.opcode == 0x40 || x.opcode == 0x41))  // DPPS DPPD
    return {Numbers::kTwo, x.opcode & 1 ? FloatFormat::kDouble : FloatFormat::kSingle, true};
  return {};
}

// Where an operand in memory is.
FloatMemory memory_of(const cs_x86& x86, const x86_op_mem& mem, unsigned bits, uint64_t next) {
  FloatMemory m;
  m.displacement = static_cast<uint64_t>(mem.disp);
  if (mem.base == X86_REG_RIP || mem.base == X86_REG_EIP) m.displacement += next;
  if (const int8_t base = x86_general(mem.base); base != kNoRegister)
    m.base = static_cast<int8_t>(PB_X86_GENERAL + base);
  if (const int8_t index = x86_general(mem.index); index != kNoRegister)
    m.index = static_cast<int8_t>(PB_X86_GENERAL + index);
  m.scale = static_cast<uint8_t>(mem.scale);
  m.address_bits = static_cast<uint8_t>(x86.addr_size * 8);
  m.linear_bits = bits == 64 ? 64 : 32;
  const int8_t segment = x86_segment(mem);
  if (bits != 64 || segment >= 4) m.segment = static_cast<int8_t>(PB_X86_SEGMENT_BASE + segment);
  return m;
}

// Numbers in memory: single and double precision of D8 and DC, and of loads, which convert; integers are
// none.
bool memory_is_number(uint8_t opcode, unsigned middle) {
  return opcode == 0xd8 || opcode == 0xdc || ((opcode == 0xd9 || opcode == 0xdd) && middle == 0);
}

Floats of_x87(const X86Opcode& x, const ModelInsn& insn, Floats f) {
  f.format = FloatFormat::kExtended;
  f.has_memory = x.memory() && memory_is_number(x.opcode, x.middle());
  f.memory_format = x.opcode == 0xd8 || x.opcode == 0xd9 ? FloatFormat::kSingle : FloatFormat::kDouble;
  // Stores to memory convert; what stays in registers, changes signs or looks at the class is a move.
  const bool stores = x.memory() &&
                      (x.opcode == 0xd9 || x.opcode == 0xdb || x.opcode == 0xdd || x.opcode == 0xdf) &&
                      x.middle() >= 1 && x.middle() <= 3;
  const bool function = x.opcode == 0xd9 && x.modrm >= 0xe0 &&
                        (x.modrm == 0xe4 || (x.modrm >= 0xf0 && x.modrm != 0xf6 && x.modrm != 0xf7));
  const bool arithmetic = insn.op >= Op::kFloatAdd && insn.op <= Op::kFloatConvert;
  const bool stores_integer = x.memory() && x.opcode == 0xdf && x.middle() >= 6;
  if (arithmetic || stores || function || stores_integer)
    for (const uint8_t reg : insn.read_registers())
      if (reg >= kFloat0 && reg < kFloat0 + 8) f.add(reg - kFloat0);
  return f;
}

}  // namespace

Floats x86_floats(const uint8_t* code, size_t size, unsigned bits, uint64_t address) {
  Floats f;
  const X86Opcode x = x86_opcode(code, size, bits);
  const bool x87 = x.map == 0 && x.opcode >= 0xd8 && x.opcode <= 0xdf;
  const Shape shape = shape_of(x);
  if (!x87 && shape.numbers == Numbers::kNone) return f;
  const X86Decoder::Found found = X86Decoder::of(bits).decode(code, size);
  if (!found.insn) return f;
  const cs_x86& x86 = found.insn->detail->x86;
  const cs_x86_op* operands[4];
  unsigned n = 0;
  for (unsigned i = 0; i < x86.op_count && n < 4; ++i)
    if (x86.operands[i].type != X86_OP_IMM) operands[n++] = &x86.operands[i];
  for (unsigned i = 0; i < n; ++i)
    if (operands[i]->type == X86_OP_MEM)
      f.memory = memory_of(x86, operands[i]->mem, bits, address + found.bytes);
  if (x87) {
    f = of_x87(x, x86_operands(code, size, bits), f);
    if (!f.has_memory) f.memory = {};
    return f;
  }
  const unsigned numbers = static_cast<unsigned>(shape.numbers);
  const unsigned bytes = x.long_vector && shape.packed ? 32 : 16;
  f.format = f.memory_format = shape.format;
  f.lanes = static_cast<uint8_t>(shape.packed ? bytes / bytes_of(shape.format) : 1);
  // CVTPS2PD and CVTPS2PI read half of the register.
  if (x.map == 1 && shape.packed && shape.format == FloatFormat::kSingle &&
      (x.opcode == 0x5a || x.opcode == 0x2c || x.opcode == 0x2d))
    f.lanes /= 2;
  for (unsigned i = n > numbers ? n - numbers : 0; i < n; ++i) {
    if (operands[i]->type == X86_OP_MEM)
      f.has_memory = true;
    else if (const int vector = x86_vector(operands[i]->reg); vector >= 0)
      f.add(kXmm0 + static_cast<unsigned>(vector));
  }
  if (!f.has_memory) f.memory = {};
  return f;
}

}  // namespace perfboard
