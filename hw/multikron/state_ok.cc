// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whether a snapshot's MkState is one that the chip can be in.
//
// What is checked here is what the other files rely on. Every legal operation leads from a state that
// passes to one that passes (tests/fuzz/state_bench.h), so a state that passes stays inside its buffers.
#include "hw/core/state_check.h"
#include "hw/multikron/model.h"

namespace perfboard::mk {
namespace {

constexpr uint64_t kTimestampBits = (uint64_t{1} << 56) - 1;
constexpr uint64_t kTestBits = uint64_t{at(kRegisters, "TEST_H").mask(Access::rw)} << 32 | UINT32_MAX;
constexpr uint64_t kMuxSelBits = uint64_t{bits("MUXSEL_H.MSB")} << 32 | bits("MUXSEL.LSB");
constexpr uint32_t kCsrBits = bits("CSR.SE") | bits("CSR.WWAIT") | bits("CSR.RWAIT") | bits("CSR.SLOW10");

// As moment(), for another time and a reset at another time.
Moment moment_since(const MultiKron* m, uint64_t reset_ns, uint64_t now) {
  const auto periods = [&](uint32_t hz) {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(now - reset_ns) * hz / 1'000'000'000);
  };
  return {now, periods(m->config.node_hz), periods(m->config.timestamp_hz)};
}

}  // namespace
}  // namespace perfboard::mk

using namespace perfboard::mk;

bool mk_state_ok(const MultiKron* m, const MkState* image, char* why, uint32_t why_size) {
  const MkConfig& config = m->config;
  // Every member, by name: a new one does not compile until somebody has said here what is legal.
  const auto& [reset_ns, timestamp, timestamp_tick, csr, filter, wait_count, overrun_count, mux_sel, test,
               source, enable, fifo_overrun, shadow_overrun, test_mode, counted_cycle, counted_tick, counter,
               shadow, shadow_busy, right_half, fifo, head, count, sent, next_edge, external_free,
               external_count, external_cycle, waiting, wait_slot, wait_shadow, wait_cycle, net_stopped,
               to_lose, to_damage, to_leave_open] = *image;
  perfboard::StateCheck check(why, why_size);
  check.any(wait_count, overrun_count, source, enable, counter, shadow, to_lose, to_damage, to_leave_open);
  check.bits("timestamp", timestamp, kTimestampBits);
  check.bits("csr", csr, kCsrBits);
  check.bits("filter", filter, bits("FILTER.LEVEL"));
  check.bits("mux_sel", mux_sel, kMuxSelBits);
  check.bits("test", test, kTestBits);
  check.flag("fifo_overrun", fifo_overrun);
  check.flag("shadow_overrun", shadow_overrun);
  check.flag("test_mode", test_mode);
  check.flag("shadow_busy", shadow_busy);
  check.flag("external_free", external_free);
  for (int i = 0; i <= MK_SOURCES; ++i) check.in("right_half", right_half[i], 0, MK_COUNTERS, i);
  check.flag("waiting", waiting);
  check.flag("net_stopped", net_stopped);
  check.flag("wait_slot", wait_slot);
  check.flag("wait_shadow", wait_shadow);
  check.that(!waiting || wait_slot || wait_shadow, "waiting", waiting,
             "legal is 0 without wait_slot or wait_shadow");

  // Nothing has happened later than now; or a little later, because an access that the chip delays is
  // given up, and with it the time of its instruction.
  const uint64_t now = m->host.now(m->host.opaque);
  check.in("reset_ns", reset_ns, 0, now);
  if (!check.ok()) return false;
  const Moment t = moment_since(m, reset_ns, now + perfboard::kSoonNs);
  check.in("timestamp_tick", timestamp_tick, 0, t.tick);
  check.in("counted_cycle", counted_cycle, 0, t.cycle);
  check.in("counted_tick", counted_tick, 0, t.tick);
  check.in("wait_cycle", wait_cycle, 0, t.cycle);

  for (int i = 0; i < MK_FIFO_MAX; ++i) {
    check.part("fifo", i);
    const auto& [high, low, resource, damage] = fifo[i];
    check.any(high, low);
    check.flag("resource", resource);
    check.in("damage", damage, 0, MK_DAMAGE_BIT | MK_DAMAGE_OPEN);
  }
  check.part(nullptr);
  check.in("head", head, 0, MK_FIFO_MAX - 1);
  check.in("count", count, 0, config.fifo_depth);
  if (!check.ok()) return false;
  // All of a sample's elements sent would be no sample any more.
  check.in("sent", sent, 0, !count ? 0 : (fifo[head].resource ? MK_RESOURCE_BYTES : MK_TRACE_BYTES) - 1);
  check.in("next_edge", next_edge, count ? 2 : 0, t.cycle + 2);
  check.that(next_edge % 2 == 0, "next_edge", next_edge, "legal are edges of the network clock: even");
  const bool external = config.free == MK_FREE_FIFO;
  check.in("external_count", external_count, 0, external ? config.free_bytes : 0);
  check.in("external_cycle", external_cycle, 0, external ? next_edge : 0);
  return check.ok();
}
