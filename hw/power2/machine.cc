// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/power2/machine.h"

#include <algorithm>
#include <cstring>

#include "hw/power2/machine_c.h"
#include "hw/power2/pipeline_classes.h"

namespace perfboard::p2 {

void machine_run(const ModelInsn* insns, size_t n, MachineState* state, uint32_t counts[kStats]) {
  std::fill_n(counts, kStats, 0);
  const auto end_cycle = [&] {
    const unsigned dispatched = state->units + state->icu;
    counts[kStat_cycles]++;
    counts[kStat_dispatch_0 + std::min(dispatched, 4u)]++;
    state->units = state->icu = 0;
  };
  for (size_t i = 0; i < n; ++i) {
    const Plan p = plan_of(insns[i]);
    if (p.icu ? state->icu == 2 : state->units == 4) end_cycle();
    count_classes(insns[i], p, counts);
    (p.icu ? state->icu : state->units)++;
    if (insns[i].op == Op::kBranch) end_cycle();
  }
}

bool machine_state_ok(const MachineState& state) { return state.units <= 4 && state.icu <= 2; }

}  // namespace perfboard::p2

using namespace perfboard;

unsigned p2_machine_counts() { return p2::kStats; }
unsigned p2_machine_state_bytes() { return sizeof(p2::MachineState); }

void p2_machine_run(const void* insns, size_t n, void* state, uint32_t* counts) {
  p2::machine_run(static_cast<const ModelInsn*>(insns), n, static_cast<p2::MachineState*>(state), counts);
}
bool p2_machine_state_ok(const void* state) {
  return p2::machine_state_ok(*static_cast<const p2::MachineState*>(state));
}
bool p2_machine_imr_matches(const void* insn, uint32_t imr, bool power) {
  return p2::imr_matches(*static_cast<const ModelInsn*>(insn), imr, power);
}
