// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses to the card: from an offset of a BAR to a register of a monitor, or of the card.
#include <iterator>

#include "hw/power2/model.h"

namespace perfboard::p2 {
namespace {

constexpr uint64_t kIdle = ~uint64_t{0};

// A register: `monitor` null: the card's.
struct Place {
  P2Monitor* monitor;
  uint32_t offset;
};

bool whole(const P2Access& a) {
  return (a.size == 4 || a.size == 8) && a.offset % a.size == 0 && a.offset <= P2_WINDOW_BYTES - a.size;
}

bool is_own(const P2Access& a) { return a.offset < kCardWindow; }

// The window of a whole access beside the card's; -1, or as many as there are or more: there is none.
int64_t window_of(const P2Access& a) {
  if (is_own(a)) return a.offset < kWindowBytes ? a.processor : -1;
  return (a.offset - kWindows) / kWindowBytes;
}

bool of_card(const P2Access& a) { return a.offset >= kCardWindow && a.offset < kWindows; }

// The register that comes first is at the lower address.
uint32_t first_of(const P2Access& a, uint64_t value) {
  return static_cast<uint32_t>(a.size == 8 && a.big ? value >> 32 : value);
}

// False: nothing is there, and one line says so.
bool find_place(P2Card* card, const P2Access& a, const char* what, Place* place) {
  P2Monitor* const first = &card->monitors[0];
  if (!whole(a)) {
    log_mistake(first, kBadSize,
                "%s of %u bytes at offset 0x%x: the card takes 4 and 8 bytes, aligned; ignored", what, a.size,
                a.offset);
    return false;
  }
  if (of_card(a)) {
    *place = {nullptr, a.offset};
    return true;
  }
  const int64_t n = window_of(a);
  if (n < 0 || n >= card->count) {
    const bool nobody = is_own(a) && a.offset < kWindowBytes && a.processor < 0;
    log_mistake(first, nobody ? kNotOwn : kNoMonitor, "%s at offset 0x%x: %s; ignored", what, a.offset,
                nobody ? "no processor makes it, so none is its own" : "no monitor is there");
    return false;
  }
  *place = {&card->monitors[n], a.offset % kWindowBytes};
  return true;
}

bool answers(const Place& place) {
  if (!place.monitor || !place.monitor->state.silent) return true;
  tell_effect(place.monitor, kUnanswered);
  return false;
}

void wake(P2Card* card, const Place& place) {
  const P2Monitor* m = place.monitor ? place.monitor : &card->monitors[0];
  if (m->state.awake) return;
  for (unsigned i = 0; i < card->count; ++i) p2_wake(&card->monitors[i]);
  tell_effect(m, kAwake);
}

uint32_t read(P2Card* card, const Place& place, uint32_t step) {
  return place.monitor ? p2_read(place.monitor, place.offset + step)
                       : p2_card_read(card, place.offset + step);
}

void write(P2Card* card, const Place& place, uint32_t step, uint32_t value) {
  if (place.monitor)
    p2_write(place.monitor, place.offset + step, value);
  else
    log_mistake(&card->monitors[0], kCardReadOnly,
                "write to the card's information (offset 0x%x): read only; ignored", place.offset + step);
}

}  // namespace
}  // namespace perfboard::p2

using namespace perfboard::p2;

uint64_t p2_card_load(P2Card* card, const P2Access* a) {
  Place place;
  if (!find_place(card, *a, "read", &place) || !answers(place)) return kIdle;
  wake(card, place);
  const uint64_t first = read(card, place, 0);
  if (a->size == 4) return first;
  const uint64_t second = read(card, place, 4);
  return a->big ? first << 32 | second : second << 32 | first;
}

void p2_card_store(P2Card* card, const P2Access* a, uint64_t value) {
  Place place;
  if (!find_place(card, *a, "write", &place) || !answers(place)) return;
  wake(card, place);
  write(card, place, 0, first_of(*a, value));
  if (a->size == 8) write(card, place, 4, static_cast<uint32_t>(a->big ? value : value >> 32));
}

void p2_card_begins(const P2Card* card, const P2Access* a, bool writes, uint64_t value, uint64_t* sources) {
  static_assert(kMmcr % 8 == 0 && kWindows % kWindowBytes == 0);
  if (!whole(*a)) return;
  const int64_t n = of_card(*a) ? 0 : window_of(*a);
  if (n < 0 || n >= card->count || (!of_card(*a) && card->monitors[n].state.silent)) return;
  for (unsigned i = 0; i < card->count; ++i)  // the access wakes them
    if (!card->monitors[i].state.awake) sources_of(&card->monitors[i], card->monitors[i].state.mmcr, sources);
  if (writes && !of_card(*a) && a->offset % kWindowBytes == kMmcr)
    sources_of(&card->monitors[n], first_of(*a, value), sources);
}

uint32_t p2_card_read(const P2Card* card, uint32_t offset) {
  const P2Config& c = card->monitors[0].config;
  const P2Geometry& g = c.geometry;
  const uint32_t words[] = {
      kCardMagic,       1,
      card->count,      c.clock_hz,
      p2_node_of(&g),   g.dcache,
      g.dcache_line,    g.icache,
      c.penalty.dcache, c.penalty.tlb,
      c.penalty.icache, c.own_mark ? at(kCard, "FLAGS").field("OWN_MARK").mask() : 0,
  };
  const uint32_t word = (offset - kCardWindow) / 4;
  if (word < std::size(words)) return words[word];
  perfboard::log_mistake(&card->monitors[0], kNoCardWord,
                         "read of offset 0x%x: the card's information has no such word", offset);
  return 0;
}
