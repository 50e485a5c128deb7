// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/memory/tlb.h"

#include <algorithm>
#include <bit>
#include <cstdio>

namespace {

uint64_t* set_of(const TlbNode* t, uint64_t page) { return t->entry + (page & (t->sets - 1)) * t->ways; }

}  // namespace

bool tlb_geometry_ok(const TlbGeometry* g, char* why, size_t size) {
  constexpr uint32_t kMost = 4096;
  if (!std::has_single_bit(g->entries) || g->entries > kMost) {
    std::snprintf(why, size, "TLB of %u entries: legal are powers of two from 1 to %u", g->entries, kMost);
    return false;
  }
  const uint32_t most = std::min(g->entries, 64u);
  if (!std::has_single_bit(g->ways) || g->ways > most) {
    std::snprintf(why, size, "TLB of %u ways: legal are powers of two from 1 to %u", g->ways, most);
    return false;
  }
  return true;
}

size_t tlb_state_bytes(const TlbGeometry* g) { return sizeof(TlbState) + g->entries * sizeof(uint64_t); }

void tlb_attach(TlbNode* t, const TlbGeometry* g, void* memory) {
  t->state = static_cast<TlbState*>(memory);
  t->entry = reinterpret_cast<uint64_t*>(t->state + 1);
  t->sets = g->entries / g->ways;
  t->ways = g->ways;
}

void tlb_reset(TlbNode* t) {
  *t->state = {};
  std::fill_n(t->entry, size_t{t->sets} * t->ways, 0);
}

bool tlb_use_slow(TlbNode* t, uint64_t page) {
  uint64_t* const set = set_of(t, page);
  uint64_t* const end = set + t->ways;
  uint64_t* place = set;
  while (place != end && *place != page + 1) ++place;
  const bool hit = place != end;
  if (!hit) --place;  // in the oldest's place
  for (; place != set; --place) *place = place[-1];
  *set = page + 1;
  return hit;
}

void tlb_drop(TlbNode* t, uint64_t page) {
  uint64_t* const set = set_of(t, page);
  uint64_t* const end = set + t->ways;
  uint64_t* const place = std::find(set, end, page + 1);
  if (place == end) return;
  std::rotate(place, place + 1, end);  // those behind it move up
  end[-1] = 0;
}

bool tlb_has(const TlbNode* t, uint64_t page) {
  const uint64_t* const set = set_of(t, page);
  return std::find(set, set + t->ways, page + 1) != set + t->ways;
}

bool tlb_state_ok(const TlbGeometry* g, const void* memory, char* why, size_t size) {
  TlbNode t;
  tlb_attach(&t, g, const_cast<void*>(memory));
  for (uint32_t set = 0; set < t.sets; set++)
    for (uint32_t w = 0; w < t.ways; w++) {
      const uint64_t* const entry = t.entry + size_t{set} * t.ways;
      const char* wrong = nullptr;
      if (entry[w] == 0) continue;
      if (((entry[w] - 1) & (t.sets - 1)) != set) wrong = "a page is in another's set";
      if (w > 0 && entry[w - 1] == 0) wrong = "an empty place stands before a page";
      if (std::find(entry, entry + w, entry[w]) != entry + w) wrong = "a page is there twice";
      if (!wrong) continue;
      std::snprintf(why, size, "TLB, set %u: %s", set, wrong);
      return false;
    }
  return true;
}
