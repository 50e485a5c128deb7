// SPDX-License-Identifier: GPL-2.0-or-later
//
// FXU and FPU: small programs whose cycles are counted on paper, in the comments. All of a program is
// dispatched in cycle 0, if no comment says other. "3: add -" is FXU0 and FXU1 in cycle 3.
#include <algorithm>
#include <string>

#include "tests/unit/power2/machine_programs.h"

namespace perfboard::p2 {
namespace {

TEST(MachineUnits, AnInstructionNeedsTheResultOfTheOneBesideIt) {
  // 1: add -, 2: add -, 3: add -.
  timing({add(3, 3, 1), add(3, 3, 1), add(3, 3, 1), b()}, {{kStat_cycles, 1},
                                                           {kStat_dispatch_4, 1},
                                                           {kStat_fxu0, 3},
                                                           {kStat_fxu0_busy, 3},
                                                           {kStat_lost_pair, 2},
                                                           {kStat_fpu_empty, 1}});
}

TEST(MachineUnits, LoadToUse) {
  // 1: lwz -, r3 is there at 3; 2: nothing; 3: add add.
  timing({lwz(3, 4), add(5, 3, 3), add(6, 4, 4), b()}, {{kStat_cycles, 1},
                                                        {kStat_dispatch_4, 1},
                                                        {kStat_fxu0, 2},
                                                        {kStat_fxu1, 1},
                                                        {kStat_fxu0_busy, 2},
                                                        {kStat_fxu1_busy, 1},
                                                        {kStat_fxu_pairs, 1},
                                                        {kStat_lost_load, 1},
                                                        {kStat_fxu_held_load, 1},
                                                        {kStat_fpu_empty, 1}});
}

TEST(MachineUnits, TwoAccessesInACycle) {
  // 1: lwz stw.
  timing({lwz(3, 4), stw(5, 4), b()}, {{kStat_cycles, 1},
                                       {kStat_dispatch_3, 1},
                                       {kStat_fxu0, 1},
                                       {kStat_fxu1, 1},
                                       {kStat_fxu0_busy, 1},
                                       {kStat_fxu1_busy, 1},
                                       {kStat_fxu_pairs, 1},
                                       {kStat_fpu_empty, 1}});
}

TEST(MachineUnits, AnUpdatedAddressIsThereInTheNextCycle) {
  // 1: lwzu -, 2: lwz.
  timing({lwzu(3, 4), lwz(5, 4), b()}, {{kStat_cycles, 1},
                                        {kStat_dispatch_3, 1},
                                        {kStat_fxu0, 2},
                                        {kStat_fxu0_busy, 2},
                                        {kStat_lost_pair, 1},
                                        {kStat_fpu_empty, 1}});
}

TEST(MachineUnits, MultiplyInTheFirstElementOnly) {
  // 1: add -, 2: mullw add, 3: (mullw) add.
  timing({add(3, 1, 1), mullw(4, 1, 1), add(5, 1, 1), add(6, 1, 1), b()}, {{kStat_cycles, 1},
                                                                           {kStat_dispatch_4, 1},
                                                                           {kStat_fxu0, 2},
                                                                           {kStat_fxu1, 2},
                                                                           {kStat_fxu0_busy, 3},
                                                                           {kStat_fxu1_busy, 2},
                                                                           {kStat_fxu_pairs, 1},
                                                                           {kStat_lost_multi, 1},
                                                                           {kStat_fxu_held_multi, 1},
                                                                           {kStat_fpu_empty, 1}});
}

TEST(MachineUnits, DivideAndItsUser) {
  // 1: divw -, the add waits until 14: 2 to 13.
  timing({divw(3, 1, 1), add(4, 3, 3), b()}, {{kStat_cycles, 1},
                                              {kStat_dispatch_3, 1},
                                              {kStat_fxu0, 2},
                                              {kStat_fxu0_busy, 14},
                                              {kStat_lost_pair, 1},
                                              {kStat_fxu_held_multi, 12},
                                              {kStat_fpu_empty, 1}});
}

TEST(MachineUnits, MoveFromASpecialRegisterTakesTwo) {
  // 1, 2: mflr -, the add needs r3: 3. Of the wait's cycles 1 is a lost pair, 2 is the mflr's.
  timing({mflr(3), add(4, 3, 3), b()}, {{kStat_cycles, 1},
                                        {kStat_dispatch_3, 1},
                                        {kStat_fxu0, 2},
                                        {kStat_fxu0_busy, 3},
                                        {kStat_lost_pair, 1},
                                        {kStat_fxu_held_multi, 1},
                                        {kStat_fpu_empty, 1}});
}

TEST(MachineUnits, TheFxuHasItsOwnConditionsAtOnce) {
  // 1: cmpw -, 2: mfcr, which FXU1 does not execute.
  timing({cmpw(0, 1, 1), mfcr(3), b()}, {{kStat_cycles, 1},
                                         {kStat_dispatch_3, 1},
                                         {kStat_fxu0, 2},
                                         {kStat_fxu0_busy, 3},
                                         {kStat_lost_multi, 1},
                                         {kStat_fpu_empty, 1}});
}

TEST(MachineUnits, AResultOfTheIcu) {
  // crand's is there at 3: 1, 2: nothing; 3: mfcr.
  timing({crand(0, 2, 3), mfcr(3), b()}, {{kStat_cycles, 1},
                                          {kStat_dispatch_3, 1},
                                          {kStat_fxu0, 1},
                                          {kStat_fxu0_busy, 2},
                                          {kStat_fxu_held_result, 2},
                                          {kStat_fpu_empty, 1}});
}

TEST(MachineUnits, Multiples) {
  // lmw of 8: 1 to 4, registers at 6 (one after the last, as a load's). 5: nothing. 6: add.
  // 1: FXU0 begins it and the add waits for a load; 2 to 4: lmw; 5: the load.
  timing({lmw(8, 4), add(3, 31, 31), b()}, {{kStat_cycles, 1},
                                            {kStat_dispatch_3, 1},
                                            {kStat_fxu0, 2},
                                            {kStat_fxu0_busy, 5},
                                            {kStat_lost_load, 1},
                                            {kStat_fxu_held_multi, 3},
                                            {kStat_fxu_held_load, 1},
                                            {kStat_fpu_empty, 1}});
  // stmw of 23: 1 to 12. The add goes beside it.
  timing({stmw(23, 4), add(3, 5, 5), b()}, {{kStat_cycles, 1},
                                            {kStat_dispatch_3, 1},
                                            {kStat_fxu0, 1},
                                            {kStat_fxu1, 1},
                                            {kStat_fxu0_busy, 12},
                                            {kStat_fxu1_busy, 1},
                                            {kStat_fxu_pairs, 1},
                                            {kStat_fpu_empty, 1}});
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
  timing({mffprd(3, 1), add(4, 5, 5), add(6, 3, 3), b()}, {{kStat_cycles, 1},
                                                           {kStat_dispatch_4, 1},
                                                           {kStat_fxu0, 2},
                                                           {kStat_fxu0_busy, 2},
                                                           {kStat_lost_other, 1},
                                                           {kStat_fxu_held_fpu, 4},
                                                           {kStat_fpu0, 1},
                                                           {kStat_fpu0_busy, 1}});
}

TEST(MachineUnits, TheStoreQueueIsFull) {
  // 0: fdiv and three stores, 1: two stores and b. f1 is there at 18. FXU 1: stfd stfd, 2: stfd stfd: four
  // wait for data. 3 to 17: nothing. 18: stfd.
  timing({fdiv(1, 2, 3), stfd(1, 4), stfd(1, 4), stfd(1, 4), stfd(1, 4), stfd(1, 4), b()},
         {{kStat_cycles, 2},
          {kStat_dispatch_4, 1},
          {kStat_dispatch_3, 1},
          {kStat_fxu0, 3},
          {kStat_fxu1, 2},
          {kStat_fxu0_busy, 3},
          {kStat_fxu1_busy, 2},
          {kStat_fxu_pairs, 2},
          {kStat_fxu_held_fpu, 15},
          {kStat_fpu0, 1},
          {kStat_fpu0_busy, 17},
          {kStat_fpu_empty, 1}});
}

TEST(MachineUnits, AStoreDoesNotWaitForItsDataInTheUnit) {
  // 1: stfd add.
  timing({fdiv(1, 2, 3), stfd(1, 4), add(5, 6, 6), b()}, {{kStat_cycles, 1},
                                                          {kStat_dispatch_4, 1},
                                                          {kStat_fxu0, 1},
                                                          {kStat_fxu1, 1},
                                                          {kStat_fxu0_busy, 1},
                                                          {kStat_fxu1_busy, 1},
                                                          {kStat_fxu_pairs, 1},
                                                          {kStat_fpu0, 1},
                                                          {kStat_fpu0_busy, 17}});
}

TEST(MachineUnits, TheManualsExample) {
  // hw/power2/MACHINE.md, "Example"
  timing({lwz(3, 4), add(5, 5, 3), cmpw(0, 5, 6), bc(0)}, {{kStat_cycles, 8},
                                                           {kStat_dispatch_3, 1},
                                                           {kStat_dispatch_1, 1},
                                                           {kStat_dispatch_0, 6},
                                                           {kStat_held_branch_fxu, 6},
                                                           {kStat_fxu0, 3},
                                                           {kStat_fxu0_busy, 3},
                                                           {kStat_lost_load, 1},
                                                           {kStat_fxu_held_load, 1},
                                                           {kStat_lost_pair, 1},
                                                           {kStat_fxu_empty, 4},
                                                           {kStat_fpu_empty, 8}});
}

// --- FPU

TEST(MachineUnits, FloatingLoadToUse) {
  // FXU 1: lfd, f1 at 3. FPU 1, 2: nothing; 3: fadd.
  timing({lfd(1, 4), fadd(2, 1, 1), b()}, {{kStat_cycles, 1},
                                           {kStat_dispatch_3, 1},
                                           {kStat_fxu0, 1},
                                           {kStat_fxu0_busy, 1},
                                           {kStat_fpu0, 1},
                                           {kStat_fpu0_busy, 1},
                                           {kStat_fpu_held_load, 2}});
}

TEST(MachineUnits, FloatingResultToUse) {
  // FPU 1: fadd, f1 at 3; 2: nothing; 3: fadd fadd.
  timing({fadd(1, 2, 3), fadd(4, 1, 1), fadd(5, 2, 3), b()}, {{kStat_cycles, 1},
                                                              {kStat_dispatch_4, 1},
                                                              {kStat_fxu_empty, 1},
                                                              {kStat_fpu0, 2},
                                                              {kStat_fpu1, 1},
                                                              {kStat_fpu0_busy, 2},
                                                              {kStat_fpu1_busy, 1},
                                                              {kStat_fpu_pairs, 1},
                                                              {kStat_fpu_held_result, 1}});
}

TEST(MachineUnits, BesideADivideTheOtherElementGoesOn) {
  // FPU 1: fdiv fadd, 2: (fdiv) fadd.
  timing({fdiv(1, 2, 3), fadd(4, 2, 3), fadd(5, 2, 3), b()}, {{kStat_cycles, 1},
                                                              {kStat_dispatch_4, 1},
                                                              {kStat_fxu_empty, 1},
                                                              {kStat_fpu0, 1},
                                                              {kStat_fpu1, 2},
                                                              {kStat_fpu0_busy, 17},
                                                              {kStat_fpu1_busy, 2},
                                                              {kStat_fpu_pairs, 1},
                                                              {kStat_fpu_held_divide, 1}});
}

TEST(MachineUnits, SquareRoot) {
  // FPU 1: fsqrt; f1 at 27; 2 to 26 it holds FPU0, while the fadd waits.
  timing({fp(Op::kFloatRoot, 1, 2, 2), fadd(4, 1, 1), b()}, {{kStat_cycles, 1},
                                                             {kStat_dispatch_3, 1},
                                                             {kStat_fxu_empty, 1},
                                                             {kStat_fpu0, 2},
                                                             {kStat_fpu0_busy, 27},
                                                             {kStat_fpu_held_divide, 25}});
}

TEST(MachineUnits, ArithmeticDoesNotWaitForStickyBits) {
  // Both write FPSCR and name it among what they read. FPU 1: fadd fadd.
  ModelInsn sticky = fadd(1, 2, 3), move = insn(Op::kFloatMove, {}, {kFloatStatus}, {f(6)});
  sticky.read[sticky.reads++] = kFloatStatus;
  sticky.write[sticky.writes++] = kFloatStatus;
  ModelInsn second = sticky;
  second.write[0] = f(4);
  timing({sticky, second, b()}, {{kStat_cycles, 1},
                                 {kStat_dispatch_3, 1},
                                 {kStat_fxu_empty, 1},
                                 {kStat_fpu0, 1},
                                 {kStat_fpu1, 1},
                                 {kStat_fpu0_busy, 1},
                                 {kStat_fpu1_busy, 1},
                                 {kStat_fpu_pairs, 1}});
  // mffs does: 1: fadd, 2: nothing, 3: mffs.
  timing({sticky, move, b()}, {{kStat_cycles, 1},
                               {kStat_dispatch_3, 1},
                               {kStat_fxu_empty, 1},
                               {kStat_fpu0, 2},
                               {kStat_fpu0_busy, 2},
                               {kStat_fpu_held_result, 1}});
}

// --- x86

TEST(MachineUnits, ArithmeticWithAnOperandInMemory) {
  // ADD RAX, [RCX]; ADD RDX, RAX. 1: add -, RAX at 4; 2, 3: nothing; 4: add.
  const ModelInsn load_op = memory(insn(Op::kLoad, {1}, {0}, {0}), 1, 0);
  timing({load_op, add(2, 0, 2), b()}, {{kStat_cycles, 1},
                                        {kStat_dispatch_3, 1},
                                        {kStat_fxu0, 2},
                                        {kStat_fxu0_busy, 2},
                                        {kStat_lost_load, 1},
                                        {kStat_fxu_held_load, 2},
                                        {kStat_fpu_empty, 1}});
  // ADD [RCX], RAX takes FXU0 for 1 and 2, and FXU1 begins what waits beside it.
  const ModelInsn in_memory = memory(insn(Op::kLoadStore, {1}, {0}, {cr(0)}), 1, 1);
  timing({in_memory, add(2, 3, 3), add(4, 3, 3), b()}, {{kStat_cycles, 1},
                                                        {kStat_dispatch_4, 1},
                                                        {kStat_fxu0, 1},
                                                        {kStat_fxu1, 2},
                                                        {kStat_fxu0_busy, 2},
                                                        {kStat_fxu1_busy, 2},
                                                        {kStat_fxu_pairs, 1},
                                                        {kStat_fxu_held_multi, 1},
                                                        {kStat_fpu_empty, 1}});
  // ADDSD XMM0, [RCX]; ADDSD XMM1, XMM0. FXU 1: load, at 3. FPU 1, 2: nothing, 3: first, 4: nothing, 5:
  // second.
  const ModelInsn addsd = floating(memory(insn(Op::kFloatLoad, {1}, {f(32)}, {f(32)}), 1, 0));
  timing({addsd, fadd(33, 32, 33), b()}, {{kStat_cycles, 1},
                                          {kStat_dispatch_3, 1},
                                          {kStat_fxu0, 1},
                                          {kStat_fxu0_busy, 1},
                                          {kStat_fpu0, 2},
                                          {kStat_fpu0_busy, 2},
                                          {kStat_fpu_held_load, 2},
                                          {kStat_fpu_held_result, 1}});
}

TEST(MachineUnits, BranchesWithATargetFromElsewhere) {
  // RET: FXU 1, the target at 3. 0: RET, 1, 2: nothing, 3: b.
  ModelInsn ret = memory(branch({}, {4}, kNeedsNothing, false), 1, 0);
  ret.read[ret.reads++] = 4, ret.address_reads = 1;
  timing({ret, b()}, {{kStat_cycles, 4},
                      {kStat_dispatch_1, 2},
                      {kStat_dispatch_0, 2},
                      {kStat_held_branch_fxu, 2},
                      {kStat_fxu0, 1},
                      {kStat_fxu0_busy, 1},
                      {kStat_fxu_empty, 3},
                      {kStat_fpu_empty, 4}});
  // JMP RAX: FXU 1, the target at 2.
  timing({branch({0}, {}, kNeedsNothing, false), b()}, {{kStat_cycles, 3},
                                                        {kStat_dispatch_1, 2},
                                                        {kStat_dispatch_0, 1},
                                                        {kStat_held_branch_fxu, 1},
                                                        {kStat_fxu0, 1},
                                                        {kStat_fxu0_busy, 1},
                                                        {kStat_fxu_empty, 2},
                                                        {kStat_fpu_empty, 3}});
  // CALL to a known place: nothing waits. 0: CALL, 1: b. FXU 1: the store.
  ModelInsn call = memory(branch({}, {4}, kNeedsNothing, false), 0, 1);
  call.read[call.reads++] = 4, call.address_reads = 1;
  timing({call, b()}, {{kStat_cycles, 2},
                       {kStat_dispatch_1, 2},
                       {kStat_fxu0, 1},
                       {kStat_fxu0_busy, 1},
                       {kStat_fxu_empty, 1},
                       {kStat_fpu_empty, 2}});
}

TEST(MachineUnits, RepeatedInstructions) {
  // REP MOVS, one iteration: FXU 1, 2. 0: MOVS, 1: nothing, as it could not begin again before 3. 2: b.
  ModelInsn movs = memory(insn(Op::kLoadStore, {6, 7}, {}, {6, 7}), 1, 1);
  movs.repeats = movs.update = true;
  timing({movs, b()}, {{kStat_cycles, 3},
                       {kStat_dispatch_1, 2},
                       {kStat_dispatch_0, 1},
                       {kStat_held_fxu_queue, 1},
                       {kStat_fxu0, 1},
                       {kStat_fxu0_busy, 2},
                       {kStat_fxu_empty, 2},
                       {kStat_fpu_empty, 3}});
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

TEST(MachineLoops, ASumOfWords) {
  // FXU: add(k) lwzu(k+1) in one cycle; in the next add(k+1) waits for its operand. So the full queue has two
  // places every other cycle: the add that waited for one is dispatched with its branch, and the next lwzu in
  // the cycle behind the branch.
  const Steady s = steady({lwzu(5, 4), add(3, 3, 5), bdnz()});
  const auto& c = s.counts;
  EXPECT_EQ(c[kStat_cycles], 2 * s.iterations);
  EXPECT_EQ(c[kStat_dispatch_1], s.iterations);
  EXPECT_EQ(c[kStat_dispatch_2], s.iterations);
  EXPECT_EQ(c[kStat_fxu_pairs], s.iterations);
  EXPECT_EQ(c[kStat_fxu_held_load], s.iterations);
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
