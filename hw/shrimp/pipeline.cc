// SPDX-License-Identifier: GPL-2.0-or-later
//
// Events that come as virtual time passes, without an access. The time of an event follows from
// the events before it. So advance() may be called late: when somebody needs the result.
#include "hw/shrimp/pipeline.h"

#include <algorithm>
#include <cstring>

#include "hw/shrimp/fabric.h"
#include "hw/shrimp/timing.h"

namespace perfboard::sni {
namespace {

enum class Kind { none, timeout, landed, sent, leave_fifo, leave_du, grant, wrap };

struct Event {
  uint64_t at = PB_NEVER;
  Kind kind = Kind::none;

  void offer(uint64_t t, Kind k) {
    if (t < at) *this = {t, k};
  }
};

enum Source : uint8_t { kIdle, kFromFifo, kFromDu };

SniFlight& slot(SniState& s, uint32_t count) { return s.flight[count % SNI_FLIGHTS]; }
const SniFlight& slot(const SniState& s, uint32_t count) { return s.flight[count % SNI_FLIGHTS]; }

const SniFabric& fabric(const SniBoard& b) { return b.config.fabric ? *b.config.fabric : kSniLoopback; }

uint64_t wrap_at(const SniState& s) { return s.clock_base + (kClockMask + 1 - s.clock_start) * kTick; }

bool may_leave(const SniState& s) {
  return active(s) && !s.injected.network_stop && s.credits_used < SNI_CREDITS &&
         s.arrived - s.popped < SNI_FLIGHTS;
}

uint64_t fifo_ready(const SniBoard& b) { return b.state.fifo_time[ring(b, b.state.fifo_head + 1)] + kSnoop; }

// When the next packet leaves if nothing changes. The arbiter takes turns when both wait.
Event next_leave(const SniBoard& b) {
  const SniState& s = b.state;
  const uint64_t free = std::max(s.link_free, s.credit_at);
  Event fifo, du;
  if (s.fifo_packets > 0 && s.sending != kFromFifo)
    fifo.offer(std::max(fifo_ready(b), free), Kind::leave_fifo);
  if (s.du_busy && s.sending != kFromDu) du.offer(std::max(s.du_first + kDuPipe, free), Kind::leave_du);
  const bool fifo_was_last = s.sending_words != 0;
  if (fifo.at == du.at) return fifo_was_last ? du : fifo;
  return fifo.at < du.at ? fifo : du;
}

Event next(const SniBoard& b) {
  const SniState& s = b.state;
  Event e;
  e.offer(timeout_at(s), Kind::timeout);
  if (s.done != s.granted) e.offer(slot(s, s.done).landed, Kind::landed);
  if (s.sending) {
    e.offer(s.sent_at, Kind::sent);
  } else if (may_leave(s)) {
    const Event leave = next_leave(b);
    e.offer(leave.at, leave.kind);
  }
  if (s.done == s.granted && s.granted != s.arrived) e.offer(grant_at(b), Kind::grant);
  e.offer(wrap_at(s), Kind::wrap);
  return e;
}

void leave(SniBoard& b, uint64_t t, Source source) {
  SniState& s = b.state;
  // The packet is built in the ring's next free place. A fabric copies it to another board's ring, or
  // leaves it where it is: then it has come to this board (loopback).
  SniFlight& f = slot(s, s.arrived);
  const bool du = source == kFromDu;
  f.header = du ? s.du_header : s.fifo[s.fifo_head];
  const Header h = Header::of(f.header);
  f.leave = t;
  uint64_t last_word = 0;
  if (du) {
    f.timestamp = s.du_timestamp;
    f.first = f.close = s.du_first;
    f.ready = f.close + kDuPipe;
    std::memcpy(f.payload, s.du_data, 4 * s.du_words);
    last_word = s.du_last + kDuPipe + kLinkWord;
    s.sending_words = 0;
  } else {
    f.timestamp = h.stamped ? s.fifo[ring(b, s.fifo_head + 1)] : 0;
    f.first = s.fifo_time[s.fifo_head];
    f.close = s.fifo_time[ring(b, s.fifo_head + 1)];
    f.ready = f.close + kSnoop;
    uint32_t at = ring(b, s.fifo_head + 1 + h.stamped);
    for (uint32_t i = 0; i < h.words; i += 2) {
      f.payload[i] = uint32_t(s.fifo[at]);
      if (i + 1 < h.words) f.payload[i + 1] = uint32_t(s.fifo[at] >> 32);
      at = ring(b, at + 1);
    }
    s.sending_words = h.fifo_words();
  }
  s.sending = source;
  s.sent_at = std::max(t + h.fifo_words() * kLinkWord, last_word);
  s.link_free = s.sent_at;
  s.counter[TXP]++;
  s.counter[TXW] += h.words;
  s.counter[DUP] += du;
  s.credits_used++;
  tell_effect(&b, effect("packet-sent"), h.words);
  if (inject_once(b, s.injected.drop, injection("inject-drop"))) {
    s.credits_used--;
    return;
  }
  if (fabric(b).send(&b, &f, s.sent_at)) return;
  s.counter[TXU]++;
  s.credits_used--;
  tell_effect(&b, effect("packet-unsendable"), h.to);
}

void sent(SniBoard& b) {
  SniState& s = b.state;
  if (s.sending == kFromFifo) {
    s.fifo_head = (s.fifo_head + s.sending_words) % b.config.fifo_words;
    s.fifo_count -= s.sending_words;
    s.fifo_packets--;
    watch_low_water(b);
  } else {
    s.du_busy = 0;
    if (!s.du_user) raise(b, bit::kDud);
    tell_effect(&b, effect("update-done"));
  }
  s.sending = kIdle;
}

void grant(SniBoard& b, uint64_t t) {
  SniState& s = b.state;
  // A store of the CPU is on the bus, so the grant comes after the store. A packet waits for one store
  // only, because the arbiter is fair. (With contention grant_at() knows of it.)
  if (!b.config.contention && !s.grant_late && s.cpu_from <= t && t < s.cpu_until) {
    s.grant_late = bclk_edge(s.cpu_until);
    return;
  }
  s.grant_late = 0;
  SniFlight& f = slot(s, s.granted);
  const Passage p = passage(f, t);
  f.start = p.start;
  f.end = p.end;
  f.landed = p.landed;
  const Header h = Header::of(f.header);
  const uint32_t page = s.in_table[h.address >> 12];
  f.entry = uint16_t(page);
  if (h.key != key_of(page)) f.entry &= uint16_t(~bit::kValid);
  if (inject_once(b, s.injected.damage, injection("inject-damage"))) f.entry &= uint16_t(~bit::kValid);
  s.any_before = 1;
  s.last_start = f.start;
  s.last_end = f.end;
  s.last_landed = f.landed;
  s.granted++;
}

void run(SniBoard& b, Event e) {
  SniState& s = b.state;
  switch (e.kind) {
    case Kind::timeout:
      close_packet(b, ENDT, e.at);
      break;
    case Kind::landed:
      fabric(b).done(&b, &slot(s, s.done++));
      break;
    case Kind::sent:
      sent(b);
      break;
    case Kind::leave_fifo:
      leave(b, e.at, kFromFifo);
      break;
    case Kind::leave_du:
      leave(b, e.at, kFromDu);
      break;
    case Kind::grant:
      grant(b, e.at);
      break;
    case Kind::wrap:
      s.clock_base = e.at;
      s.clock_start = 0;
      raise(b, bit::kCkv);
      tell_effect(&b, effect("clock-wrapped"));
      break;
    case Kind::none:
      break;
  }
}

}  // namespace

uint64_t next_event(const SniBoard& b) { return next(b).at; }

uint64_t next_leave_at(const SniBoard& b) {
  return std::min(next_leave(b).at, b.state.sending ? b.state.sent_at : PB_NEVER);
}

// Boards that share a bus wait for each other's grants: all of them come to the present, event by event.
static void advance_together(SniBoard& b, uint64_t now) {
  const SniBus& bus = *b.config.bus;
  for (;;) {
    SniBoard* first = nullptr;
    Event e;
    for (uint32_t i = 0; i < bus.boards; i++) {
      SniBoard& other = *bus.board[i];
      const Event n = next(other);
      const bool both = n.at == e.at && n.kind == Kind::grant && e.kind == Kind::grant;
      if (n.at > now || n.at > e.at || (n.at == e.at && !(both && asked_before(other, *first)))) continue;
      first = &other;
      e = n;
    }
    if (!first) break;
    run(*first, e);
  }
  each_on_bus(b, [&](SniBoard& other) {
    other.state.now = std::max(other.state.now, now);
    other.state.next_event = next(other).at;
    if (&other != &b) rearm(other);
  });
}

void advance(SniBoard& b, uint64_t now) {
  if (!is_alone(b)) return advance_together(b, now);
  Event e = next(b);
  while (e.at <= now) {
    run(b, e);
    e = next(b);
  }
  b.state.next_event = e.at;
}

uint64_t next_visible(const SniBoard& b) {
  const SniState& s = b.state;
  // The least time from a packet's leaving to its landing: one word, to the next node, with an idle bus.
  constexpr uint64_t kPath =
      kSend + kBackplane + 2 * kLinkWord + kReceive + kSStart + 2 * kSCycle + kEisaWord;
  uint64_t t = PB_NEVER;
  if (s.popped != s.done) {
    t = slot(s, s.popped).landed;
  } else if (s.done != s.granted) {
    t = slot(s, s.done).landed;
  } else if (s.granted != s.arrived) {
    t = passage(slot(s, s.granted), grant_at(b)).landed;
  } else {
    const Event leave = next_leave(b);
    const uint64_t out = may_leave(s) ? std::min(leave.at, s.sending ? s.sent_at : PB_NEVER) : PB_NEVER;
    const uint64_t closed = timeout_at(s);
    t = std::min(out, closed == PB_NEVER ? PB_NEVER : closed + kSnoop);
    if (t != PB_NEVER) t += kPath + b.config.acquire_ns;
  }
  const uint32_t wanted = s.sier & ~s.sisr;
  if ((s.fifo_was_high && (wanted & bit::kLw)) || (s.du_busy && (wanted & bit::kDud)))
    t = std::min(t, next_event(b));
  if (wanted & bit::kCkv) t = std::min(t, wrap_at(s));
  return t;
}

}  // namespace perfboard::sni

using namespace perfboard::sni;

void sni_port_arrive(SniBoard* b, const SniFlight* f) {
  SniState& s = b->state;
  SniFlight& place = slot(s, s.arrived);
  if (&place != f) place = *f;
  s.arrived++;
  s.next_event = 0;
}

void sni_port_credit(SniBoard* b, uint64_t t) {
  SniState& s = b->state;
  s.credits_used--;
  s.credit_at = std::max(s.credit_at, t);
  s.next_event = 0;
}
