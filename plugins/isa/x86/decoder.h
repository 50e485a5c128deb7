// SPDX-License-Identifier: GPL-2.0-or-later
//
// X86Decoder - capstone's decoder for code of one size, for one thread: its handles are not to be shared.
//
//   const X86Decoder::Found found = X86Decoder::of(64).decode(code, size);    insn == nullptr: it knows none
//
// What decode() gave stays until the next one. The same code again costs nothing.
#ifndef PERFBOARD_PLUGINS_ISA_X86_DECODER_H
#define PERFBOARD_PLUGINS_ISA_X86_DECODER_H

#include <capstone/capstone.h>

#include <cstddef>
#include <cstdint>

namespace perfboard {

class X86Decoder {
 public:
  struct Found {
    const cs_insn* insn = nullptr;
    size_t bytes = 0;  // with the prefixes that had to be left out
  };

  static X86Decoder& of(unsigned bits);  // 16, 32 or 64

  explicit X86Decoder(cs_mode mode);
  ~X86Decoder();
  X86Decoder(const X86Decoder&) = delete;
  X86Decoder& operator=(const X86Decoder&) = delete;

  Found decode(const uint8_t* code, size_t size);
  bool in_group(const cs_insn* insn, uint8_t group) const { return cs_insn_group(handle_, insn, group); }
  csh handle() const { return handle_; }

 private:
  static constexpr size_t kLongest = 15;

  const cs_insn* one(const uint8_t* code, size_t size);
  Found look(const uint8_t* code, size_t size);

  csh handle_ = 0;
  cs_insn* insn_ = nullptr;
  uint8_t last_[kLongest] = {};
  size_t last_size_ = 0;  // 0: none
  Found found_;
};

// The general register's number (insn.h), or kNoRegister.
int8_t x86_general(unsigned reg);
// XMM, YMM or ZMM's number, or -1.
int x86_vector(unsigned reg);
// The segment of an operand in memory: ES, CS, SS, DS, FS, GS.
int8_t x86_segment(const x86_op_mem& mem);

}  // namespace perfboard
#endif
