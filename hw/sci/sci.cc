// SPDX-License-Identifier: GPL-2.0-or-later
//
// The life of the adapters: configuration, reset, snapshots.
#include "hw/sci/sci.h"

#include <bit>
#include <cinttypes>
#include <cstdio>

#include "hw/sci/model.h"

using namespace perfboard::sci;

bool sci_config_ok(const SciConfig* c, char* why, size_t size) {
  if (c->nodes < 1 || c->nodes > SCI_MAX_NODES)
    std::snprintf(why, size, "nodes=%u: legal are 1 to %u", c->nodes, SCI_MAX_NODES);
  else if (!std::has_single_bit(c->size) || c->size < SCI_LEAST_SIZE || c->size > SCI_MOST_SIZE)
    std::snprintf(why, size, "size=%" PRIu64 ": legal are powers of two from %u to %" PRIu64 " bytes",
                  c->size, SCI_LEAST_SIZE, SCI_MOST_SIZE);
  else if (c->ringlet < SCI_LEAST_RINGLET || c->ringlet > SCI_MOST_RINGLET)
    std::snprintf(why, size, "ringlet=%u: legal are %u to %u nodes", c->ringlet, SCI_LEAST_RINGLET,
                  SCI_MOST_RINGLET);
  else if (c->wc_buffers > SCI_MAX_BUFFERS)
    std::snprintf(why, size, "wc-buffers=%u: legal are 0 to %u", c->wc_buffers, SCI_MAX_BUFFERS);
  else if (c->cluster && c->node >= c->nodes)
    std::snprintf(why, size, "node=%u: legal are 0 to %u", c->node, c->nodes - 1);
  else if (c->cable_ns > SCI_CABLE_MOST)
    std::snprintf(why, size, "cable=%u: legal are 0 to %u ns", c->cable_ns, SCI_CABLE_MOST);
  else
    return true;
  return false;
}

void sci_init(SciAdapter* a, const SciConfig* config, const PbHost* host) {
  *a = {};
  a->config = *config;
  a->host = *host;
  a->fabric = &kSciRing;
  a->derived.armed = PB_NEVER;
  a->derived.wanted = UINT64_MAX;
  find_flights(a);
  work_out_empty_ring(a);
}

// What is on its way is lost; but no other machine waits for this one.
void sci_reset(SciAdapter* a) {
  sci_tell_due(a);
  if (a->config.cluster) let_go(a, a->host.now(a->host.opaque));
  const SciInject inject = a->state.inject;
  a->state = {};
  a->state.inject = inject;
  a->derived.filled = 0;
  find_flights(a);
}

void sci_want_packets(SciAdapter* a, uint64_t nodes) { a->derived.wanted = nodes; }

void sci_want_payload(SciAdapter* a, bool on) { a->derived.payload = on; }

bool sci_enabled(const SciAdapter* a) { return a->state.enabled; }

bool sci_load(SciAdapter* a, const SciState* image, char* why, uint32_t why_size) {
  const bool ok = sci_state_ok(a, image, why, why_size);
  a->state = ok ? *image : SciState{};
  a->derived.filled = filled(a->state);
  find_flights(a);
  return ok;
}

// Errors on purpose: transactions that the ring loses, delivers late, or damages. All nodes' are taken in the
// order in which they are made. A transaction that is given up (an access that is never made again) takes its
// fate along.
//
// What the memories hold is right all the same: they are one memory, and the packets only tell of it.

namespace perfboard::sci {
namespace {

bool taken(uint32_t& count) { return count && count--; }

}  // namespace

Fate next_fate(SciAdapter* a) {
  SciInject& i = a->state.inject;
  if (i.stop || taken(i.drop)) return Fate::kLost;
  if (taken(i.late)) return Fate::kLate;
  return taken(i.damage) ? Fate::kDamaged : Fate::kPasses;
}

}  // namespace perfboard::sci

using namespace perfboard::sci;

uint64_t sci_injected(const SciAdapter* a, unsigned which) {
  return injected_in(&a->state.inject, kInjections[which]).value_or(0);
}

void sci_inject(SciAdapter* a, unsigned which, uint64_t value) {
  inject_in(&a->state.inject, kInjections[which], value);
}
