// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses to the card: from an offset of a BAR to a register of a monitor, or of the card.
#include <iterator>

#include "hw/power2/model.h"

namespace perfboard::p2 {
namespace {

// Where an offset of BAR 0 is: in a monitor's window, in the card's, or in none.
enum : int { kOfCard = -1, kNowhere = -2 };
int unit_of(const P2Card* card, uint32_t offset, int processor) {
  if (offset >= kWindows) {
    const uint32_t n = (offset - kWindows) / kWindowBytes;
    return n < card->count ? static_cast<int>(n) : kNowhere;
  }
  if (offset >= kCardWindow) return kOfCard;
  const bool there =
      offset < kWindowBytes && processor >= 0 && static_cast<unsigned>(processor) < card->count;
  return there ? processor : kNowhere;
}

// The register that comes first is at the lower address.
uint32_t first_of(const P2Access& a, uint64_t value) {
  return static_cast<uint32_t>(a.size == 8 && a.big ? value >> 32 : value);
}

// False: nothing is there, and one line says so; or the monitor is silent.
bool answers(P2Card* card, const P2Access& a, int unit, const char* what) {
  P2Monitor* const first = &card->monitors[0];
  if (!whole(a.offset, a.size)) {
    log_mistake(first, mistake("bad-size"),
                "%s of %u bytes at offset 0x%x: the card takes 4 and 8 bytes, aligned; ignored", what, a.size,
                a.offset);
    return false;
  }
  if (unit == kNowhere) {
    const bool nobody = a.offset < kWindowBytes && a.processor < 0;
    log_mistake(first, nobody ? mistake("not-own") : mistake("no-monitor"), "%s at offset 0x%x: %s; ignored",
                what, a.offset, nobody ? "no processor makes it, so none is its own" : "no monitor is there");
    return false;
  }
  if (unit == kOfCard || !card->monitors[unit].state.silent) return true;
  tell_effect(&card->monitors[unit], effect("unanswered"));
  return false;
}

void wake(P2Card* card, int unit) {
  const P2Monitor* m = &card->monitors[unit == kOfCard ? 0 : unit];
  if (m->state.awake) return;
  for (unsigned i = 0; i < card->count; ++i) p2_wake(&card->monitors[i]);
  tell_effect(m, effect("awake"));
}

uint32_t read(P2Card* card, int unit, uint32_t offset) {
  if (unit != kOfCard) return p2_read(&card->monitors[unit], offset % kWindowBytes);
  if (const Register* const reg = register_at(kCard, offset)) return card_word(card, reg);
  log_mistake(&card->monitors[0], mistake("no-card-word"),
              "read of offset 0x%x: the card's information has no such word", offset);
  return 0;
}

void write(P2Card* card, int unit, uint32_t offset, uint32_t value) {
  if (unit != kOfCard)
    p2_write(&card->monitors[unit], offset % kWindowBytes, value);
  else
    log_mistake(&card->monitors[0], mistake("card-read-only"),
                "write to the card's information (offset 0x%x): read only; ignored", offset);
}

}  // namespace

Place place_at(const P2Card* card, uint64_t offset, int processor) {
  if (offset >= P2_WINDOW_BYTES) return {};
  const auto at = static_cast<uint32_t>(offset);
  const int unit = unit_of(card, at, processor);
  if (unit == kNowhere) return {};
  Place p = {.byte = at % 4, .unit = unit};  // -1 is the card's, too
  p.reg = unit == kOfCard ? register_at(kCard, at - p.byte)
                          : register_at(kRegisters, (at - p.byte) % kWindowBytes);
  return p;
}

uint32_t card_word(const P2Card* card, const Register* reg) {
  const P2Config& c = card->monitors[0].config;
  const P2Geometry& g = c.geometry;
  const uint32_t words[] = {
      kCard[0].reset(), kCard[1].reset(), card->count,
      c.clock_hz,       p2_node_of(&g),   g.dcache,
      g.dcache_line,    g.icache,         c.penalty.dcache,
      c.penalty.tlb,    c.penalty.icache, c.own_mark ? at(kCard, "FLAGS").field("OWN_MARK").mask() : 0,
  };
  static_assert(std::size(words) == std::size(kCard));
  return words[reg - kCard];
}

}  // namespace perfboard::p2

using namespace perfboard::p2;

uint64_t p2_card_load(P2Card* card, const P2Access* a) {
  const int unit = unit_of(card, a->offset, a->processor);
  if (!answers(card, *a, unit, "read")) return kIdle;
  wake(card, unit);
  const uint64_t first = read(card, unit, a->offset);
  if (a->size == 4) return first;
  const uint64_t second = read(card, unit, a->offset + 4);
  return a->big ? first << 32 | second : second << 32 | first;
}

void p2_card_store(P2Card* card, const P2Access* a, uint64_t value) {
  const int unit = unit_of(card, a->offset, a->processor);
  if (!answers(card, *a, unit, "write")) return;
  wake(card, unit);
  write(card, unit, a->offset, first_of(*a, value));
  if (a->size == 8) write(card, unit, a->offset + 4, static_cast<uint32_t>(a->big ? value : value >> 32));
}

void p2_card_begins(const P2Card* card, const P2Access* a, bool writes, uint64_t value, uint64_t* sources) {
  static_assert(kMmcr % 8 == 0 && kWindows % kWindowBytes == 0);
  const int unit = unit_of(card, a->offset, a->processor);
  if (!whole(a->offset, a->size) || unit == kNowhere) return;
  if (unit != kOfCard && card->monitors[unit].state.silent) return;
  for (unsigned i = 0; i < card->count; ++i)  // the access wakes them
    if (!card->monitors[i].state.awake) sources_of(&card->monitors[i], card->monitors[i].state.mmcr, sources);
  if (writes && unit != kOfCard && a->offset % kWindowBytes == kMmcr)
    sources_of(&card->monitors[unit], first_of(*a, value), sources);
}
