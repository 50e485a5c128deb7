// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the pipeline takes an instruction to be: a row for each class, which the instruction's own traits then refine.
//
//   const Plan p = plan_of(insn);      units, cycles, latencies: MACHINE.md's tables
//   count_classes(insn, p, counts);    those of stats.def that are no cycles
#ifndef PERFBOARD_POWER2_PIPELINE_CLASSES_H
#define PERFBOARD_POWER2_PIPELINE_CLASSES_H

#include "hw/power2/machine.h"

namespace perfboard::p2 {

// Cycles from the beginning of one instruction until another unit has its result (MACHINE.md, "Results").
inline constexpr unsigned kConditionWay = 2;  // FXU to ICU: a compare's CR field, beyond the FXU's own latency
inline constexpr unsigned kTargetWay = 4;     // FXU to ICU: LR, CTR
inline constexpr unsigned kFpuWay = 3;        // FPU to CR and general registers
inline constexpr unsigned kConditionLogic = 3;

struct Plan {
  bool icu = false;          // takes one of the two places of the ICU
  bool fxu = false;          // goes into the FXU's queue
  bool fpu = false;          // goes into the FPU's queue
  bool fpu_data = false;     // a floating-point load or store: the FPU's, but not in its queue
  bool only_0 = false;       // FXU1 does not execute it
  bool rename = false;       // takes a floating-point register to rename to
  uint8_t fxu_busy = 1, fxu_latency = 1;
  uint8_t fpu_busy = 1, fpu_latency = 2;
  unsigned words = 1;        // of a multiple or string instruction
};

Plan plan_of(const ModelInsn& insn);
void count_classes(const ModelInsn& insn, const Plan& plan, uint32_t counts[kStats]);

// Registers of a kind.
inline bool is_general(unsigned r) { return r < kFloat0; }
inline bool is_float(unsigned r) { return r >= kFloat0 && r < kCondition0; }
inline bool is_condition(unsigned r) { return r >= kCondition0 && r < kLink; }
inline bool is_target(unsigned r) { return r == kLink || r == kCount; }

// Registers that an instruction names: what is no register is left out, whatever bytes it is made of.
std::span<const uint8_t> reads_of(const ModelInsn& insn);
std::span<const uint8_t> writes_of(const ModelInsn& insn);

}  // namespace perfboard::p2
#endif
