// SPDX-License-Identifier: GPL-2.0-or-later
//
// Entry points other than packets and the wire: power, resets, EISA slot I/O, snapshots.
#include "hw/surfboard/surfboard.h"

#include <algorithm>

#include "hw/model/bank.h"
#include "hw/surfboard/has.h"
#include "hw/surfboard/model.h"

namespace perfboard::surf {
namespace {

SurfState power_on_state() {
  SurfState s{};
  s.acdr = kShiftRegister[0].reset();
  s.htcr = at(kRegisters, "HTCR").reset();
  has_power_on(&s.has);
  fifo_reset(s.fifo);
  s.ext_high = 1;
  s.lines.armed = PB_NEVER;
  return s;
}

}  // namespace
}  // namespace perfboard::surf

using namespace perfboard::surf;
using perfboard::Lanes;

void surf_init(SurfBoard* b, const SurfConfig* config, const PbHost* host) {
  b->config = *config;
  b->host = *host;
  b->state = power_on_state();
  b->state.led_reset_until_ns = host->now(host->opaque) + kLedFlashNs;
}

// The wire's level and the backplane's clock are not the board's own: they stay as they are.
void surf_power_on(SurfBoard* b) {
  SurfState& s = b->state;
  const uint64_t now = b->host.now(b->host.opaque);
  const SurfState before = s;
  // Told even if it is down: while a snapshot is loaded the bus has the snapshot's level of the line.
  b->host.set_irq(b->host.opaque, false);
  b->host.arm(b->host.opaque, PB_NEVER);
  s = power_on_state();
  s.ext_high = before.ext_high;
  s.clock_base_ns = std::min(before.clock_base_ns, static_cast<int64_t>(now));
  s.led_reset_until_ns = now + kLedFlashNs;
  s.lines.ext_low = before.lines.ext_low;
  s.lines.memory_free = before.lines.memory_free;
  b->config.remap(b->config.opaque);
  settle(b, now);
}

// A.9.1: ENABLE is cleared, hence IEMR; and the pipeline is reset (p. 59). INFERRED: nothing else.
void surf_bus_reset(SurfBoard* b) {
  SurfState& s = b->state;
  const uint64_t now = present(b);
  pipeline_reset(s);
  set_ebcr(b, s.ebcr & ~bits("EBCR.ENABLE"), now);
  s.led_reset_until_ns = now + kLedFlashNs;
  settle(b, now);
}

uint32_t surf_io_read(SurfBoard* b, uint32_t offset, uint32_t size) {
  SurfState& s = b->state;
  const uint64_t now = present(b);
  flash_access(s, now);
  uint32_t value = 0;
  for (uint32_t i = 0; i < size && i < 4; ++i) {
    const Part p = {.place = place_at(kSlotWindow, offset + i)};
    const uint32_t byte = p.place.reg ? value_at(kBehaviours, b, s, p) >> 8 * p.place.byte & 0xff : 0xff;
    value |= byte << (8 * i);
  }
  return value;
}

void surf_io_write(SurfBoard* b, uint32_t offset, uint32_t value, uint32_t size) {
  SurfState& s = b->state;
  Part ebcr = {.place = {.reg = &kSlotRegisters[1]}, .lanes = Lanes::of(0, 4), .now = present(b)};
  flash_access(s, ebcr.now);
  uint32_t fresh = s.ebcr;
  for (uint32_t i = 0; i < size && i < 4; ++i) {
    const perfboard::Place p = place_at(kSlotWindow, offset + i);
    // EPIR ignores writes: some systems write to it before they read (hw/qemu/README.md, facts).
    if (p.reg == ebcr.place.reg)
      fresh = perfboard::bank_write(*p.reg, fresh, Lanes::of(p.byte, 1), value >> (8 * i) & 0xff);
  }
  write_at(kBehaviours, b, s, ebcr, fresh);
  settle(b, ebcr.now);
}

void surf_packet(SurfBoard* b, const ShrimpPacket* p) {
  const uint64_t now = b->host.now(b->host.opaque);
  advance(b, now);
  pipeline_accept(b, *p);
  advance(b, now);  // a packet that is handed over late may be done by now
  settle(b, now);
}

void surf_catch_up(SurfBoard* b) { present(b); }

void surf_timer(SurfBoard* b) {
  b->state.lines.armed = PB_NEVER;
  present(b);
}

void surf_set_receive_time(SurfBoard* b, uint64_t ticks) {
  const uint64_t now = present(b);
  b->state.clock_base_ns = static_cast<int64_t>(now) - static_cast<int64_t>((ticks & kTimeMask) * kTickNs);
  settle(b, now);
}

void surf_global_reset(SurfBoard* b) {
  const uint64_t now = present(b);
  b->state.clock_base_ns = static_cast<int64_t>(now);
  b->state.iscr &= ~bits("ISCR.RTV");
  perfboard::tell_effect(b, effect("clock-reset"));
  settle(b, now);
}

uint64_t surf_receive_time(SurfBoard* b) {
  const uint64_t now = present(b);
  return receive_ticks(b->state, now) & kTimeMask;
}

// The interrupt line is still as it was before the load, so the board drives it again.
void surf_post_load(SurfBoard* b) {
  SurfState& s = b->state;
  s.lines = SurfLines{};
  s.lines.armed = PB_NEVER;
  s.lines.irq = irq_wanted(s);
  b->host.arm(b->host.opaque, PB_NEVER);
  b->config.remap(b->config.opaque);
  b->config.watch_memory(b->config.opaque, true);
  b->host.set_irq(b->host.opaque, s.lines.irq);
  ext_restore(b);
  settle_machine(b, b->host.now(b->host.opaque));
}

bool surf_load(SurfBoard* b, const SurfState* image, char* why, uint32_t why_size) {
  if (!surf_state_ok(b, image, why, why_size)) {
    surf_power_on(b);
    return false;
  }
  b->state = *image;
  surf_post_load(b);
  return true;
}

bool surf_enabled(const SurfBoard* b) { return enabled(b->state); }

uint32_t surf_window_registers(const SurfBoard* b) { return b->state.ebcr & bits("EBCR.RBASE"); }

uint32_t surf_window_memory(const SurfBoard* b) {
  constexpr const perfboard::Field& mbase = field("EBCR.MBASE");
  return mbase.get(b->state.ebcr) << 27;
}
