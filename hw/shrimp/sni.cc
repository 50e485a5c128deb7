// SPDX-License-Identifier: GPL-2.0-or-later
//
// The board as a whole: life cycle, clock, interrupt line, timer, deliveries.
#include "hw/shrimp/sni.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <tuple>

#include "hw/model/state_check.h"
#include "hw/shrimp/fabric.h"
#include "hw/shrimp/pipeline.h"
#include "hw/shrimp/timing.h"

namespace perfboard::sni {
namespace {

// What no reset clears: the clock is the backplane's.
auto kept(SniState& s) { return std::tie(s.clock_base, s.clock_start, s.armed, s.injected, s.irq); }

// Packets on their way to and from other nodes, which get credits for theirs and give some for ours. The
// packets themselves are in flight[], which lies behind what is cleared.
auto under_way(SniState& s) {
  return std::tie(s.link_free, s.credits_used, s.credit_at, s.popped, s.done, s.granted, s.arrived,
                  s.any_before, s.last_start, s.last_end, s.last_landed);
}

template <typename... T>
std::tuple<T...> values(const std::tuple<T&...>& references) {
  return references;
}

void clear(SniBoard& b) {
  SniState& s = b.state;
  const bool alone = is_loopback(b.config);
  const auto was_kept = values(kept(s));
  const auto was_under_way = values(under_way(s));
  static_assert(offsetof(SniState, flight) < offsetof(SniState, mesh), "the mesh is the backplane's, too");
  // Not = {}: a temporary of this size is no good on a stack.
  std::memset(&s, 0, alone ? offsetof(SniState, mesh) : offsetof(SniState, flight));
  s.now = b.host.now(b.host.opaque);
  kept(s) = was_kept;
  if (!alone) {
    under_way(s) = was_under_way;
    for (uint32_t n = s.popped; n != s.granted; n++)
      s.flight[n % SNI_FLIGHTS].entry &= uint16_t(~bit::kValid);
  }
  s.scr = at(kRegisters, "SCR").reset();
  s.ctor = at(kRegisters, "CTOR").reset();
  s.fhwm = b.config.fifo_words - b.config.fifo_words / 8;
  s.flwm = b.config.fifo_words / 8;
  for (SniLatency& l : s.latency) l.min = UINT32_MAX;
}

void reset(SniBoard& b, bool has_bus) {
  clear(b);
  if (has_bus) {  // the others cannot have had it before
    b.state.any_before = 1;
    b.state.last_landed = b.state.now;
  }
  if (b.config.remap) b.config.remap(b.config.opaque);
  if (b.config.observe) b.config.observe(b.config.opaque, 0, SNI_PAGES);
  // Told even if it is down: while a snapshot is loaded the bus has the snapshot's level of the line.
  b.state.irq = 0;
  b.host.set_irq(b.host.opaque, false);
  b.state.armed = PB_NEVER;
  b.host.arm(b.host.opaque, PB_NEVER);
  bus_changed(b);
}

bool irq_wanted(const SniState& s) {
  return (s.sisr & s.sier) && (s.sbcr & bit::kEnable) && kIrqOfLevel[s.sbcr >> 8 & 7] != 0;
}

void join_bus(SniBoard& b) {
  SniBus& bus = *b.config.bus;
  uint32_t i = bus.boards++;
  for (; i && bus.board[i - 1]->config.slot > b.config.slot; i--) bus.board[i] = bus.board[i - 1];
  bus.board[i] = &b;
}

uint32_t saturated(uint64_t v) { return uint32_t(std::min<uint64_t>(v, UINT32_MAX)); }

// A packet's page and sender, as RXPG and RXEP hold them.
uint32_t page_of(const ShrimpPacket& p) { return uint32_t{p.sender} << 16 | (p.address >> 12 & 0x7fff); }

}  // namespace

bool active(const SniState& s) { return (s.sbcr & bit::kEnable) && (s.scr & bit::kEn); }

void raise(SniBoard& b, uint32_t sisr_bits) { b.state.sisr |= sisr_bits; }

void drive_irq(SniBoard& b) {
  const bool level = irq_wanted(b.state);
  if (level == bool(b.state.irq)) return;
  b.state.irq = level;
  b.host.set_irq(b.host.opaque, level);
}

void rearm(SniBoard& b) {
  SniState& s = b.state;
  if (s.next_event == 0) s.next_event = next_event(b);
  const uint64_t wanted = irq_wanted(s) != bool(s.irq) ? s.now : next_visible(b);
  if (wanted >= s.armed) return;  // an early timer finds nothing due and is armed again
  s.armed = wanted;
  b.host.arm(b.host.opaque, wanted);
}

void global_reset(SniBoard& b, uint64_t now) {
  b.state.clock_base = now;
  b.state.clock_start = 0;
  b.state.next_event = 0;
  tell_effect(&b, effect("clock-reset"));
  if (b.config.global_reset) b.config.global_reset(b.config.opaque);
}

}  // namespace perfboard::sni

