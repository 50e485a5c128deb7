// SPDX-License-Identifier: GPL-2.0-or-later
//
// The machine model: what a run of instructions is worth, in counts of stats.def. MACHINE.md has its rules.
//
//   MachineState state{};                                   an empty pipeline
//   uint32_t counts[kStats];
//   machine_run(insns, n, &state, counts);                  counts of these n, and the pipeline behind them
//   machine_run(more, m, &state, counts);                   the same as one run of n + m: sums and state
//   imr_matches(insn, imr, true);                           does the instruction match register name this one?
//
// Pure functions: no clock, no memory but what they are given. A run ends in the middle of a cycle; that
// cycle is counted when it ends, in a later run.
#ifndef PERFBOARD_POWER2_MACHINE_H
#define PERFBOARD_POWER2_MACHINE_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hw/processor/insn.h"

namespace perfboard::p2 {

enum Stat : uint8_t {
#define STAT(name, text) kStat_##name,
#include "hw/power2/stats.def"
  kStat_end
};
inline constexpr unsigned kStats = kStat_end;

// INFERRED: the paper has no sizes; MACHINE.md says where each is from.
inline constexpr unsigned kQueue = 8;    // places in the queue of the FXU, and in that of the FPU
inline constexpr unsigned kRename = 22;  // floating-point registers to rename to
inline constexpr unsigned kStores = 4;   // floating-point stores that wait for their data

// One pair of units, FXU or FPU. What waits has a known beginning: each unit takes its instructions in order.
struct MachineUnit {
  uint8_t queue[kQueue];  // cycles until the instruction begins and so leaves the queue; oldest first
  uint8_t slow;           // the same of the last long instruction
  // cycles that an element remains busy, from the first one that it could begin something in
  uint8_t free[2];
  // the first element makes the last beginning, and the second may still begin something with it
  uint8_t open;
};

// A pipeline between two instructions. Times are cycles from the present one, 0: now or earlier; so equal
// situations are equal bytes, and all bytes 0 is an empty pipeline. machine_state_ok() has the limits.
struct MachineState {
  uint8_t units, icu;  // what the present cycle has dispatched: to FXU and FPU, in the ICU
  uint8_t drain;       // until all that was dispatched is complete
  MachineUnit fxu, fpu;
  uint8_t rename[kRename];         // until the register is free again; oldest first
  uint8_t stores[kStores];         // until the store has its data; oldest first
  uint8_t ready[kModelRegisters];  // until the value is there
  // who makes it: two bits for each register whose value is not yet there
  uint8_t maker[(kModelRegisters + 3) / 4];
};
static_assert(sizeof(MachineState) <= 192 && std::is_trivially_copyable_v<MachineState>);

// sets counts
void machine_run(const ModelInsn* insns, size_t n, MachineState* state, uint32_t counts[kStats]);
bool machine_state_ok(const MachineState& state);  // a snapshot's: could a run have left it?

// POWER: opcode and extended opcode of both are the same, whatever the operands. Elsewhere all of `opcode`
// is.
bool imr_matches(const ModelInsn& insn, uint32_t imr, bool power);
uint32_t imr_of(const ModelInsn& insn, bool power);  // the value that names it

}  // namespace perfboard::p2
#endif
