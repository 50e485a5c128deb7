// SPDX-License-Identifier: GPL-2.0-or-later
//
// Instructions to write small programs of, and what they must add up to.
//
//   timing({add(3, 4, 5), b()}, "cycles 1, ...");   the statistics of cycles: those named, and all others 0, but that
//                                                   an element is busy for a cycle for each beginning
//   classes({...}, "...");                          the same of the statistics of instructions
//
// Registers by their number; a store's or branch's operands as on POWER. x86 ones say so.
#ifndef PERFBOARD_TESTS_POWER2_MACHINE_PROGRAMS_H
#define PERFBOARD_TESTS_POWER2_MACHINE_PROGRAMS_H

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "hw/power2/machine.h"
#include "tests/unit/power2/reference.h"

namespace perfboard::p2 {

using Program = std::vector<ModelInsn>;

inline constexpr const char* kStatNames[] = {
#define STAT(name, text) #name,
#include "hw/power2/stats.def"
};

// --- instructions

inline ModelInsn insn(Op op, std::initializer_list<unsigned> address, std::initializer_list<unsigned> data,
                      std::initializer_list<unsigned> write) {
  ModelInsn i;
  i.op = op;
  i.bytes = 4;
  for (unsigned r : address) i.read[i.reads++] = static_cast<uint8_t>(r);
  i.address_reads = i.reads;
  for (unsigned r : data) i.read[i.reads++] = static_cast<uint8_t>(r);
  for (unsigned r : write) i.write[i.writes++] = static_cast<uint8_t>(r);
  return i;
}
constexpr unsigned f(unsigned n) { return kFloat0 + n; }
constexpr unsigned cr(unsigned n) { return kCondition0 + n; }

inline ModelInsn add(unsigned t, unsigned a, unsigned b) { return insn(Op::kInteger, {}, {a, b}, {t}); }
inline ModelInsn mullw(unsigned t, unsigned a, unsigned b) { return insn(Op::kMultiply, {}, {a, b}, {t}); }
inline ModelInsn divw(unsigned t, unsigned a, unsigned b) { return insn(Op::kDivide, {}, {a, b}, {t}); }
inline ModelInsn cmpw(unsigned bf, unsigned a, unsigned b) {
  return insn(Op::kInteger, {}, {a, b}, {cr(bf)});
}
inline ModelInsn crand(unsigned bt, unsigned ba, unsigned bb) {
  return insn(Op::kCondition, {}, {cr(ba), cr(bb)}, {cr(bt)});
}
inline ModelInsn mfcr(unsigned t) { return insn(Op::kSpecial, {}, {cr(0), cr(1)}, {t}); }
inline ModelInsn mtctr(unsigned s) { return insn(Op::kSpecial, {}, {s}, {kCount}); }
inline ModelInsn memory(ModelInsn i, uint8_t loads, uint8_t stores) {
  i.loads = loads, i.stores = stores;
  return i;
}
inline ModelInsn lwz(unsigned t, unsigned a) { return memory(insn(Op::kLoad, {a}, {}, {t}), 1, 0); }
inline ModelInsn stw(unsigned s, unsigned a) { return memory(insn(Op::kStore, {a}, {s}, {}), 0, 1); }
// Of lmw's and stmw's registers as many as ModelInsn holds.
inline ModelInsn lmw(uint8_t words, unsigned a) {
  return memory(insn(Op::kLoad, {a}, {}, {31, 30, 29}), words, 0);
}
inline ModelInsn stmw(uint8_t words, unsigned a) {
  return memory(insn(Op::kStore, {a}, {31, 30}, {}), 0, words);
}
inline ModelInsn floating(ModelInsn i) {
  i.float_data = true;
  return i;
}
inline ModelInsn lfd(unsigned t, unsigned a) {
  return floating(memory(insn(Op::kFloatLoad, {a}, {}, {f(t)}), 1, 0));
}
inline ModelInsn lfdu(unsigned t, unsigned a) {
  ModelInsn i = floating(memory(insn(Op::kFloatLoad, {a}, {}, {f(t), a}), 1, 0));
  i.update = true;
  return i;
}
inline ModelInsn stfd(unsigned s, unsigned a) {
  return floating(memory(insn(Op::kFloatStore, {a}, {f(s)}, {}), 0, 1));
}
inline ModelInsn fp(Op op, unsigned t, unsigned a, unsigned b) { return insn(op, {}, {f(a), f(b)}, {f(t)}); }
inline ModelInsn fadd(unsigned t, unsigned a, unsigned b) { return fp(Op::kFloatAdd, t, a, b); }
inline ModelInsn fdiv(unsigned t, unsigned a, unsigned b) { return fp(Op::kFloatDivide, t, a, b); }
inline ModelInsn fmadd(unsigned t, unsigned a, unsigned c, unsigned b) {
  return insn(Op::kFloatMultiplyAdd, {}, {f(a), f(c), f(b)}, {f(t)});
}
inline ModelInsn fcmpu(unsigned bf, unsigned a, unsigned b) {
  return insn(Op::kFloatCompare, {}, {f(a), f(b)}, {cr(bf)});
}
inline ModelInsn mffprd(unsigned t, unsigned s) { return insn(Op::kFloatMove, {}, {f(s)}, {t}); }
inline ModelInsn branch(std::initializer_list<unsigned> data, std::initializer_list<unsigned> write,
                        uint8_t needs, bool conditional) {
  ModelInsn i = insn(Op::kBranch, {}, data, write);
  i.branch = true, i.needs = needs, i.conditional = conditional;
  return i;
}
inline ModelInsn b() { return branch({}, {}, kNeedsNothing, false); }
inline ModelInsn bl() {
  ModelInsn i = branch({}, {kLink}, kNeedsNothing, false);
  i.link = true;
  return i;
}
inline ModelInsn bc(unsigned field) { return branch({cr(field)}, {}, kNeedsCondition, true); }
inline ModelInsn blr() { return branch({kLink}, {}, kNeedsLink, false); }
inline ModelInsn bctr() { return branch({kCount}, {}, kNeedsCount, false); }
inline ModelInsn bdnz() { return branch({kCount}, {kCount}, kNeedsCount, true); }
inline ModelInsn serial(Op op) {
  ModelInsn i = insn(op, {}, {}, {});
  i.serializes = true;
  return i;
}

// --- what they add up to

inline Counts run(const Program& program) {
  MachineState state{};
  Counts counts;
  machine_run(program.data(), program.size(), &state, counts.data());
  EXPECT_TRUE(machine_state_ok(state));
  return counts;
}

inline Counts counts_of(const std::string& text) {
  Counts all{};
  std::istringstream in(text);
  for (std::string name; in >> name; in.ignore()) {
    const auto* const stat = std::find(std::begin(kStatNames), std::end(kStatNames), name);
    if (stat == std::end(kStatNames) || !(in >> all[static_cast<size_t>(stat - kStatNames)])) {
      ADD_FAILURE() << name << " is no statistic, or has no number: " << text;
      break;
    }
  }
  for (const auto& [begun, busy] :
       {std::pair{kStat_fxu0, kStat_fxu0_busy}, std::pair{kStat_fxu1, kStat_fxu1_busy},
        std::pair{kStat_fpu0, kStat_fpu0_busy}, std::pair{kStat_fpu1, kStat_fpu1_busy}})
    if (!all[busy]) all[busy] = all[begun];
  return all;
}

inline void expect(const Program& program, const std::string& expected, unsigned first, unsigned end) {
  const Counts all = counts_of(expected), counts = run(program);
  for (unsigned s = first; s < end; ++s) EXPECT_EQ(counts[s], all[s]) << kStatNames[s];
}
inline void classes(const Program& program, const std::string& expected) {
  expect(program, expected, 0, kStat_cycles);
}
inline void timing(const Program& program, const std::string& expected) {
  expect(program, expected, kStat_cycles, kStats);
}

}  // namespace perfboard::p2
#endif
