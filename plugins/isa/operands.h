// SPDX-License-Identifier: GPL-2.0-or-later
//
// Fills a ModelInsn's registers: each once, those of the address first.
//
//   Operands o(&insn);
//   o.address(kGeneral0 + 4); o.read(kGeneral0 + 3); o.write(kCondition0);
//   o.finish();
#ifndef PERFBOARD_PLUGINS_ISA_OPERANDS_H
#define PERFBOARD_PLUGINS_ISA_OPERANDS_H

#include <algorithm>
#include <cstdint>

#include "hw/processor/insn.h"

namespace perfboard {

class Operands {
 public:
  explicit Operands(ModelInsn* insn) : i_(*insn) {}

  // Before any read(). A register that is data, too, is one of the address's.
  void address(unsigned reg) {
    read(reg);
    i_.address_reads = i_.reads;
  }
  void read(unsigned reg) { i_.reads = add(i_.read, i_.reads, ModelInsn::kMostReads, reg); }
  void write(unsigned reg) { i_.writes = add(i_.write, i_.writes, ModelInsn::kMostWrites, reg); }

  // What the class says: floating-point arithmetic leaves its exceptions in the status register.
  void finish() {
    if (i_.op >= Op::kFloatAdd && i_.op <= Op::kFloatConvert) write(kFloatStatus);
    i_.float_data = i_.op == Op::kFloatLoad || i_.op == Op::kFloatStore || i_.op == Op::kVectorLoad ||
                    i_.op == Op::kVectorStore;
  }

 private:
  static uint8_t add(uint8_t* list, uint8_t n, unsigned most, unsigned reg) {
    if (n < most && std::find(list, list + n, reg) == list + n) list[n++] = static_cast<uint8_t>(reg);
    return n;
  }

  ModelInsn& i_;
};

}  // namespace perfboard
#endif
