// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/isa/x86/decoder.h"

#include <algorithm>
#include <cstring>

#include "plugins/isa/x86/insn.h"

namespace perfboard {
namespace {

// Segment and repeat prefixes do not change the classes. Where such a prefix means nothing the processor
// ignores it, but capstone refuses some of these instructions.
bool idle_prefix(uint8_t b) { return is_prefix(b) && b != 0x66 && b != 0x67 && b != 0xf0; }

}  // namespace

X86Decoder& X86Decoder::of(unsigned bits) {
  static thread_local X86Decoder d16(CS_MODE_16), d32(CS_MODE_32), d64(CS_MODE_64);
  return bits == 16 ? d16 : bits == 32 ? d32 : d64;
}

X86Decoder::X86Decoder(cs_mode mode) {
  if (cs_open(CS_ARCH_X86, mode, &handle_) != CS_ERR_OK) return;
  cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON);
  insn_ = cs_malloc(handle_);
}

X86Decoder::~X86Decoder() {
  if (insn_) cs_free(insn_, 1);
  if (handle_) cs_close(&handle_);
}

const cs_insn* X86Decoder::one(const uint8_t* code, size_t size) {
  uint64_t address = 0;
  return insn_ && cs_disasm_iter(handle_, &code, &size, &address, insn_) ? insn_ : nullptr;
}

X86Decoder::Found X86Decoder::look(const uint8_t* code, size_t size) {
  if (const cs_insn* insn = one(code, size)) return {insn, insn->size};
  uint8_t bare[kLongest];
  size_t n = 0, i = 0;
  for (; i < size && is_prefix(code[i]) && n < sizeof bare; ++i)
    if (!idle_prefix(code[i])) bare[n++] = code[i];
  const size_t left_out = i - n;
  if (left_out == 0) return {};
  for (; i < size && n < sizeof bare; ++i) bare[n++] = code[i];
  const cs_insn* insn = one(bare, n);
  return {insn, insn ? insn->size + left_out : 0};
}

X86Decoder::Found X86Decoder::decode(const uint8_t* code, size_t size) {
  const size_t n = std::min(size, kLongest);
  if (n == 0) return {};
  if (n != last_size_ || std::memcmp(code, last_, n) != 0) {
    found_ = look(code, size);
    std::memcpy(last_, code, n);
    last_size_ = n;
  }
  return found_;
}

int8_t x86_general(unsigned reg) {
  switch (reg) {
#define REGISTER(n, a, b, c) \
  case X86_REG_##a:          \
  case X86_REG_##b:          \
  case X86_REG_##c:          \
    return n
    REGISTER(0, RAX, EAX, AX);
    REGISTER(1, RCX, ECX, CX);
    REGISTER(2, RDX, EDX, DX);
    REGISTER(3, RBX, EBX, BX);
    REGISTER(4, RSP, ESP, SP);
    REGISTER(5, RBP, EBP, BP);
    REGISTER(6, RSI, ESI, SI);
    REGISTER(7, RDI, EDI, DI);
    REGISTER(8, R8, R8D, R8W);
    REGISTER(9, R9, R9D, R9W);
    REGISTER(10, R10, R10D, R10W);
    REGISTER(11, R11, R11D, R11W);
    REGISTER(12, R12, R12D, R12W);
    REGISTER(13, R13, R13D, R13W);
    REGISTER(14, R14, R14D, R14W);
    REGISTER(15, R15, R15D, R15W);
#undef REGISTER
    default:
      return kNoRegister;
  }
}

int8_t x86_segment(const x86_op_mem& mem) {
  switch (mem.segment) {
    case X86_REG_ES:
      return 0;
    case X86_REG_CS:
      return 1;
    case X86_REG_SS:
      return 2;
    case X86_REG_DS:
      return 3;
    case X86_REG_FS:
      return 4;
    case X86_REG_GS:
      return 5;
    default:
      break;
  }
  const int8_t base = x86_general(mem.base);
  return base == 4 || base == 5 ? 2 : 3;  // by SP or BP: the stack's
}

int x86_vector(unsigned reg) {
  for (const unsigned first : {X86_REG_XMM0, X86_REG_YMM0, X86_REG_ZMM0})
    if (reg >= first && reg < first + 32) return static_cast<int>(reg - first);
  return -1;
}

}  // namespace perfboard
