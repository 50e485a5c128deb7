// SPDX-License-Identifier: GPL-2.0-or-later
//
// Dispatch, FXU and FPU, an example of each rule (all of them together: fuzz-power2_machine): small programs
// whose cycles are counted on paper, in the comments. All of a program is dispatched in cycle 0, if no
// comment says other. "3: add -" is FXU0 and FXU1 in cycle 3. The branch at the end is there to end the last
// cycle; where it goes is all the same. Both pairs of units are settled until the cycle behind it.
#include <algorithm>
#include <string>

#include "tests/unit/power2/machine_programs.h"

namespace perfboard::p2 {
namespace {

TEST(MachineDispatch, TheFifthWaitsForTheNextCycle) {
  // 0: four, 1: one and the branch. FXU: 1: add add, 2: add add, 3: add.
  timing({add(3, 1, 1), add(4, 1, 1), add(5, 1, 1), add(6, 1, 1), add(7, 1, 1), b()},
         "cycles 2, dispatch_4 1, dispatch_2 1, fxu0 3, fxu1 2, fxu_pairs 2, fpu_empty 2");
}

TEST(MachineDispatch, TwoInTheIcu) {
  // 0: crand crand, 1: b, which is the third of the ICU.
  timing({crand(0, 1, 2), crand(3, 4, 5), b()},
         "cycles 2, dispatch_2 1, dispatch_1 1, fxu_empty 2, fpu_empty 2");
}

// --- branches wait

TEST(MachineDispatch, CompareToBranch) {
  // 0: cmpw. FXU 1: cmpw; its condition is at the ICU 3 later: 4. 1 to 3: nothing. 4: bc. 5: b.
  timing({cmpw(0, 3, 4), bc(0), b()},
         "cycles 6, dispatch_1 3, dispatch_0 3, held_branch_fxu 3, fxu0 1, fxu_empty 5, fpu_empty 6");
}

TEST(MachineDispatch, FloatingCompareToBranch) {
  // FPU 1: fcmpu; 5 later: 6. 1 to 5: nothing. 6: bc.
  timing({fcmpu(0, 1, 2), bc(0)},
         "cycles 7, dispatch_1 2, dispatch_0 5, held_branch_fpu 5, fpu0 1, fpu_empty 6, fxu_empty 7");
}

TEST(MachineDispatch, MoveToCountToBranch) {
  // FXU 1: mtctr; 5 later: 6.
  timing({mtctr(3), bctr()},
         "cycles 7, dispatch_1 2, dispatch_0 5, held_branch_icu 5, fxu0 1, fxu_empty 6, fpu_empty 7");
}

TEST(MachineDispatch, OfTwoOperandsTheLaterOneIsWaitedFor) {
  // 0: cmpw fcmpu; cr0 at 4, cr1 at 6. crand(2, 0, 1) at 6: all five cycles are the FPU's. 7, 8: nothing, 9:
  // bc.
  timing({cmpw(0, 3, 4), fcmpu(1, 1, 2), crand(2, 0, 1), bc(2)},
         "cycles 10, dispatch_2 1, dispatch_1 2, dispatch_0 7, held_branch_fpu 5, held_branch_icu 2, fxu0 1, "
         "fxu_empty 9, fpu0 1, fpu_empty 9");
}

// --- queues

TEST(MachineDispatch, TheFxusQueueIsFull) {
  // 0: divw and three adds, 1: four adds, 2: one: eight wait for r3, which is there at 14. 3 to 13: nothing.
  // 14: two begin and two are dispatched, 15: two and b. FXU 1: divw, and an add waits that needs it; 2 to
  // 13: divw; 14 to 19: add add.
  Program program = {divw(3, 1, 2)};
  for (unsigned i = 0; i < 12; ++i) program.push_back(add(4 + i, 3, 3));
  program.push_back(b());
  timing(program,
         "cycles 16, dispatch_4 2, dispatch_1 1, dispatch_0 11, dispatch_2 1, dispatch_3 1, held_fxu_queue "
         "11, fxu0 7, fxu1 6, fxu_pairs 6, fxu0_busy 19, fxu_held_multi 12, lost_pair 1, fpu_empty 16");
}

TEST(MachineDispatch, OneLongInstructionInAQueue) {
  // 0: fdiv, begins at 1 in FPU0. 1: fdiv, begins at 2 in FPU1. 2: fdiv, begins at 18 in FPU0. 3 to 17: the
  // fourth waits. 18: it, and b. FPU0 is busy from 2 to 17 while one waits in 2 and from 3 on: 16; at 19 the
  // fourth begins in FPU1, while FPU0 is busy: 1.
  timing({fdiv(1, 9, 9), fdiv(2, 9, 9), fdiv(3, 9, 9), fdiv(4, 9, 9), b()},
         "cycles 19, dispatch_1 3, dispatch_0 15, dispatch_2 1, held_fpu_queue 15, fpu0 2, fpu1 2, fpu0_busy "
         "34, fpu1_busy 34, fpu_held_divide 17, fxu_empty 19");
}

TEST(MachineDispatch, NoRegisterToRenameTo) {
  // fdiv holds one until 18, and the loads behind it give back theirs after it. 0: fdiv and three loads, 1,
  // 2: four, 3: three (FXU's queue), 4, 5, 6: two, 7: one: 22 registers. 8 to 17: nothing. 18: two and b. FXU
  // 1 to 10: lfd lfd, 11: lfd, 12 to 18: nothing, 19: lfd lfd.
  Program program = {fdiv(1, 2, 3)};
  for (unsigned i = 0; i < 23; ++i) program.push_back(lfd(4 + i, 4));
  program.push_back(b());
  timing(program,
         "cycles 19, dispatch_4 3, dispatch_3 2, dispatch_2 3, dispatch_1 1, dispatch_0 10, held_rename 10, "
         "fxu0 12, fxu1 11, fxu_pairs 11, fxu_empty 7, fpu0 1, fpu0_busy 17, fpu_empty 18");
}

// --- serialising instructions

TEST(MachineDispatch, SerialisingInTheIcu) {
  // 0: add; it is complete at 2. 1: nothing. 2: isync. 3: b.
  timing({add(3, 1, 1), serial(Op::kSync), b()},
         "cycles 4, dispatch_1 3, dispatch_0 1, held_sync 1, fxu0 1, fxu_empty 3, fpu_empty 4");
}

// --- FXU

TEST(MachineUnits, AnInstructionNeedsTheResultOfTheOneBesideIt) {
  // 1: add -, 2: add -, 3: add -.
  timing({add(3, 3, 1), add(3, 3, 1), add(3, 3, 1), b()},
         "cycles 1, dispatch_4 1, fxu0 3, lost_pair 2, fpu_empty 1");
}

TEST(MachineUnits, LoadToUse) {
  // 1: lwz -, r3 is there at 3; 2: nothing; 3: add add.
  timing({lwz(3, 4), add(5, 3, 3), add(6, 4, 4), b()},
         "cycles 1, dispatch_4 1, fxu0 2, fxu1 1, fxu_pairs 1, lost_load 1, fxu_held_load 1, fpu_empty 1");
}

TEST(MachineUnits, MultiplyInTheFirstElementOnly) {
  // 1: add -, 2: mullw add, 3: (mullw) add.
  timing({add(3, 1, 1), mullw(4, 1, 1), add(5, 1, 1), add(6, 1, 1), b()},
         "cycles 1, dispatch_4 1, fxu0 2, fxu1 2, fxu0_busy 3, fxu_pairs 1, lost_multi 1, fxu_held_multi 1, "
         "fpu_empty 1");
}

TEST(MachineUnits, DivideAndItsUser) {
  // 1: divw -, the add waits until 14: 2 to 13.
  timing({divw(3, 1, 1), add(4, 3, 3), b()},
         "cycles 1, dispatch_3 1, fxu0 2, fxu0_busy 14, lost_pair 1, fxu_held_multi 12, fpu_empty 1");
}

TEST(MachineUnits, Multiples) {
  // lmw of 8: 1 to 4, registers at 6 (one after the last, as a load's). 5: nothing. 6: add.
  // 1: FXU0 begins it and the add waits for a load; 2 to 4: lmw; 5: the load.
  timing({lmw(8, 4), add(3, 31, 31), b()},
         "cycles 1, dispatch_3 1, fxu0 2, fxu0_busy 5, lost_load 1, fxu_held_multi 3, fxu_held_load 1, "
         "fpu_empty 1");
  // stmw of 23: 1 to 12. The add goes beside it.
  timing({stmw(23, 4), add(3, 5, 5), b()},
         "cycles 1, dispatch_3 1, fxu0 1, fxu1 1, fxu0_busy 12, fxu_pairs 1, fpu_empty 1");
}

// "About 60 cycles" of the paper, which counts cache misses as well: 23 registers are saved, MMCR and 22
// counters loaded and stored, and the registers loaded again.
TEST(MachineUnits, AMonitorIsSavedByMultiples) {
  // 1 to 12: stmw; 13 to 24: lmw, its registers at 26; 26 to 37: stmw; 38 to 49: lmw, its registers at 51.
  // 51: isync; what comes next is dispatched in 52.
  const Counts c = run({stmw(23, 1), lmw(23, 4), stmw(23, 5), lmw(23, 1), serial(Op::kSync)});
  EXPECT_EQ(c[kStat_cycles], 52u);
  EXPECT_EQ(c[kStat_fxu0_busy], 4 * 12u);
  EXPECT_EQ(c[kStat_fx_multiple], 92u);
}

TEST(MachineUnits, AResultOfTheFpu) {
  // FPU 1: mffprd, r3 at 6. FXU 1: add -, and the other add waits; 2 to 5: nothing; 6: add.
  timing({mffprd(3, 1), add(4, 5, 5), add(6, 3, 3), b()},
         "cycles 1, dispatch_4 1, fxu0 2, lost_other 1, fxu_held_fpu 4, fpu0 1");
}

TEST(MachineUnits, TheStoreQueueIsFull) {
  // 0: fdiv and three stores, 1: two stores and b. f1 is there at 18. FXU 1: stfd stfd, 2: stfd stfd: four
  // wait for data. 3 to 17: nothing. 18: stfd.
  timing({fdiv(1, 2, 3), stfd(1, 4), stfd(1, 4), stfd(1, 4), stfd(1, 4), stfd(1, 4), b()},
         "cycles 2, dispatch_4 1, dispatch_3 1, fxu0 3, fxu1 2, fxu_pairs 2, fxu_held_fpu 15, fpu0 1, "
         "fpu0_busy 17, fpu_empty 1");
}

TEST(MachineUnits, TheManualsExample) {
  // hw/power2/MACHINE.md, "Example"
  timing({lwz(3, 4), add(5, 5, 3), cmpw(0, 5, 6), bc(0)},
         "cycles 8, dispatch_3 1, dispatch_1 1, dispatch_0 6, held_branch_fxu 6, fxu0 3, lost_load 1, "
         "fxu_held_load 1, lost_pair 1, fxu_empty 4, fpu_empty 8");
}

// --- FPU

TEST(MachineUnits, FloatingLoadToUse) {
  // FXU 1: lfd, f1 at 3. FPU 1, 2: nothing; 3: fadd.
  timing({lfd(1, 4), fadd(2, 1, 1), b()}, "cycles 1, dispatch_3 1, fxu0 1, fpu0 1, fpu_held_load 2");
}

TEST(MachineUnits, FloatingResultToUse) {
  // FPU 1: fadd, f1 at 3; 2: nothing; 3: fadd fadd.
  timing({fadd(1, 2, 3), fadd(4, 1, 1), fadd(5, 2, 3), b()},
         "cycles 1, dispatch_4 1, fxu_empty 1, fpu0 2, fpu1 1, fpu_pairs 1, fpu_held_result 1");
}

TEST(MachineUnits, BesideADivideTheOtherElementGoesOn) {
  // FPU 1: fdiv fadd, 2: (fdiv) fadd.
  timing({fdiv(1, 2, 3), fadd(4, 2, 3), fadd(5, 2, 3), b()},
         "cycles 1, dispatch_4 1, fxu_empty 1, fpu0 1, fpu1 2, fpu0_busy 17, fpu_pairs 1, fpu_held_divide 1");
}

TEST(MachineUnits, ArithmeticDoesNotWaitForStickyBits) {
  // Both write FPSCR and name it among what they read. FPU 1: fadd fadd.
  ModelInsn sticky = fadd(1, 2, 3), move = insn(Op::kFloatMove, {}, {kFloatStatus}, {f(6)});
  sticky.read[sticky.reads++] = kFloatStatus;
  sticky.write[sticky.writes++] = kFloatStatus;
  ModelInsn second = sticky;
  second.write[0] = f(4);
  timing({sticky, second, b()}, "cycles 1, dispatch_3 1, fxu_empty 1, fpu0 1, fpu1 1, fpu_pairs 1");
  // mffs does: 1: fadd, 2: nothing, 3: mffs.
  timing({sticky, move, b()}, "cycles 1, dispatch_3 1, fxu_empty 1, fpu0 2, fpu_held_result 1");
}

// --- x86

TEST(MachineUnits, ArithmeticWithAnOperandInMemory) {
  // ADD RAX, [RCX]; ADD RDX, RAX. 1: add -, RAX at 4; 2, 3: nothing; 4: add.
  const ModelInsn load_op = memory(insn(Op::kLoad, {1}, {0}, {0}), 1, 0);
  timing({load_op, add(2, 0, 2), b()},
         "cycles 1, dispatch_3 1, fxu0 2, lost_load 1, fxu_held_load 2, fpu_empty 1");
  // ADD [RCX], RAX takes FXU0 for 1 and 2, and FXU1 begins what waits beside it.
  const ModelInsn in_memory = memory(insn(Op::kLoadStore, {1}, {0}, {cr(0)}), 1, 1);
  timing({in_memory, add(2, 3, 3), add(4, 3, 3), b()},
         "cycles 1, dispatch_4 1, fxu0 1, fxu1 2, fxu0_busy 2, fxu_pairs 1, fxu_held_multi 1, fpu_empty 1");
  // ADDSD XMM0, [RCX]; ADDSD XMM1, XMM0. FXU 1: load, at 3. FPU 1, 2: nothing, 3: first, 4: nothing, 5:
  // second.
  const ModelInsn addsd = floating(memory(insn(Op::kFloatLoad, {1}, {f(32)}, {f(32)}), 1, 0));
  timing({addsd, fadd(33, 32, 33), b()},
         "cycles 1, dispatch_3 1, fxu0 1, fpu0 2, fpu_held_load 2, fpu_held_result 1");
}

TEST(MachineUnits, BranchesWithATargetFromElsewhere) {
  // RET: FXU 1, the target at 3. 0: RET, 1, 2: nothing, 3: b.
  ModelInsn ret = memory(branch({}, {4}, kNeedsNothing, false), 1, 0);
  ret.read[ret.reads++] = 4, ret.address_reads = 1;
  timing({ret, b()},
         "cycles 4, dispatch_1 2, dispatch_0 2, held_branch_fxu 2, fxu0 1, fxu_empty 3, fpu_empty 4");
  // JMP RAX: FXU 1, the target at 2.
  timing({branch({0}, {}, kNeedsNothing, false), b()},
         "cycles 3, dispatch_1 2, dispatch_0 1, held_branch_fxu 1, fxu0 1, fxu_empty 2, fpu_empty 3");
  // CALL to a known place: nothing waits. 0: CALL, 1: b. FXU 1: the store.
  ModelInsn call = memory(branch({}, {4}, kNeedsNothing, false), 0, 1);
  call.read[call.reads++] = 4, call.address_reads = 1;
  timing({call, b()}, "cycles 2, dispatch_1 2, fxu0 1, fxu_empty 1, fpu_empty 2");
}

TEST(MachineUnits, RepeatedInstructions) {
  // REP MOVS, one iteration: FXU 1, 2. 0: MOVS, 1: nothing, as it could not begin again before 3. 2: b.
  ModelInsn movs = memory(insn(Op::kLoadStore, {6, 7}, {}, {6, 7}), 1, 1);
  movs.repeats = movs.update = true;
  timing({movs, b()},
         "cycles 3, dispatch_1 2, dispatch_0 1, held_fxu_queue 1, fxu0 1, fxu0_busy 2, fxu_empty 2, "
         "fpu_empty 3");
  // Each of four iterations takes as long.
  EXPECT_EQ(run({movs, movs, movs, movs})[kStat_cycles], 8u);
  // REP STOS: one cycle each.
  ModelInsn stos = memory(insn(Op::kStore, {7}, {0}, {7}), 0, 1);
  stos.repeats = stos.update = true;
  EXPECT_EQ(run({stos, stos, stos, stos})[kStat_cycles], 4u);
}

// --- loops

// Runs the body until the pipeline is as it was once before, and then once more over that period.
struct Steady {
  unsigned iterations = 0;
  Counts counts{};
};
Steady steady(const Program& body) {
  std::vector<std::string> seen;
  MachineState state{};
  Counts counts;
  const auto bytes = [&] { return std::string(reinterpret_cast<const char*>(&state), sizeof state); };
  size_t first = 0;
  for (;; machine_run(body.data(), body.size(), &state, counts.data())) {
    first = static_cast<size_t>(std::find(seen.begin(), seen.end(), bytes()) - seen.begin());
    if (first < seen.size()) break;
    if (seen.size() == 100) {
      ADD_FAILURE() << "100 iterations, and all pipelines differ";
      return {};
    }
    seen.push_back(bytes());
  }
  Steady s{.iterations = static_cast<unsigned>(seen.size() - first)};
  for (unsigned i = 0; i < s.iterations; ++i) {
    machine_run(body.data(), body.size(), &state, counts.data());
    for (unsigned k = 0; k < kStats; ++k) s.counts[k] += counts[k];
  }
  return s;
}

TEST(MachineLoops, AnInnerProductIsBoundByItsSum) {
  // One multiply-add waits for the other: two cycles.
  const Steady s = steady({lfdu(1, 4), lfdu(2, 5), fmadd(3, 1, 2, 3), bdnz()});
  const auto& c = s.counts;
  EXPECT_EQ(c[kStat_cycles], 2 * s.iterations);
  EXPECT_EQ(c[kStat_fpu0], s.iterations);
  EXPECT_EQ(c[kStat_fpu_held_result], s.iterations);
  EXPECT_EQ(c[kStat_fpu1], 0u);
}

TEST(MachineLoops, PeakRate) {
  // Two loads and two multiply-adds in each cycle: 266 Mflops at 66.7 MHz, the peak that is known of POWER2.
  const Steady s = steady({lfd(1, 4), lfd(2, 5), fmadd(11, 1, 2, 11), fmadd(12, 1, 2, 12), lfd(3, 4),
                           lfd(4, 5), fmadd(13, 3, 4, 13), fmadd(14, 3, 4, 14), bdnz()});
  const auto& c = s.counts;
  EXPECT_EQ(c[kStat_cycles], 2 * s.iterations);
  EXPECT_EQ(c[kStat_dispatch_4], c[kStat_cycles]);
  EXPECT_EQ(c[kStat_fpu_pairs], c[kStat_cycles]);
  EXPECT_EQ(c[kStat_fxu_pairs], c[kStat_cycles]);
}

}  // namespace
}  // namespace perfboard::p2
