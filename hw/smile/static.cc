// SPDX-License-Identifier: GPL-2.0-or-later
//
// The static part: page table, event table, counters, timer and global events (Sec. IV.A, Fig. 7).
#include <algorithm>
#include <bit>
#include <iterator>

#include "hw/smile/dynamic.h"
#include "hw/smile/ring.h"

namespace perfboard::smile {
namespace {

constexpr uint32_t kOverflowAt = 0x10000;
constexpr uint32_t kOffset = (1u << SCI_BD2_OFFSET_BITS) - 1;

// The 32 comparators of 24 bits and their encoder: the lowest entry; -1: none.
int find_page(const SmileTarget& t, uint32_t wanted) {
  const uint32_t hits = equal(t.page, wanted) | equal(t.page + kGroup, wanted) << kGroup;
  return hits ? std::countr_zero(hits) : -1;
}

// Each entry's comparator of page index and command, and its two of magnitude.
int find_event(const SmileTarget& t, unsigned page, const Event& e) {
  const uint32_t filter = e.filter << field("EVENT0.FILTER").lsb;
  const uint32_t needed = kValid | bits("EVENT0.PAGE") | filter, wanted = kValid | page | filter;
  const auto offset = static_cast<int32_t>(e.address & kOffset);
  uint32_t hits = 0;
  for (unsigned i = 0; i < SMILE_TABLE_EVENTS; ++i) {
    const auto bottom = static_cast<int32_t>(t.event_range[i] & kOffset),
               top = static_cast<int32_t>(t.event_range[i] >> 16);
    const uint32_t same = (t.event[i] & needed) == wanted ? kEntry.bit[i] : 0;
    hits |= ((bottom > offset) | (top < offset)) ? 0 : same;
  }
  return hits ? std::countr_zero(hits) : -1;
}

uint16_t overflow(SmileHwm* m, uint16_t counters) {
  SmileTarget& t = m->state.target;
  uint16_t records = 0;
  for (uint32_t left = counters; left; left &= left - 1, ++records) {
    const auto i = static_cast<uint32_t>(std::countr_zero(left));
    t.overflow = static_cast<uint8_t>(bits("OVF.VALID") | i);
    tell_effect(m, effect("counter-overflow"), i);
    store_record(m, record_word(Kind::kCounter, Why::kOverflow, i), 0);
  }
  return records;
}

// The active counters after an event: start wins over stop.
uint16_t after(const SmileTarget& t, const SmileWires& w, unsigned event) {
  return static_cast<uint16_t>((t.active & ~w.stops[event]) | w.starts[event]);
}

// What the timer's events do from a moment on: the first one finds the counters as they are, all others as it
// left them.
struct Ticks {
  uint32_t first, others;  // counters that count
  uint16_t active;         // after the first
};
Ticks ticks(const SmileTarget& t, const SmileWires& w) {
  const uint16_t active = after(t, w, kTimerEvent);
  return {uint32_t{t.active} & w.counts[kTimerEvent], uint32_t{active} & w.counts[kTimerEvent], active};
}

// How many of the timer's events it takes until a counter overflows; PB_NEVER.
uint64_t ticks_to_overflow(const SmileTarget& t, const Ticks& k) {
  uint64_t least = PB_NEVER;
  for (uint32_t left = k.first | k.others; left; left &= left - 1) {
    const int i = std::countr_zero(left);
    const bool first = k.first >> i & 1, others = k.others >> i & 1;
    const uint32_t needed = kOverflowAt - t.value[i];
    if (others)
      least = std::min<uint64_t>(least, needed + !first);
    else if (needed == 1)
      least = 1;
  }
  return least;
}

uint64_t period_ns(const SmileTarget& t) { return uint64_t{t.timer} * SCI_BLINK_CLOCK_NS; }

}  // namespace

uint16_t count_event(SmileHwm* m, unsigned event) {
  SmileTarget& t = m->state.target;
  uint16_t over = 0;
  for (uint32_t left = t.active & m->wires.counts[event]; left; left &= left - 1) {
    const int i = std::countr_zero(left);
    if (t.value[i] == UINT16_MAX && m->state.inject.saturate)
      tell_effect(m, effect("counter-stuck"), static_cast<unsigned>(i));
    else if (++t.value[i] == 0)
      over |= static_cast<uint16_t>(1u << i);
  }
  t.active = after(t, m->wires, event);
  return overflow(m, over);
}

Outcome static_event(SmileHwm* m, const Event& e) {
  const SmileTarget& t = m->state.target;
  const uint32_t home = e.filter & bits("MASK.REQUEST") ? destination_of(e.pair) : source_of(e.pair);
  const int page = find_page(t, kValid | field("PAGE0.NODE").set(e.address >> SCI_BD2_OFFSET_BITS, home));
  if (page < 0) return {SMILE_FORWARD, SMILE_NO_ENTRY, 0};
  const int event = find_event(t, static_cast<unsigned>(page), e);
  if (event < 0) return {SMILE_FORWARD, SMILE_NO_ENTRY, 0};
  const uint16_t records = count_event(m, static_cast<unsigned>(event));
  return {records ? uint8_t{SMILE_SWAP} : uint8_t{SMILE_BUSY}, static_cast<uint8_t>(event), records};
}

uint16_t store_counters(SmileHwm* m) {
  for (uint32_t i = 0; i < SMILE_STATIC_COUNTERS; ++i)
    store_record(m, record_word(Kind::kCounter, Why::kDemand, i), m->state.target.value[i]);
  return SMILE_STATIC_COUNTERS;
}

void run_timer(SmileHwm* m, uint64_t now) {
  SmileTarget& t = m->state.target;
  if (now < t.timer_next) return;
  for (uint64_t left = (now - t.timer_next) / period_ns(t) + 1; left;) {
    const Ticks k = ticks(t, m->wires);
    const bool stuck = m->state.inject.saturate;
    const uint64_t n = stuck ? left : std::min(left, ticks_to_overflow(t, k));
    uint16_t over = 0;
    for (uint32_t i = 0; i < SMILE_STATIC_COUNTERS; ++i) {
      const uint64_t value = t.value[i] + (k.first >> i & 1) + (k.others >> i & 1) * (n - 1);
      t.value[i] = static_cast<uint16_t>(stuck ? std::min<uint64_t>(value, UINT16_MAX) : value);
      if (!stuck && value == kOverflowAt) over |= static_cast<uint16_t>(1u << i);
    }
    t.active = k.active;
    t.timer_next += n * period_ns(t);
    left -= n;
    overflow(m, over);
  }
}

void start_timer(SmileHwm* m, uint64_t now) {
  SmileTarget& t = m->state.target;
  const bool runs = t.timer && (t.mcr & kRun);
  t.timer_next = runs ? now - now % SCI_BLINK_CLOCK_NS + period_ns(t) : PB_NEVER;
}

uint64_t timer_deadline(const SmileState& s, const SmileWires& wires) {
  const SmileTarget& t = s.target;
  if (t.timer_next == PB_NEVER || s.inject.saturate) return PB_NEVER;
  const uint64_t n = ticks_to_overflow(t, ticks(t, wires));
  return n == PB_NEVER ? PB_NEVER : t.timer_next + (n - 1) * period_ns(t);
}

SmileWires wires_of(const SmileTarget& t) {
  SmileWires wires = {};
  uint16_t* const masks[] = {wires.starts, wires.stops, wires.counts};
  for (unsigned i = 0; i < SMILE_STATIC_COUNTERS; ++i)
    for (unsigned role = 0; role < std::size(masks); ++role)
      if (const uint32_t reg = t.counter_event[i][role]; reg & kValid)
        masks[role][reg & 31] |= static_cast<uint16_t>(1u << i);
  return wires;
}

}  // namespace perfboard::smile
