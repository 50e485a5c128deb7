// SPDX-License-Identifier: GPL-2.0-or-later
//
// The pipeline between two instructions, with absolute times, and what dispatching one more does to it.
//
//   Pipeline p(state, counts);     counts: where statistics are added
//   p.dispatch(insn);              in program order
//   p.save(&state);                settles what is certain by now
//
// An instruction is timed when it is dispatched: every unit works in order, so nothing behind it can change
// when it begins. Each step is a formula over the units' next free cycles; tests/unit/power2/reference.h does
// the same cycle by cycle.
#ifndef PERFBOARD_POWER2_PIPELINE_H
#define PERFBOARD_POWER2_PIPELINE_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "hw/power2/machine.h"

// What the pipeline takes an instruction to be: a row for each class, which the instruction's own traits then
// refine.
//
//   const Plan p = plan_of(insn);      units, cycles, latencies: MACHINE.md's tables
//   count_classes(insn, p, counts);    those of stats.def that are no cycles

namespace perfboard::p2 {

// Places in one cycle's dispatch: to FXU and FPU together, and in the ICU.
inline constexpr unsigned kDispatchUnits = 4, kDispatchIcu = 2;

// Cycles from a unit's own use of a result until another's (MACHINE.md, "Results").
inline constexpr unsigned kConditionWay = 2;  // FXU to ICU: a condition
inline constexpr unsigned kTargetWay = 4;     // FXU to ICU: LR, CTR
inline constexpr unsigned kFpuWay = 3;        // FPU to conditions and general registers

struct Plan {
  // Where it goes.
  bool icu = false;       // takes one of the ICU's places in the cycle
  bool fxu = false;       // goes into the FXU's queue
  bool fpu = false;       // goes into the FPU's queue
  bool fpu_data = false;  // a floating-point load or store: the FPU moves its data, in no queue of arithmetic
  bool only_0 = false;    // FXU1 does not execute it
  bool rename = false;    // takes a floating-point register to rename to
  bool ends_group = false;  // nothing behind it in the same cycle
  bool repeats = false;     // nothing behind it until its element may begin it again
  // of a branch: nothing behind it until so long after the FXU began it; 0: it does not wait
  uint8_t target_latency = 0;
  // How long.
  uint8_t fxu_busy = 0, fxu_latency = 0;
  uint8_t fpu_busy = 0, fpu_latency = 0;
  uint8_t icu_latency = 0;
  unsigned words = 1;  // of a multiple or string instruction
};

Plan plan_of(const ModelInsn& insn);
void count_classes(const ModelInsn& insn, const Plan& plan, uint32_t counts[kStats]);

// Registers of a kind.
inline bool is_general(unsigned r) { return r < kFloat0; }
inline bool is_float(unsigned r) { return r >= kFloat0 && r < kCondition0; }
inline bool is_condition(unsigned r) { return r >= kCondition0 && r < kLink; }
inline bool is_target(unsigned r) { return r == kLink || r == kCount; }

bool loads(Op op);                                   // what it writes comes from memory
bool arithmetic(Op op);                              // of the FPU
bool is_updated(const ModelInsn& insn, unsigned r);  // its address register, which it also writes
// what it reads that its address is not made of
std::span<const uint8_t> data_reads(const ModelInsn& insn);

// An instruction that holds its element longer is a long one.
inline constexpr unsigned kLong = 4;
// No time in a state exceeds this (MACHINE.md, "State").
inline constexpr unsigned kHorizon = 200;

// Who makes a value. If several come in the same cycle, the greatest is what is waited for.
enum Maker : uint8_t { kByFpu, kByIcu, kByFxu, kByLoad };
inline constexpr unsigned kMakers = 4;

struct Operand {
  uint32_t at = 0;  // the cycle in which it can be used
  Maker maker = kByFpu;
};
inline bool later(Operand a, Operand b) { return a.at != b.at ? a.at > b.at : a.maker > b.maker; }

// One pair of units in absolute cycles; MachineUnit has what the members are.
struct UnitPair {
  std::array<uint32_t, kQueue> queue;
  uint32_t slow;
  uint32_t free[2];
  bool open;
  uint32_t next;  // the cycle behind the last beginning: what the first element did until then is counted
};

// What keeps an instruction from beginning, and the element for how long.
struct Wait {
  uint32_t arrives;     // it is in the queue from then on
  Operand operand;      // its last operand
  uint32_t room = 0;    // a place in the store queue, if it needs one
  bool only_0 = false;  // the second element does not execute it
  unsigned busy = 1;
};

struct UnitStats;

class Pipeline {
 public:
  Pipeline(const MachineState& state, uint32_t* counts);
  void dispatch(const ModelInsn& insn);
  void save(MachineState* state);

 private:
  struct Hold {
    uint32_t until = 0;
    Stat why{};
  };

  // pipeline.cc
  void count(Stat stat, uint32_t n = 1) { counts_[stat] += n; }
  void end_cycle(Stat why);
  void hold(uint32_t until, Stat why);
  Hold held(const ModelInsn& insn, const Plan& plan) const;
  Hold held_branch(const ModelInsn& insn) const;
  Operand value(unsigned r, bool for_fxu) const;
  void result(unsigned r, uint32_t at, Maker maker);
  void complete(uint32_t at) { drain_ = std::max(drain_, at); }
  void icu_results(const ModelInsn& insn, const Plan& plan);

  // pipeline_units.cc
  uint32_t begin(UnitPair& u, const UnitStats& s, const Wait& w);
  uint32_t begin_fxu(const ModelInsn& insn, const Plan& plan);
  uint32_t begin_fpu(const ModelInsn& insn, const Plan& plan, uint32_t loaded);
  void store_data(const ModelInsn& insn, uint32_t begun);
  void fxu_results(const ModelInsn& insn, const Plan& plan, uint32_t begun);
  void fpu_results(const ModelInsn& insn, const Plan& plan, uint32_t begun);

  uint32_t* counts_;
  uint32_t now_ = 0;  // the cycle that dispatches
  uint32_t drain_;    // when all that was dispatched is complete
  unsigned units_, icu_;
  UnitPair fxu_, fpu_;
  std::array<uint32_t, kRename> rename_;
  std::array<uint32_t, kStores> stores_;
  std::array<uint32_t, kModelRegisters> ready_;
  std::array<Maker, kModelRegisters> maker_;
};

// A queue of times in which the oldest entry is first and none is earlier than the one before it.
template <size_t N>
void push(std::array<uint32_t, N>& fifo, uint32_t time) {
  std::shift_left(fifo.begin(), fifo.end(), 1);
  fifo.back() = time;
}

}  // namespace perfboard::p2
#endif
