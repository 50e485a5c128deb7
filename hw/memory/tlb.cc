// SPDX-License-Identifier: GPL-2.0-or-later
#include "hw/memory/tlb.h"

#include <algorithm>

void tlb_reset(TlbState* t) { *t = {}; }

bool tlb_use_slow(TlbState* t, uint64_t page) {
  uint64_t* const set = t->entry[page % TLB_SETS];
  uint64_t* const end = set + TLB_WAYS;
  uint64_t* place = std::find(set, end, page + 1);
  const bool hit = place != end;
  if (!hit) *(place = end - 1) = page + 1;  // in the oldest's place
  std::rotate(set, place, place + 1);
  return hit;
}

void tlb_drop(TlbState* t, uint64_t page) {
  uint64_t* const set = t->entry[page % TLB_SETS];
  uint64_t* const end = set + TLB_WAYS;
  uint64_t* const place = std::find(set, end, page + 1);
  if (place == end) return;
  std::rotate(place, place + 1, end);  // those behind it move up
  end[-1] = 0;
}

bool tlb_state_ok(const TlbState* t) {
  for (uint64_t set = 0; set < TLB_SETS; set++)
    for (int w = 0; w < TLB_WAYS; w++) {
      const uint64_t* const entry = t->entry[set];
      if (entry[w] == 0) continue;
      if ((entry[w] - 1) % TLB_SETS != set || (w > 0 && entry[w - 1] == 0)) return false;
      if (std::find(entry, entry + w, entry[w]) != entry + w) return false;
    }
  return true;
}