using namespace perfboard::sni;

bool sni_config_ok(const SniConfig* c, char* why, uint32_t size) {
  const auto good = [&](const char* name, uint32_t value, uint32_t low, uint32_t high) {
    return perfboard::in_range(name, value, low, high, why, size);
  };
  if (!good("nodes", c->nodes, 1, 64 * 64) || !good("node", c->node, 0, c->nodes - 1u) ||
      !good("mesh-width", c->mesh_width, 1, 64) ||
      !good("fifo-words", c->fifo_words, SNI_FIFO_MIN, SNI_FIFO_MAX) ||
      !good("cable", c->cable_ns, 0, SNI_CABLE_MOST) || !good("acquire", c->acquire_ns, 0, SNI_ACQUIRE_MOST))
    return false;
  if (c->links && c->nodes > SNI_MESH_NODES) {
    std::snprintf(why, size, "links=on: nodes=%u; legal is at most %u", c->nodes, SNI_MESH_NODES);
    return false;
  }
  if ((c->nodes + c->mesh_width - 1) / c->mesh_width <= 64) return true;
  std::snprintf(why, size, "mesh-width=%u: legal range for nodes=%u is %u to 64", c->mesh_width, c->nodes,
                (c->nodes + 63) / 64);
  return false;
}

void sni_init(SniBoard* b, const SniConfig* config, const PbHost* host) {
  b->config = *config;
  b->host = *host;
  b->state.injected = SniInjected{};
  b->state.mesh = SniMesh{};
  b->state.irq = 0;
  b->state.armed = PB_NEVER;
  b->state.clock_base = host->now(host->opaque);
  b->state.clock_start = 0;
  clear(*b);
  if (config->bus) join_bus(*b);
}

void sni_power_on(SniBoard* b) {
  b->state.injected = SniInjected{};
  b->state.mesh = SniMesh{};
  b->state.clock_base = b->host.now(b->host.opaque);
  b->state.clock_start = 0;
  reset(*b, false);
}

void sni_bus_reset(SniBoard* b) {
  // Not when the power comes: while a machine is loaded, one board's present can be another's past.
  if (!is_alone(*b)) advance(*b, sni_told(b, b->host.now(b->host.opaque)));
  reset(*b, !is_alone(*b) && b->state.done != b->state.granted);
}

uint64_t sni_clock(const SniBoard* b, uint64_t now) {
  const SniState& s = b->state;
  return (s.clock_start + (now - s.clock_base) / kTick) & kClockMask;
}

void sni_timer(SniBoard* board) {
  SniBoard& b = *board;
  SniState& s = b.state;
  s.now = std::max(s.now, b.host.now(b.host.opaque));
  s.armed = PB_NEVER;
  advance(b, s.now);
  drive_irq(b);
  if (s.popped == s.done) rearm(b);  // else the caller pops next, and that arms the timer
}

