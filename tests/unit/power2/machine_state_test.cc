// SPDX-License-Identifier: GPL-2.0-or-later
//
// The pipeline as plain data: what a snapshot may hold, and that what passes can be run. C's doors.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "hw/power2/machine_c.h"
#include "tests/unit/power2/machine_programs.h"

namespace perfboard::p2 {
namespace {

// A pipeline with something everywhere: a divide before its users, stores without data, a full queue.
MachineState busy() {
  MachineState state{};
  Counts counts;
  const Program program = {fdiv(6, 2, 3), fdiv(7, 2, 3), fdiv(1, 2, 3), stfd(1, 4),
                           divw(3, 1, 1), add(4, 3, 3),  lmw(8, 4),     fadd(2, 1, 1),
                           lfd(5, 4),     stfd(2, 4),    mtctr(4),      cmpw(0, 4, 4)};
  machine_run(program.data(), program.size(), &state, counts.data());
  return state;
}

TEST(MachineStateOk, TakesWhatRunsLeave) {
  EXPECT_TRUE(machine_state_ok({}));
  const MachineState state = busy();
  EXPECT_TRUE(machine_state_ok(state));
  EXPECT_NE(state.units, 0);
  EXPECT_NE(state.fxu.queue[0] + state.fxu.queue[kQueue - 1], 0);
  EXPECT_NE(state.fpu.slow, 0);
  EXPECT_NE(state.stores[kStores - 1], 0);
  EXPECT_NE(state.rename[kRename - 1], 0);
}

TEST(MachineStateOk, RefusesWhatNoRunLeaves) {
  const struct {
    const char* what;
    std::function<void(MachineState*)> damage;
  } all[] = {
      {"five to the units", [](MachineState* s) { s->units = 5; }},
      {"three in the ICU", [](MachineState* s) { s->icu = 3; }},
      {"drain out of reach", [](MachineState* s) { s->drain = 201; }},
      {"a queue that is not in order", [](MachineState* s) { s->fxu.queue[0] = 200; }},
      {"a queue out of reach", [](MachineState* s) { s->fpu.queue[kQueue - 1] = 201; }},
      {"a long one behind the last", [](MachineState* s) { s->fpu.slow = s->fpu.queue[kQueue - 1] + 1; }},
      {"first element busy out of reach", [](MachineState* s) { s->fxu.free[0] = 201; }},
      {"second element busy out of reach", [](MachineState* s) { s->fpu.free[1] = 201; }},
      {"open, and nothing begins", [](MachineState* s) { s->fpu = {}, s->fpu.open = 1; }},
      {"open, no truth value", [](MachineState* s) { s->fxu.open = 2; }},
      {"registers to rename to, not in order", [](MachineState* s) { s->rename[0] = 200; }},
      {"registers to rename to, out of reach", [](MachineState* s) { s->rename[kRename - 1] = 255; }},
      {"stores, not in order", [](MachineState* s) { s->stores[0] = 200; }},
      {"stores out of reach", [](MachineState* s) { s->stores[kStores - 1] = 255; }},
      {"a value out of reach", [](MachineState* s) { s->ready[kModelRegisters - 1] = 201; }},
      {"a maker of what is there", [](MachineState* s) { s->ready[9] = 0, s->maker[2] |= 3 << 2; }},
      {"a maker of no register", [](MachineState* s) { s->maker[kModelRegisters / 4] |= 3 << 6; }},
  };
  for (const auto& [what, damage] : all) {
    MachineState state = busy();
    damage(&state);
    EXPECT_FALSE(machine_state_ok(state)) << what;
  }
}

TEST(MachineStateOk, AnEmptyPipelineEmptiesItself) {
  // A serialising instruction waits for everything: nothing of what was before is left but the drain of
  // itself.
  MachineState state = busy();
  Counts counts;
  const Program program = {serial(Op::kSync)};
  machine_run(program.data(), program.size(), &state, counts.data());
  const MachineState empty{};
  EXPECT_EQ(std::memcmp(&state, &empty, sizeof state), 0);
}

TEST(MachineC, IsTheSame) {
  ASSERT_EQ(p2_machine_counts(), kStats);
  ASSERT_EQ(p2_machine_state_bytes(), sizeof(MachineState));
  const Program program = {add(3, 4, 5), lwz(6, 3), b()};
  MachineState state{}, c_state{};
  Counts counts, c_counts;
  machine_run(program.data(), program.size(), &state, counts.data());
  p2_machine_run(program.data(), program.size(), &c_state, c_counts.data());
  EXPECT_EQ(counts, c_counts);
  EXPECT_EQ(std::memcmp(&state, &c_state, sizeof state), 0);
  EXPECT_TRUE(p2_machine_state_ok(&state));
  state.units = 9;
  EXPECT_FALSE(p2_machine_state_ok(&state));
  ModelInsn i;
  i.opcode = 0x7c642a14;
  EXPECT_TRUE(p2_machine_imr_matches(&i, 0x7cc74215, true));
  EXPECT_FALSE(p2_machine_imr_matches(&i, 0x7cc74215, false));
}

}  // namespace
}  // namespace perfboard::p2
