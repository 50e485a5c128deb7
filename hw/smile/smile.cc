// SPDX-License-Identifier: GPL-2.0-or-later
//
// The C entry points (smile.h), but for smile_packet(); life and time.
#include "hw/smile/smile.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "hw/smile/daughter.h"
#include "hw/smile/model.h"

namespace perfboard::smile {
namespace {

uint64_t present(SmileHwm* m) {
  const uint64_t now = m->host.now(m->host.opaque);
  run_timer(m, now);
  return now;
}

}  // namespace

// What is worked out of the state.
void derive(SmileHwm* m) {
  const uint32_t entries = m->config.entries;
  m->all = entries == 64 ? UINT64_MAX : (uint64_t{1} << entries) - 1;
  m->free = m->all;
  for (uint32_t i = 0; i < entries; ++i)
    if (m->state.target.pair[i] & kValid) m->free &= ~(uint64_t{1} << i);
  m->wires = wires_of(m->state.target);
}

SmileTarget powered_on(uint8_t design) {
  SmileTarget t = {.design = design};
  t.rdp = static_cast<uint16_t>(at(kRegisters, "RDP").reset());
  t.wrp = static_cast<uint16_t>(at(kRegisters, "WRP").reset());
  t.timer_next = PB_NEVER;
  return t;
}

// monitor_reset of Fig. 3's listing. What it leaves is configuration.
void monitor_reset(SmileHwm* m) {
  const SmileTarget old = m->state.target;
  SmileTarget& t = m->state.target;
  t = powered_on(old.design);
  t.exchanged = old.exchanged;
  t.node = old.node;
  t.maxr = old.maxr;
  t.mask = old.mask;
  t.timer = old.timer;
  std::copy(std::begin(old.page), std::end(old.page), t.page);
  std::copy(std::begin(old.event), std::end(old.event), t.event);
  std::copy(std::begin(old.event_range), std::end(old.event_range), t.event_range);
  std::copy(&old.counter_event[0][0], &old.counter_event[0][0] + 3 * SMILE_STATIC_COUNTERS,
            &t.counter_event[0][0]);
  derive(m);
}

void arm_by(SmileHwm* m, uint64_t deadline) {
  if (deadline >= m->armed) return;
  m->armed = deadline;
  m->host.arm(m->host.opaque, deadline);
}

void settle(SmileHwm* m) {
  latch_interrupt(m);
  m->attention = false;
  card_interrupt(m);
  const uint64_t wanted =
      std::min({timer_deadline(m->state, m->wires), card_deadline(m), m->state.daughter.ready});
  if (wanted == m->armed) return;
  m->armed = wanted;
  m->host.arm(m->host.opaque, wanted);
}

}  // namespace perfboard::smile

using namespace perfboard::smile;

void smile_init(SmileHwm* m, const SmileConfig* config, const PbHost* host) {
  *m = {};
  m->config = *config;
  m->host = *host;
  m->armed = PB_NEVER;
  daughter_power_on(m);
  card_reset(m);
}

void smile_reset(SmileHwm* m) {
  card_reset(m);
  settle(m);
}

void smile_power_lost(SmileHwm* m) {
  xchecker_stop(m);
  daughter_clear(m);
  smile_reset(m);
}

void smile_set_design(SmileHwm* m, enum smile_design design) {
  m->state.target = powered_on(design);
  derive(m);
  card_reconfigured(m);
}

void smile_set_cable(SmileHwm* m, bool plugged) { m->cable = plugged; }

uint32_t smile_read(SmileHwm* m, uint32_t offset, uint32_t size) {
  const uint32_t value = perfboard::smile::read(m, present(m), offset, size);
  settle(m);
  return value;
}

void smile_write(SmileHwm* m, uint32_t offset, uint32_t size, uint32_t value) {
  perfboard::smile::write(m, present(m), offset, size, value);
  settle(m);
}

bool smile_ends_counting(uint64_t offset, uint32_t size) {
  constexpr uint64_t kMcr = SMILE_TARGET_BASE + at(kRegisters, "MCR").offset;
  return offset < kMcr + 4 && offset + size > kMcr;
}

void smile_timer(SmileHwm* m) {
  m->armed = PB_NEVER;
  const uint64_t now = present(m);
  card_timer(m, now);
  xchecker_timer(m, now);
  settle(m);
}

void smile_pre_save(SmileHwm* m) {
  present(m);
  settle(m);
}

bool smile_load(SmileHwm* m, const SmileState* image, char* why, uint32_t why_size) {
  const bool ok = smile_state_ok(m, image, why, why_size);
  if (ok) {
    m->state = *image;
    derive(m);
  } else {
    m->state.inject = {};
    daughter_power_on(m);
    card_reset(m);
  }
  // Told even if nothing has changed: while a snapshot is loaded the bus has the snapshot's level of the
  // line.
  m->armed = PB_NEVER;
  m->host.arm(m->host.opaque, PB_NEVER);
  settle(m);
  return ok;
}

bool smile_config_ok(const SmileConfig* c, char* why, uint32_t size) {
  const auto ok = [&](const char* name, uint32_t value, uint32_t low, uint32_t high) {
    if (value >= low && value <= high) return true;
    std::snprintf(why, size, "%s=%u: legal are %u to %u", name, value, low, high);
    return false;
  };
  return ok("entries", c->entries, SMILE_MIN_ENTRIES, SMILE_MAX_ENTRIES) &&
         ok("queue", c->queue, 0, SMILE_MAX_QUEUE) && ok("node", c->node, 0, SCI_MAX_NODES - 1) &&
         ok("cclk", c->cclk, SMILE_MIN_CCLK, SMILE_MAX_CCLK) &&
         (!c->xchecker_rate ||
          ok("xchecker-rate", c->xchecker_rate, SMILE_MIN_XCHECKER_RATE, SMILE_MAX_XCHECKER_RATE));
}
