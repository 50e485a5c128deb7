// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the pipeline takes an instruction to be: a row for each class, which the instruction's own traits then
// refine.
//
//   const Plan p = plan_of(insn);      units, cycles, latencies: MACHINE.md's tables
//   count_classes(insn, p, counts);    those of stats.def that are no cycles
#ifndef PERFBOARD_POWER2_PIPELINE_CLASSES_H
#define PERFBOARD_POWER2_PIPELINE_CLASSES_H

#include <cstdint>
#include <span>

#include "hw/power2/machine.h"

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

}  // namespace perfboard::p2
#endif
