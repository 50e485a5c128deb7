// SPDX-License-Identifier: GPL-2.0-or-later
//
// The counters. Nothing is done at an event: a counter is what it was when it was settled, and what the sum
// of its event has grown by since. Whoever changes what counts calls settle() before and follow() after.
// Its undercount (power2.h) is made up before it grows.
#include <algorithm>
#include <iterator>

#include "hw/power2/model.h"

namespace perfboard::p2 {
namespace {

// Table 1: what MMCR leaves to be counted. Each bit takes contexts away, so its contradictory rows count
// nothing.
struct Disables {
  uint32_t bit;
  unsigned contexts;
};
constexpr Disables kDisables[] = {
    {bits("MMCR.DIS"), P2_ANY_CONTEXT},          {bits("MMCR.DP"), P2_KERNEL | P2_KERNEL_MARKED},
    {bits("MMCR.DU"), P2_USER | P2_USER_MARKED}, {bits("MMCR.DMS"), P2_USER_MARKED | P2_KERNEL_MARKED},
    {bits("MMCR.DMR"), P2_USER | P2_KERNEL},
};

struct Totals {
  uint64_t of[P2_SOURCES] = {};
};

Totals totals_now(const P2Monitor* m, unsigned contexts) {
  Totals t;
  if (contexts) m->config.totals(m->config.opaque, contexts, t.of);
  return t;
}

uint64_t sum_of(const P2Monitor* m, unsigned counter, const Totals& t) {
  return value_of(event_of(m->state.mmcr, counter), m->config, t.of);
}

bool stands(const P2Monitor* m, unsigned i) { return event_of(m->state.mmcr, i).spe && !m->state.spe; }

// How far the counter is ahead of its event: by what is left of its undercount.
uint64_t ahead(const P2Monitor* m, unsigned i, const Totals& t) {
  const uint64_t lack = m->then[i] - sum_of(m, i, t);
  return static_cast<int64_t>(lack) > 0 ? std::min(lack, m->undercount[i]) : 0;
}

uint64_t total_by(const P2Monitor* m, unsigned i, const Totals& t) {
  const P2State& s = m->state;
  if (stands(m, i)) return s.counter[i];
  // A sum can have fallen: events are sums with minuses, and of several processors' caches.
  const auto more = static_cast<int64_t>(sum_of(m, i, t) + ahead(m, i, t) - m->then[i]);
  return more < 0 ? static_cast<uint32_t>(s.counter[i] + more) : s.counter[i] + static_cast<uint64_t>(more);
}

bool counts_now(const P2Monitor* m) { return m->state.awake && counting(m->state.mmcr); }

// Counters are what these totals say.
void settle_at(P2Monitor* m, const Totals& t) {
  for (unsigned i = 0; i < kCounters; ++i) {
    const uint64_t total = total_by(m, i, t);
    if (total > UINT32_MAX) tell_effect(m, effect("rolled-over"), i);
    m->state.counter[i] = static_cast<uint32_t>(total);
    if (!stands(m, i)) m->undercount[i] = ahead(m, i, t);
    m->then[i] = sum_of(m, i, t) + m->undercount[i];
  }
}

// Whether totals have fallen: what they have told of and was taken back is no part of them any more.
bool rebase(const P2Monitor* m) { return m->config.rebase && m->config.rebase(m->config.opaque); }

// What these totals have told of and was taken back is the undercount of each counter that has shown it, from
// here on. Returns the totals without it.
Totals take_over(P2Monitor* m, const Totals& told) {
  if (!rebase(m)) return told;
  settle_at(m, told);
  const Totals exact = totals_now(m, counting(m->state.mmcr));
  for (unsigned i = 0; i < kCounters; ++i) {
    const uint64_t fallen = sum_of(m, i, told) - sum_of(m, i, exact);
    if (static_cast<int64_t>(fallen) > 0 && !stands(m, i)) m->undercount[i] += fallen;
  }
  return exact;
}

}  // namespace

unsigned counting(uint32_t mmcr) {
  unsigned contexts = P2_ANY_CONTEXT;
  for (const Disables& d : kDisables)
    if (mmcr & d.bit) contexts &= ~d.contexts;
  return contexts;
}

uint64_t total_of(const P2Monitor* m, unsigned counter) {
  const P2State& s = m->state;
  if (!counts_now(m) || event_of(s.mmcr, counter).terms == 0) return s.counter[counter];
  return total_by(m, counter, totals_now(m, counting(s.mmcr)));
}

void settle(P2Monitor* m) {
  if (!counts_now(m)) return;
  const Totals t = totals_now(m, counting(m->state.mmcr));
  settle_at(m, t);
  take_over(m, t);
}

void settle_one(P2Monitor* m, unsigned counter, uint32_t value) {
  P2State& s = m->state;
  if (counts_now(m) && event_of(s.mmcr, counter).terms)
    m->then[counter] = sum_of(m, counter, take_over(m, totals_now(m, counting(s.mmcr))));
  s.counter[counter] = value;
  m->undercount[counter] = 0;
}

void sources_of(const P2Monitor* m, uint32_t mmcr, uint64_t* sources) {
  if (!counting(mmcr)) return;
  for (unsigned i = 0; i < kCounters; ++i) add_sources(event_of(mmcr, i), m->config, sources);
}

void follow(P2Monitor* m) {
  const P2State& s = m->state;
  const bool counts = counts_now(m);
  uint64_t sources[P2_SOURCE_WORDS] = {};
  if (counts) sources_of(m, s.mmcr, sources);
  if (counts != m->counts || !std::equal(sources, sources + P2_SOURCE_WORDS, m->watched)) {
    m->counts = counts;
    std::copy(sources, sources + P2_SOURCE_WORDS, m->watched);
    m->config.watch(m->config.opaque, sources, counts);
  }
  if (counts) rebase(m);  // whoever has shown it has taken it over
  const Totals t = totals_now(m, counts ? counting(s.mmcr) : 0);
  for (unsigned i = 0; i < kCounters; ++i) m->then[i] = sum_of(m, i, t) + m->undercount[i];
}

void clear_undercount(P2Monitor* m) { std::fill(std::begin(m->undercount), std::end(m->undercount), 0); }

unsigned present_context(const P2Monitor* m) {
  bool privileged = false, marked = false;
  m->config.context(m->config.opaque, &privileged, &marked);
  return (privileged ? P2_KERNEL : P2_USER) << (marked ? 2 : 0);
}

}  // namespace perfboard::p2
