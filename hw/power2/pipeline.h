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

#include "hw/power2/machine.h"
#include "hw/power2/pipeline_classes.h"

namespace perfboard::p2 {

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