bool sni_pop_delivery(SniBoard* board, uint64_t now, SniDelivery* d) {
  SniBoard& b = *board;
  SniState& s = b.state;
  now = std::max(now, s.now);
  s.now = now;
  if (now >= s.next_event) advance(b, now);
  if (s.popped == s.done) {
    rearm(b);
    return false;
  }
  const SniFlight& f = s.flight[s.popped % SNI_FLIGHTS];
  const Header h = Header::of(f.header);
  const uint32_t be = h.words == 1 ? h.byte_enables : 15;
  d->packet = {.start_ns = f.start,
               .end_ns = f.end,
               .sender = f.sender,
               .color = uint8_t(0x10 | (f.entry >> 4 & 15)),
               .interrupt = (f.entry & bit::kInt) != 0,
               .eod = true,
               .byte_enables = uint8_t(be),
               .words = uint16_t(h.words),
               .address = h.address,
               .timestamp = f.timestamp,
               .first_word = f.payload[0]};
  d->write = f.entry & bit::kValid;
  d->skip = uint32_t(__builtin_ctz(be));
  d->bytes = h.words == 1 ? uint32_t(__builtin_popcount(be)) : 4 * h.words;
  d->terms[COMB] = f.close - f.first;
  d->terms[FIFO] = f.leave - f.ready;
  d->terms[BACK] = f.arrive - f.leave - kSend;
  d->terms[EISA] = f.start - f.arrive - kReceive - kSStart;
  d->terms[XFER] = (f.ready - f.close) + kSend + kReceive + kSStart;
  d->terms[TOTAL] = f.start - f.first;
  std::memcpy(d->payload, f.payload, 4 * h.words);
  s.popped++;
  s.next_event = 0;  // a packet may wait for this place in the ring
  return true;
}

void sni_delivered(SniBoard* board, const SniDelivery* d, bool dma_ok) {
  SniBoard& b = *board;
  SniState& s = b.state;
  if (d->write && dma_ok) {
    s.counter[RXP]++;
    s.counter[RXW] += d->packet.words;
    perfboard::tell_effect(board, effect("packet-delivered"), d->packet.address >> 12);
    for (uint32_t i = 0; i < SNI_TERMS; i++) {
      SniLatency& l = s.latency[i];
      const uint32_t v = saturated(d->terms[i]);
      l.sum += d->terms[i];
      l.min = std::min(l.min, v);
      l.max = std::max(l.max, v);
    }
    if (d->packet.interrupt) {
      s.rxpg = page_of(d->packet);
      s.in_counts[d->packet.address >> 12]++;
      raise(b, bit::kRxi);
    }
  } else {
    s.counter[RXD]++;
    s.rxep = page_of(d->packet);
    raise(b, bit::kRxe);
    perfboard::tell_effect(board, effect("packet-dropped"), d->packet.address >> 12);
  }
  drive_irq(b);
}

void sni_post_load(SniBoard* board) {
  SniBoard& b = *board;
  SniState& s = b.state;
  recount_pages(s);
  refresh_snooping(b);
  s.next_event = 0;
  s.armed = PB_NEVER;
  if (b.config.remap) b.config.remap(b.config.opaque);
  if (b.config.observe) b.config.observe(b.config.opaque, 0, SNI_PAGES);
  s.irq = irq_wanted(s);
  b.host.set_irq(b.host.opaque, s.irq);
  rearm(b);
  bus_changed(b);
}

bool sni_load(SniBoard* b, const SniState* image, char* why, uint32_t why_size) {
  if (!sni_state_ok(b, image, why, why_size)) {
    sni_power_on(b);
    return false;
  }
  std::memcpy(&b->state, image, sizeof b->state);
  sni_post_load(b);
  return true;
}

bool sni_enabled(const SniBoard* b) { return b->state.sbcr & bit::kEnable; }
uint32_t sni_window(const SniBoard* b) { return b->state.sbcr & 0xfff00000; }
int sni_irq_number(const SniBoard* b) {
  const uint32_t irq = kIrqOfLevel[b->state.sbcr >> 8 & 7];
  return irq ? int(irq) : -1;
}
