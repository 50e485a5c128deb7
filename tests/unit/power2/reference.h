// SPDX-License-Identifier: GPL-2.0-or-later
//
// The machine of hw/power2/MACHINE.md a second time: slow, one cycle after the other, with queues that
// instructions stand in.
//
//   const Counts c = reference(program);     what the statistics of all of it add up to, from an empty
//   pipeline
//
// Written from the manual, not from the model: it has tables of its own, knows no time before it has come,
// and attributes a wait when it ends.
//
// And programs to ask both about, that no compiler would write, from any source of numbers: of all classes,
// with operands that collide.
//
//   random_program(n, [&](unsigned below) { return random() % below; })
#ifndef PERFBOARD_TESTS_POWER2_REFERENCE_H
#define PERFBOARD_TESTS_POWER2_REFERENCE_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <vector>

#include "hw/power2/machine.h"

namespace perfboard::p2 {

using Counts = std::array<uint32_t, kStats>;

Counts reference(std::span<const ModelInsn> program);

// `kinds`: of how many classes the program is made; few: it is more of a loop's body.
template <typename Below>
std::vector<ModelInsn> random_program(size_t n, Below below) {
  Op ops[5];
  const unsigned kinds = 1 + below(std::size(ops));
  for (Op& op : ops) op = static_cast<Op>(below(static_cast<unsigned>(Op::kOps)));
  const bool all = below(2);
  if (below(8) == 0) {  // a long one, and loads that pass it
    ops[0] = below(2) ? Op::kFloatRoot : Op::kFloatDivide;
    std::fill(ops + 1, std::end(ops), Op::kFloatLoad);
  }
  const unsigned registers = 1 + below(8);  // few: every operand is somebody's result
  const bool often_update = below(2);

  std::vector<ModelInsn> program(n);
  for (ModelInsn& i : program) {
    i.op = all ? static_cast<Op>(below(static_cast<unsigned>(Op::kOps))) : ops[below(kinds)];
    const auto general = [&] { return static_cast<uint8_t>(kGeneral0 + below(registers)); };
    const auto floating = [&] { return static_cast<uint8_t>(kFloat0 + below(registers)); };
    const auto condition = [&] { return static_cast<uint8_t>(kCondition0 + below(2)); };
    const auto target = [&] { return static_cast<uint8_t>(kLink + below(2)); };
    const auto read = [&](uint8_t r) {
      for (unsigned k = 0; k < i.reads; ++k)
        if (i.read[k] == r) return;
      if (i.reads < ModelInsn::kMostReads) i.read[i.reads++] = r;
    };
    const auto write = [&](uint8_t r) {
      for (unsigned k = 0; k < i.writes; ++k)
        if (i.write[k] == r) return;
      if (i.writes < ModelInsn::kMostWrites) i.write[i.writes++] = r;
    };
    const auto address = [&] {
      for (unsigned k = below(3); k > 0; --k) read(general());
      i.address_reads = i.reads;
    };
    i.bytes = static_cast<uint8_t>(1 + below(15));
    switch (i.op) {
      case Op::kLoad:
      case Op::kStore:
      case Op::kLoadStore:
      case Op::kFloatLoad:
      case Op::kFloatStore:
      case Op::kVectorLoad:
      case Op::kVectorStore: {
        address();
        const bool is_float = i.op >= Op::kFloatLoad;
        i.float_data = is_float;
        const bool loads =
            i.op == Op::kLoad || i.op == Op::kLoadStore || i.op == Op::kFloatLoad || i.op == Op::kVectorLoad;
        if (i.op == Op::kLoad || i.op == Op::kLoadStore || is_float) i.loads = loads;
        i.stores = !loads || i.op == Op::kLoadStore;
        if (loads) write(is_float ? floating() : general());
        if (!loads || below(4) == 0) read(is_float ? floating() : general());
        if (below(8) == 0) write(condition());
        if (often_update && i.address_reads && below(2))
          i.update = true, write(i.read[below(i.address_reads)]);
        i.repeats = !is_float && below(16) == 0;
        if (!is_float && below(8) == 0) {
          static constexpr uint8_t kWords[] = {2, 3, 4, 8, 9, 23, 32, 100, 255};
          (loads ? i.loads : i.stores) = kWords[below(std::size(kWords))];
        }
        break;
      }
      case Op::kBranch:
        i.branch = true;
        i.conditional = below(2);
        if (i.conditional && below(2)) read(condition()), i.needs |= kNeedsCondition;
        if (below(3) == 0) read(kLink), i.needs |= kNeedsLink;
        if (below(3) == 0) {
          read(kCount), i.needs |= kNeedsCount;
          if (below(2)) write(kCount);
        }
        if (below(3) == 0) write(kLink), i.link = true;
        if (below(6) == 0) {  // x86
          address();
          i.loads = static_cast<uint8_t>(below(2));
          i.stores = static_cast<uint8_t>(below(2));
          if (below(2)) write(general());
          if (below(2)) read(general());
        }
        i.returns = below(16) == 0;
        break;
      case Op::kCondition:
        for (unsigned k = below(3); k > 0; --k) read(condition());
        write(condition());
        if (below(16) == 0) write(general());
        break;
      case Op::kSpecial:
        read(below(2) ? general() : below(2) ? condition() : target());
        write(below(2) ? general() : below(2) ? condition() : target());
        break;
      case Op::kFloatCompare:
        read(floating());
        read(floating());
        write(condition());
        break;
      case Op::kFloatMove:
        read(below(4) ? floating() : general());
        if (below(8) == 0) read(kFloatStatus);
        write(below(4) ? floating() : below(2) ? general() : condition());
        break;
      case Op::kFloatAdd:
      case Op::kFloatMultiply:
      case Op::kFloatMultiplyAdd:
      case Op::kFloatDivide:
      case Op::kFloatRoot:
      case Op::kFloatConvert:
      case Op::kVector:
        for (unsigned k = 1 + below(3); k > 0; --k) read(floating());
        if (below(8) == 0) read(kFloatStatus);
        write(floating());
        if (below(8) == 0) write(kFloatStatus);
        i.single = below(2);
        break;
      case Op::kSystemCall:
      case Op::kSync:
        i.serializes = below(2);
        break;
      default:
        for (unsigned k = below(3); k > 0; --k) read(general());
        if (below(8) == 0) read(condition());
        if (below(8) == 0) read(kException);
        if (below(4)) write(general());
        if (below(4) == 0) write(condition());
        if (below(8) == 0) write(kException);
        i.record = below(4) == 0;
        break;
    }
    if (below(64) == 0) i.serializes = true;
  }
  return program;
}

}  // namespace perfboard::p2
#endif
