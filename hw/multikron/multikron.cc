// SPDX-License-Identifier: GPL-2.0-or-later
//
// The C entry points (multikron.h): present, work, settle.
#include "hw/multikron/multikron.h"

#include <cstdio>

#include "hw/multikron/model.h"

using namespace perfboard::mk;
using perfboard::log_mistake;
using perfboard::tell_effect;

namespace {

constexpr uint16_t kAllCounters = 0xffff;

uint32_t whole_period(uint32_t hz) { return kSecond % hz == 0 ? static_cast<uint32_t>(kSecond / hz) : 0; }

// What is no part of the chip: pins that somebody drives, and errors on purpose. No reset ends it.
MkState outside(const MkState& s) {
  return {
      .test_mode = s.test_mode,
      .external_free = s.external_free,
      .net_stopped = s.net_stopped,
      .to_lose = s.to_lose,
      .to_damage = s.to_damage,
      .to_leave_open = s.to_leave_open,
  };
}

}  // namespace

namespace perfboard::mk {

// What stays: the Timestamp and the clocks, which only a hardware reset resets; the pins; and the external
// FIFO, which is not in the chip.
void software_reset(MultiKron* m, const Moment& t) {
  const MkState& old = m->state;
  MkState fresh = outside(old);
  fresh.reset_ns = old.reset_ns;
  fresh.timestamp = old.timestamp;
  fresh.timestamp_tick = old.timestamp_tick;
  fresh.counted_cycle = t.cycle;
  fresh.counted_tick = t.tick;
  fresh.next_edge = old.next_edge;
  fresh.external_count = old.external_count;
  fresh.external_cycle = old.external_cycle;
  m->state = fresh;
  restart_output(m, t);
  update_watch(m);
  rebase(m, kAllCounters);
  push_event(m, MK_EVENT_SOFTWARE_RESET);
  tell_effect(m, effect("software-reset"));
  hand_over(m);
}

}  // namespace perfboard::mk

void mk_init(MultiKron* m, const MkConfig* config, const PbHost* host) {
  *m = {};
  m->config = *config;
  m->host = *host;
  m->node_ns = whole_period(config->node_hz);
  m->tick_ns = whole_period(config->timestamp_hz);
  m->state.reset_ns = host->now(host->opaque);
  m->state.external_free = 1;
}

void mk_hardware_reset(MultiKron* m) {
  const Moment t = present(m);
  const bool waited = m->state.waiting;
  m->state = outside(m->state);
  m->state.reset_ns = t.ns;
  update_watch(m);
  rebase(m, kAllCounters);
  push_event(m, MK_EVENT_HARDWARE_RESET);
  hand_over(m);
  m->release_cycle = 0;
  if (waited) m->config.release_at(m->config.opaque, t.ns);
}

void mk_external_edges(MultiKron* m, unsigned pin, uint32_t edges) {
  if (m->watched >> pin & 1) add(m, pin, edges);
}

void mk_set_test_mode(MultiKron* m, bool on) {
  MkState& s = m->state;
  const Moment t = present(m);
  count(m, t);
  set_timestamp(s, t, timestamp(s, t));
  const bool could_hold = can_hold_for_ever(s);
  s.test_mode = on;
  warn_of_hold(m, could_hold);
  restart_output(m, t);
  update_watch(m);
  settle(m, t);
}

void mk_set_external_free(MultiKron* m, bool high) {
  const Moment t = moment(m);
  advance_free(m, t, high);
  settle(m, t);
}

void mk_timer(MultiKron* m) {
  m->armed = false;
  const Moment t = present(m);
  hand_over(m);
  settle(m, t);
}

void mk_advance(MultiKron* m) { present(m); }

void mk_catch_up(MultiKron* m) {
  const Moment t = present(m);
  hand_over(m);
  settle(m, t);
}

void mk_pre_save(MultiKron* m) {
  const Moment t = present(m);
  count(m, t);  // the inputs' totals are the process's own: the snapshot holds only the counters
  hand_over(m);
}

// While a snapshot is loaded time may have gone back, so the chip is not brought to the present first.
void mk_power_on(MultiKron* m) {
  const MkState old = m->state;
  hand_over(m);
  m->state = {
      .reset_ns = m->host.now(m->host.opaque),
      .test_mode = old.test_mode,
      .external_free = old.external_free,
  };
  m->host.arm(m->host.opaque, PB_NEVER);
  mk_post_load(m);
  if (old.waiting) m->config.release_at(m->config.opaque, m->state.reset_ns);
}

bool mk_load(MultiKron* m, const MkState* image, char* why, uint32_t why_size) {
  if (!mk_state_ok(m, image, why, why_size)) {
    mk_power_on(m);
    push_event(m, MK_EVENT_HARDWARE_RESET);
    hand_over(m);
    return false;
  }
  m->state = *image;
  mk_post_load(m);
  return true;
}

void mk_post_load(MultiKron* m) {
  m->pending_count = 0;
  m->armed = false;
  m->release_cycle = 0;
  m->watched = 0;
  if (m->config.watch) m->config.watch(m->config.opaque, 0);
  rebase(m, kAllCounters);
  update_watch(m);
  settle(m, moment(m));
}

bool mk_config_ok(const MkConfig* c, char* why, size_t size) {
  constexpr uint32_t kLeast = 1000, kMost = 1'000'000'000;
  if (c->node_hz < kLeast || c->node_hz > kMost)
    std::snprintf(why, size, "node-clock=%u: legal are %u to %u Hz", c->node_hz, kLeast, kMost);
  else if (c->timestamp_hz == 0 || c->timestamp_hz > c->node_hz / 3)
    std::snprintf(why, size, "timestamp-clock=%u: legal are 1 to %u Hz, a third of node-clock",
                  c->timestamp_hz, c->node_hz / 3);
  else if (c->fifo_depth < 1 || c->fifo_depth > MK_FIFO_MAX)
    std::snprintf(why, size, "fifo-depth=%u: legal are 1 to %u samples", c->fifo_depth, MK_FIFO_MAX);
  else if (c->wait_states > 3)
    std::snprintf(why, size, "wait-states=%u: legal are 0 to 3", c->wait_states);
  else if (c->free == MK_FREE_FIFO && c->free_bytes < 1)
    std::snprintf(why, size, "free-size=%u: legal are 1 byte and more", c->free_bytes);
  else
    return true;
  return false;
}

// Errors on purpose (view.h lists them).

void mk_inject(MultiKron* m, unsigned which, uint64_t value) {
  MkState& s = m->state;
  const Moment t = moment(m);
  advance(m, t);
  if (inject_in(&s, kInjections[which], value)) {
    if (which == injection("inject-net-stop")) restart_output(m, t);
  } else {
    count(m, t);
    if (which == injection("inject-flip"))
      s.counter[value / 32 % MK_COUNTERS] ^= uint32_t{1} << value % 32;
    else  // inject-saturate
      for (unsigned i = 0; i < MK_COUNTERS; ++i)
        if (value >> i & 1) add(m, i, UINT32_MAX);
  }
  settle(m, t);
}

uint64_t mk_injected(const MultiKron* m, unsigned which) {
  return injected_in(&m->state, kInjections[which]).value_or(0);
}
