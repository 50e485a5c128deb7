// SPDX-License-Identifier: GPL-2.0-or-later
//
// The two clocks, derived from virtual time, and the Timestamp Counter.
#include "hw/multikron/model.h"

namespace perfboard::mk {
namespace {

// Whole periods of a clock in ns; period is 0 if it is no whole number of ns.
uint64_t periods(uint64_t ns, uint32_t hz, uint32_t period) {
  if (period) return ns / period;
  return static_cast<uint64_t>(static_cast<unsigned __int128>(ns) * hz / kSecond);
}

}  // namespace

Moment moment(const MultiKron* m) { return moment_at(m, m->host.now(m->host.opaque)); }

Moment moment_at(const MultiKron* m, uint64_t now) {
  const uint64_t ns = now - m->state.reset_ns;
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

}  // namespace perfboard::mk
