// SPDX-License-Identifier: GPL-2.0-or-later
//
// The two clocks, derived from virtual time, the Timestamp Counter, and the sixteen resource counters.
// Nothing is done at a clock edge: count() adds what each input has had since the last call. Whoever changes
// what a counter counts calls count() first.
#include <algorithm>

#include "hw/multikron/model.h"

namespace perfboard::mk {
namespace {

// Whole periods of a clock in ns; period is 0 if it is no whole number of ns.
uint64_t periods(uint64_t ns, uint32_t hz, uint32_t period) {
  if (period) return ns / period;
  return static_cast<uint64_t>(static_cast<unsigned __int128>(ns) * hz / kSecond);
}

uint16_t external_pins(const MkState& s) {
  uint16_t pins = 0;
  for (unsigned i = 0; i < MK_COUNTERS; ++i)
    if (!s.test_mode && s.enable >> i & 1 && input_of(s, i) == Input::kExternal) pins |= uint16_t(1u << i);
  return pins;
}

uint32_t sum(uint32_t count, uint64_t n) {
  return static_cast<uint32_t>(std::min<uint64_t>(UINT32_MAX, count + std::min<uint64_t>(n, UINT32_MAX)));
}

// Where the clocks are, and their edges since the counters were brought up to date.
struct Edges {
  uint64_t tick, cycle, slow, node;
};

Edges edges_since(const MkState& s, const Moment& t) {
  const uint32_t prescaler = s.csr & bits("CSR.SLOW10") ? 100 : 10;
  // An instruction may read a counter and then be given up (MOVS to a sample page): it is earlier again.
  const uint64_t tick = std::max(t.tick, s.counted_tick), cycle = std::max(t.cycle, s.counted_cycle);
  return {tick, cycle, tick / prescaler - s.counted_tick / prescaler, cycle - s.counted_cycle};
}

// What an enabled counter has had of a clock.
uint64_t of_clock(const MkState& s, unsigned counter, const Edges& edges) {
  const Input input = input_of(s, counter);
  return input == Input::kSlow ? edges.slow : input == Input::kNode ? edges.node : 0;
}

// From here on the counters of these pins count.
void start_from(MultiKron* m, uint16_t pins) {
  for (unsigned i = 0; m->config.external && i < MK_COUNTERS; ++i)
    if (pins >> i & 1) m->external_seen[i] = m->config.external(m->config.opaque, i);
}

}  // namespace

Moment moment(const MultiKron* m) { return moment_at(m, m->host.now(m->host.opaque)); }

Moment moment_since(const MultiKron* m, uint64_t reset_ns, uint64_t now) {
  const uint64_t ns = now - reset_ns;
  const uint64_t cycle = periods(ns, m->config.node_hz, m->node_ns);
  // With the usual clocks a tick is a whole number of cycles. The smaller number divides faster.
  if (m->node_ns && m->tick_ns && m->tick_ns % m->node_ns == 0)
    return {now, cycle, cycle / (m->tick_ns / m->node_ns)};
  return {now, cycle, periods(ns, m->config.timestamp_hz, m->tick_ns)};
}

uint64_t ns_of_cycle(const MultiKron* m, uint64_t cycle) {
  if (cycle == kNever) return PB_NEVER;
  if (m->node_ns) return m->state.reset_ns + cycle * m->node_ns;
  const auto ns =
      (static_cast<unsigned __int128>(cycle) * kSecond + m->config.node_hz - 1) / m->config.node_hz;
  return m->state.reset_ns + static_cast<uint64_t>(ns);
}

uint64_t timestamp(const MkState& s, const Moment& t) {
  const uint64_t counted = s.test_mode ? 0 : t.tick - s.timestamp_tick;
  return (s.timestamp + counted) & kTimestampMask;
}

void set_timestamp(MkState& s, const Moment& t, uint64_t value) {
  s.timestamp = value & kTimestampMask;
  s.timestamp_tick = t.tick;
}

Input input_of(const MkState& s, unsigned counter) {
  return static_cast<Input>((s.mux_sel >> (32 + counter) & 1) << 1 | (s.mux_sel >> counter & 1));
}

void add(MultiKron* m, unsigned counter, uint64_t n) {
  uint32_t& c = m->state.counter[counter];
  const bool was_full = c == UINT32_MAX;
  c = sum(c, n);
  if (c == UINT32_MAX && !was_full) tell_effect(m, effect("counter-full"), counter);
}

void count(MultiKron* m, const Moment& t) {
  MkState& s = m->state;
  const Edges edges = edges_since(s, t);
  s.counted_tick = edges.tick;
  s.counted_cycle = edges.cycle;
  if (s.test_mode) return;  // "normal incrementing of all counters is disabled" (appendix C)
  for (unsigned i = 0; i < MK_COUNTERS; ++i) {
    if (!(s.enable >> i & 1)) continue;
    if (input_of(s, i) != Input::kExternal) {
      add(m, i, of_clock(s, i, edges));
    } else if (m->config.external) {
      const uint64_t total = m->config.external(m->config.opaque, i);
      add(m, i, total - m->external_seen[i]);
      m->external_seen[i] = total;
    }
  }
}

uint32_t counter_at(const MkState& s, unsigned counter, const Moment& t) {
  const bool stands = s.test_mode || !(s.enable >> counter & 1);
  const uint64_t more = stands ? 0 : of_clock(s, counter, edges_since(s, t));
  return sum(s.counter[counter], more);
}

void copy_to_shadow(MkState& s) { std::copy(std::begin(s.counter), std::end(s.counter), s.shadow); }

void update_watch(MultiKron* m) {
  const uint16_t pins = external_pins(m->state);
  const uint16_t fresh = pins & ~m->watched;
  if (pins == m->watched) return;
  m->watched = pins;
  if (m->config.watch) m->config.watch(m->config.opaque, pins);
  start_from(m, fresh);
}

void rebase(MultiKron* m, uint16_t counters) {
  if (m->config.rebase) m->config.rebase(m->config.opaque, counters);
  start_from(m, counters & m->watched);
}

}  // namespace perfboard::mk
