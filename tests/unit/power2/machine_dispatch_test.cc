// SPDX-License-Identifier: GPL-2.0-or-later
//
// Dispatch: small programs whose cycles are counted on paper, in the comments. "3: add -" is FXU0 and FXU1 in
// cycle 3. The branch at the end is there to end the last cycle; where it goes is all the same. Both pairs of
// units are settled until the cycle behind it.
#include "tests/unit/power2/machine_programs.h"

namespace perfboard::p2 {
namespace {

TEST(MachineDispatch, FourToTheUnitsAndABranch) {
  // Cycle 0 dispatches all five. FXU: 1: add add, 2: add add.
  timing({add(3, 1, 1), add(4, 1, 1), add(5, 1, 1), add(6, 1, 1), b()}, {{kStat_cycles, 1},
                                                                         {kStat_dispatch_4, 1},
                                                                         {kStat_fxu0, 2},
                                                                         {kStat_fxu1, 2},
                                                                         {kStat_fxu0_busy, 2},
                                                                         {kStat_fxu1_busy, 2},
                                                                         {kStat_fxu_pairs, 2},
                                                                         {kStat_fpu_empty, 1}});
}

TEST(MachineDispatch, TheFifthWaitsForTheNextCycle) {
  // 0: four, 1: one and the branch. FXU: 1: add add, 2: add add, 3: add.
  timing({add(3, 1, 1), add(4, 1, 1), add(5, 1, 1), add(6, 1, 1), add(7, 1, 1), b()}, {{kStat_cycles, 2},
                                                                                       {kStat_dispatch_4, 1},
                                                                                       {kStat_dispatch_2, 1},
                                                                                       {kStat_fxu0, 3},
                                                                                       {kStat_fxu1, 2},
                                                                                       {kStat_fxu0_busy, 3},
                                                                                       {kStat_fxu1_busy, 2},
                                                                                       {kStat_fxu_pairs, 2},
                                                                                       {kStat_fpu_empty, 2}});
}

TEST(MachineDispatch, TwoInTheIcu) {
  // 0: crand crand, 1: b, which is the third of the ICU.
  timing({crand(0, 1, 2), crand(3, 4, 5), b()}, {{kStat_cycles, 2},
                                                 {kStat_dispatch_2, 1},
                                                 {kStat_dispatch_1, 1},
                                                 {kStat_fxu_empty, 2},
                                                 {kStat_fpu_empty, 2}});
}

TEST(MachineDispatch, SixInACycle) {
  // 0: four adds, two crands: six. 1: add and b.
  timing({add(3, 1, 1), crand(0, 1, 2), add(4, 1, 1), add(5, 1, 1), crand(3, 4, 5), add(6, 1, 1),
          add(7, 1, 1), b()},
         {{kStat_cycles, 2},
          {kStat_dispatch_4, 1},
          {kStat_dispatch_2, 1},
          {kStat_fxu0, 3},
          {kStat_fxu1, 2},
          {kStat_fxu0_busy, 3},
          {kStat_fxu1_busy, 2},
          {kStat_fxu_pairs, 2},
          {kStat_fpu_empty, 2}});
}

TEST(MachineDispatch, ABranchEndsTheCycle) {
  // 0: add b, 1: add add b. FXU: 1: add, 2: add add.
  timing({add(3, 1, 1), b(), add(4, 1, 1), add(5, 1, 1), b()}, {{kStat_cycles, 2},
                                                                {kStat_dispatch_2, 1},
                                                                {kStat_dispatch_3, 1},
                                                                {kStat_fxu0, 2},
                                                                {kStat_fxu1, 1},
                                                                {kStat_fxu0_busy, 2},
                                                                {kStat_fxu1_busy, 1},
                                                                {kStat_fxu_pairs, 1},
                                                                {kStat_fpu_empty, 2}});
}

TEST(MachineDispatch, ARunThatEndsInACycleLeavesItToTheNext) {
  timing({add(3, 1, 1)}, {{kStat_fxu0, 1}, {kStat_fxu0_busy, 1}});
  const Program first = {add(3, 1, 1)}, second = {add(4, 1, 1), b()};
  MachineState state{};
  Counts counts;
  machine_run(first.data(), 1, &state, counts.data());
  machine_run(second.data(), 2, &state, counts.data());
  EXPECT_EQ(counts[kStat_cycles], 1u);
  EXPECT_EQ(counts[kStat_dispatch_3], 1u);
  EXPECT_EQ(counts[kStat_fxu_pairs], 1u);
}

// --- branches wait

TEST(MachineDispatch, CompareToBranch) {
  // 0: cmpw. FXU 1: cmpw; its condition is at the ICU 3 later: 4. 1 to 3: nothing. 4: bc. 5: b.
  timing({cmpw(0, 3, 4), bc(0), b()}, {{kStat_cycles, 6},
                                       {kStat_dispatch_1, 3},
                                       {kStat_dispatch_0, 3},
                                       {kStat_held_branch_fxu, 3},
                                       {kStat_fxu0, 1},
                                       {kStat_fxu0_busy, 1},
                                       {kStat_fxu_empty, 5},
                                       {kStat_fpu_empty, 6}});
}

TEST(MachineDispatch, MoveToConditionToBranch) {
  // As a compare.
  timing({mtcrf(3), bc(0), b()}, {{kStat_cycles, 6},
                                  {kStat_dispatch_1, 3},
                                  {kStat_dispatch_0, 3},
                                  {kStat_held_branch_fxu, 3},
                                  {kStat_fxu0, 1},
                                  {kStat_fxu0_busy, 1},
                                  {kStat_fxu_empty, 5},
                                  {kStat_fpu_empty, 6}});
}

TEST(MachineDispatch, AnotherConditionIsNotWaitedFor) {
  // 0: cmpw bc.
  timing({cmpw(0, 3, 4), bc(1)}, {{kStat_cycles, 1},
                                  {kStat_dispatch_2, 1},
                                  {kStat_fxu0, 1},
                                  {kStat_fxu0_busy, 1},
                                  {kStat_fpu_empty, 1}});
}

TEST(MachineDispatch, FloatingCompareToBranch) {
  // FPU 1: fcmpu; 5 later: 6. 1 to 5: nothing. 6: bc.
  timing({fcmpu(0, 1, 2), bc(0)}, {{kStat_cycles, 7},
                                   {kStat_dispatch_1, 2},
                                   {kStat_dispatch_0, 5},
                                   {kStat_held_branch_fpu, 5},
                                   {kStat_fpu0, 1},
                                   {kStat_fpu0_busy, 1},
                                   {kStat_fpu_empty, 6},
                                   {kStat_fxu_empty, 7}});
}

TEST(MachineDispatch, MoveToCountToBranch) {
  // FXU 1: mtctr; 5 later: 6.
  timing({mtctr(3), bctr()}, {{kStat_cycles, 7},
                              {kStat_dispatch_1, 2},
                              {kStat_dispatch_0, 5},
                              {kStat_held_branch_icu, 5},
                              {kStat_fxu0, 1},
                              {kStat_fxu0_busy, 1},
                              {kStat_fxu_empty, 6},
                              {kStat_fpu_empty, 7}});
}

TEST(MachineDispatch, LogicOnConditionsToBranch) {
  // 0: crand; 3 later: 3.
  timing({crand(0, 1, 2), bc(0)}, {{kStat_cycles, 4},
                                   {kStat_dispatch_1, 2},
                                   {kStat_dispatch_0, 2},
                                   {kStat_held_branch_icu, 2},
                                   {kStat_fxu_empty, 4},
                                   {kStat_fpu_empty, 4}});
}

TEST(MachineDispatch, LogicOnConditionsWaitsAsABranchDoes) {
  // 0: cmpw, there at 4: crand at 4, there at 7: bc. 1 to 3 wait for the FXU, 5 and 6 for the crand.
  timing({cmpw(1, 3, 4), crand(0, 1, 2), bc(0)}, {{kStat_cycles, 8},
                                                  {kStat_dispatch_1, 3},
                                                  {kStat_dispatch_0, 5},
                                                  {kStat_held_branch_fxu, 3},
                                                  {kStat_held_branch_icu, 2},
                                                  {kStat_fxu0, 1},
                                                  {kStat_fxu0_busy, 1},
                                                  {kStat_fxu_empty, 7},
                                                  {kStat_fpu_empty, 8}});
}

TEST(MachineDispatch, OfTwoOperandsTheLaterOneIsWaitedFor) {
  // 0: cmpw fcmpu; cr0 at 4, cr1 at 6. crand(2, 0, 1) at 6: all five cycles are the FPU's. 7, 8: nothing, 9:
  // bc.
  timing({cmpw(0, 3, 4), fcmpu(1, 1, 2), crand(2, 0, 1), bc(2)}, {{kStat_cycles, 10},
                                                                  {kStat_dispatch_2, 1},
                                                                  {kStat_dispatch_1, 2},
                                                                  {kStat_dispatch_0, 7},
                                                                  {kStat_held_branch_fpu, 5},
                                                                  {kStat_held_branch_icu, 2},
                                                                  {kStat_fxu0, 1},
                                                                  {kStat_fxu0_busy, 1},
                                                                  {kStat_fxu_empty, 9},
                                                                  {kStat_fpu0, 1},
                                                                  {kStat_fpu0_busy, 1},
                                                                  {kStat_fpu_empty, 9}});
}

TEST(MachineDispatch, ABranchsOwnRegistersAreThereInTheNextCycle) {
  // 0: bl, 1: blr, 2: bdnz, 3: bdnz.
  timing({bl(), blr(), bdnz(), bdnz()},
         {{kStat_cycles, 4}, {kStat_dispatch_1, 4}, {kStat_fxu_empty, 4}, {kStat_fpu_empty, 4}});
}

// --- queues

TEST(MachineDispatch, TheFxusQueueIsFull) {
  // 0: divw and three adds, 1: four adds, 2: one: eight wait for r3, which is there at 14. 3 to 13: nothing.
  // 14: two begin and two are dispatched, 15: two and b. FXU 1: divw, and an add waits that needs it; 2 to
  // 13: divw; 14 to 19: add add.
  Program program = {divw(3, 1, 2)};
  for (unsigned i = 0; i < 12; ++i) program.push_back(add(4 + i, 3, 3));
  program.push_back(b());
  timing(program, {{kStat_cycles, 16},
                   {kStat_dispatch_4, 2},
                   {kStat_dispatch_1, 1},
                   {kStat_dispatch_0, 11},
                   {kStat_dispatch_2, 1},
                   {kStat_dispatch_3, 1},
                   {kStat_held_fxu_queue, 11},
                   {kStat_fxu0, 7},
                   {kStat_fxu1, 6},
                   {kStat_fxu_pairs, 6},
                   {kStat_fxu0_busy, 19},
                   {kStat_fxu1_busy, 6},
                   {kStat_fxu_held_multi, 12},
                   {kStat_lost_pair, 1},
                   {kStat_fpu_empty, 16}});
}

TEST(MachineDispatch, TheFpusQueueIsFull) {
  // The same with f1 at 18: 3 to 17 nothing. FPU 1: fdiv; 2 to 17: fdiv; 18 to 23: fadd fadd.
  Program program = {fdiv(1, 2, 3)};
  for (unsigned i = 0; i < 12; ++i) program.push_back(fadd(4 + i, 1, 1));
  program.push_back(b());
  timing(program, {{kStat_cycles, 20},
                   {kStat_dispatch_4, 2},
                   {kStat_dispatch_1, 1},
                   {kStat_dispatch_0, 15},
                   {kStat_dispatch_2, 1},
                   {kStat_dispatch_3, 1},
                   {kStat_held_fpu_queue, 15},
                   {kStat_fpu0, 7},
                   {kStat_fpu1, 6},
                   {kStat_fpu_pairs, 6},
                   {kStat_fpu0_busy, 23},
                   {kStat_fpu1_busy, 6},
                   {kStat_fpu_held_divide, 16},
                   {kStat_fxu_empty, 20}});
}

TEST(MachineDispatch, OneLongInstructionInAQueue) {
  // 0: fdiv, begins at 1 in FPU0. 1: fdiv, begins at 2 in FPU1. 2: fdiv, begins at 18 in FPU0. 3 to 17: the
  // fourth waits. 18: it, and b. FPU0 is busy from 2 to 17 while one waits in 2 and from 3 on: 16; at 19 the
  // fourth begins in FPU1, while FPU0 is busy: 1.
  timing({fdiv(1, 9, 9), fdiv(2, 9, 9), fdiv(3, 9, 9), fdiv(4, 9, 9), b()}, {{kStat_cycles, 19},
                                                                             {kStat_dispatch_1, 3},
                                                                             {kStat_dispatch_0, 15},
                                                                             {kStat_dispatch_2, 1},
                                                                             {kStat_held_fpu_queue, 15},
                                                                             {kStat_fpu0, 2},
                                                                             {kStat_fpu1, 2},
                                                                             {kStat_fpu0_busy, 34},
                                                                             {kStat_fpu1_busy, 34},
                                                                             {kStat_fpu_held_divide, 17},
                                                                             {kStat_fxu_empty, 19}});
}

TEST(MachineDispatch, NoRegisterToRenameTo) {
  // fdiv holds one until 18, and the loads behind it give back theirs after it. 0: fdiv and three loads, 1,
  // 2: four, 3: three (FXU's queue), 4, 5, 6: two, 7: one: 22 registers. 8 to 17: nothing. 18: two and b. FXU
  // 1 to 10: lfd lfd, 11: lfd, 12 to 18: nothing, 19: lfd lfd.
  Program program = {fdiv(1, 2, 3)};
  for (unsigned i = 0; i < 23; ++i) program.push_back(lfd(4 + i, 4));
  program.push_back(b());
  timing(program, {{kStat_cycles, 19},
                   {kStat_dispatch_4, 3},
                   {kStat_dispatch_3, 2},
                   {kStat_dispatch_2, 3},
                   {kStat_dispatch_1, 1},
                   {kStat_dispatch_0, 10},
                   {kStat_held_rename, 10},
                   {kStat_fxu0, 12},
                   {kStat_fxu1, 11},
                   {kStat_fxu0_busy, 12},
                   {kStat_fxu1_busy, 11},
                   {kStat_fxu_pairs, 11},
                   {kStat_fxu_empty, 7},
                   {kStat_fpu0, 1},
                   {kStat_fpu0_busy, 17},
                   {kStat_fpu_empty, 18}});
}

// --- serialising instructions

TEST(MachineDispatch, SerialisingInTheIcu) {
  // 0: add; it is complete at 2. 1: nothing. 2: isync. 3: b.
  timing({add(3, 1, 1), serial(Op::kSync), b()}, {{kStat_cycles, 4},
                                                  {kStat_dispatch_1, 3},
                                                  {kStat_dispatch_0, 1},
                                                  {kStat_held_sync, 1},
                                                  {kStat_fxu0, 1},
                                                  {kStat_fxu0_busy, 1},
                                                  {kStat_fxu_empty, 3},
                                                  {kStat_fpu_empty, 4}});
}

TEST(MachineDispatch, SerialisingInTheFxu) {
  // 0: mtmsr, begins at 1, complete at 2. 1: nothing. 2: b.
  timing({serial(Op::kSystem), b()}, {{kStat_cycles, 3},
                                      {kStat_dispatch_1, 2},
                                      {kStat_dispatch_0, 1},
                                      {kStat_held_sync, 1},
                                      {kStat_fxu0, 1},
                                      {kStat_fxu0_busy, 1},
                                      {kStat_fxu_empty, 2},
                                      {kStat_fpu_empty, 3}});
}

TEST(MachineDispatch, SerialisingWaitsForStoresToHaveTheirData) {
  // 0: fdiv stfd; f1 at 18, so the store has it. 1 to 17: nothing. 18: isync.
  timing({fdiv(1, 2, 3), stfd(1, 4), serial(Op::kSync)}, {{kStat_cycles, 19},
                                                          {kStat_dispatch_2, 1},
                                                          {kStat_dispatch_1, 1},
                                                          {kStat_dispatch_0, 17},
                                                          {kStat_held_sync, 17},
                                                          {kStat_fxu0, 1},
                                                          {kStat_fxu0_busy, 1},
                                                          {kStat_fxu_empty, 18},
                                                          {kStat_fpu0, 1},
                                                          {kStat_fpu0_busy, 17},
                                                          {kStat_fpu_empty, 18}});
}

}  // namespace
}  // namespace perfboard::p2
