// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a snapshot's MachineState is one that a run may have left. What passes can be run: no time in it is
// out of reach, and equal situations are equal bytes.
#include <algorithm>

#include "hw/power2/pipeline.h"

namespace perfboard::p2 {
namespace {

template <size_t N>
bool fifo_ok(const uint8_t (&times)[N]) {
  return std::is_sorted(times, times + N) && times[N - 1] <= kHorizon;
}

bool unit_ok(const MachineUnit& u) {
  const auto& [queue, slow, free, open] = u;
  const uint8_t last = queue[kQueue - 1];
  return fifo_ok(queue) && slow <= last && free[0] <= kHorizon && free[1] <= kHorizon && open <= (last != 0);
}

}  // namespace

bool machine_state_ok(const MachineState& state) {
  const auto& [units, icu, drain, fxu, fpu, rename, stores, ready, maker] = state;
  if (units > kDispatchUnits || icu > kDispatchIcu || drain > kHorizon) return false;
  if (!unit_ok(fxu) || !unit_ok(fpu) || !fifo_ok(rename) || !fifo_ok(stores)) return false;
  for (unsigned r = 0; r < sizeof maker * 4; ++r) {
    const unsigned time = r < kModelRegisters ? ready[r] : 0;
    if (time > kHorizon || (time == 0 && maker[r / 4] >> r % 4 * 2 & 3)) return false;
  }
  return true;
}

}  // namespace perfboard::p2
