// SPDX-License-Identifier: GPL-2.0-or-later
//
// The pipeline as plain data between two runs, and the doors for C.
#include "hw/power2/machine.h"

#include <algorithm>
#include <iterator>

#include "hw/power2/machine_c.h"
#include "hw/power2/pipeline.h"

namespace perfboard::p2 {
namespace {

// Whom a register's time is for: the ICU looks at it in the present cycle, the others in the next one at the
// earliest.
unsigned base_of(unsigned r) { return is_condition(r) || is_target(r) ? 0 : 1; }

// No run from an empty pipeline comes to the horizon; one from a damaged snapshot may.
uint8_t from(uint32_t base, uint32_t time) {
  return static_cast<uint8_t>(time <= base ? 0 : std::min(time - base, kHorizon));
}

// The first cycle in which an element could begin something.
uint32_t first_of(const UnitPair& u, unsigned element) { return u.next - (element == 1 && u.open); }

void load(UnitPair* u, const MachineUnit& m) {
  std::copy(std::begin(m.queue), std::end(m.queue), u->queue.begin());
  u->slow = m.slow;
  u->next = 1u + u->queue.back();
  u->open = m.open;
  for (unsigned e = 0; e < 2; ++e) u->free[e] = m.free[e] ? first_of(*u, e) + m.free[e] : 0;
}

// The cycles up to the present one are settled: what is dispatched in it begins in the next.
uint32_t settle(UnitPair* u, uint32_t now) {
  if (u->next > now + 1) return 0;
  const uint32_t empty = now + 1 - u->next;
  u->next = now + 1;
  u->open = false;
  return empty;
}

void save(const UnitPair& u, uint32_t now, MachineUnit* m) {
  for (unsigned i = 0; i < kQueue; ++i) m->queue[i] = from(now, u.queue[i]);
  m->slow = from(now, u.slow);
  m->open = u.open;
  for (unsigned e = 0; e < 2; ++e) m->free[e] = from(first_of(u, e), u.free[e]);
}

}  // namespace

Pipeline::Pipeline(const MachineState& state, uint32_t* counts)
    : counts_(counts), drain_(state.drain), units_(state.units), icu_(state.icu) {
  load(&fxu_, state.fxu);
  load(&fpu_, state.fpu);
  std::copy(std::begin(state.rename), std::end(state.rename), rename_.begin());
  for (unsigned i = 0; i < kStores; ++i) stores_[i] = state.stores[i] ? 1u + state.stores[i] : 0;
  for (unsigned r = 0; r < kModelRegisters; ++r) {
    ready_[r] = state.ready[r] ? base_of(r) + state.ready[r] : 0;
    maker_[r] = static_cast<Maker>(state.maker[r / 4] >> r % 4 * 2 & 3);
  }
}

void Pipeline::save(MachineState* state) {
  count(kStat_fxu_empty, settle(&fxu_, now_));
  count(kStat_fpu_empty, settle(&fpu_, now_));
  *state = {};
  state->units = static_cast<uint8_t>(units_);
  state->icu = static_cast<uint8_t>(icu_);
  state->drain = from(now_, drain_);
  p2::save(fxu_, now_, &state->fxu);
  p2::save(fpu_, now_, &state->fpu);
  for (unsigned i = 0; i < kRename; ++i) state->rename[i] = from(now_, rename_[i]);
  for (unsigned i = 0; i < kStores; ++i) state->stores[i] = from(now_ + 1, stores_[i]);
  for (unsigned r = 0; r < kModelRegisters; ++r) {
    state->ready[r] = from(now_ + base_of(r), ready_[r]);
    if (state->ready[r]) state->maker[r / 4] |= static_cast<uint8_t>(maker_[r] << r % 4 * 2);
  }
}

void machine_run(const ModelInsn* insns, size_t n, MachineState* state, uint32_t counts[kStats]) {
  std::fill_n(counts, kStats, 0);
  Pipeline p(*state, counts);
  for (size_t i = 0; i < n; ++i) p.dispatch(insns[i]);
  p.save(state);
}

}  // namespace perfboard::p2

using namespace perfboard;

unsigned p2_machine_counts() { return p2::kStats; }
unsigned p2_machine_insns() { return p2::kStat_insns; }
unsigned p2_machine_cycles() { return p2::kStat_cycles; }
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

uint32_t p2_machine_imr_of(const void* insn, bool power) {
  return p2::imr_of(*static_cast<const ModelInsn*>(insn), power);
}

// Whether a snapshot's MachineState is one that a run may have left. What passes can be run: no time in it is
// out of reach, and equal situations are equal bytes.

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
