// SPDX-License-Identifier: GPL-2.0-or-later
// one - a cluster of one node: every page is at home, no other home is taken, and nothing passes.
#include "sci.h"

int program(void) {
  sci_find();
  is(sci_card.nodes, 1, "nodes");
  is(sci(SCIR_NODE), 0, "this node");
  for (uint32_t page = 0; page < sci_card.pages; page++) {
    volatile uint32_t *const word = (volatile uint32_t *)WINDOW(page, 8 * page);
    sci_put(SCIR_ATT(page), 1);
    *word = page;
    __asm__ volatile("lock incl %0\n\txchgl %%eax, %0" : "+m"(*word)::"eax", "memory", "cc");
    (void)*word;
  }
  uint32_t homes = 0;
  for (uint32_t page = 0; page < sci_card.pages; page++) homes |= sci(SCIR_ATT(page));
  is(homes, 0, "all homes");
  expect(NULL, 0, "stores, loads and locked instructions on every page");
  for (uint32_t i = 0; i < SCIR_STATS_COUNT; i++) is(sci_count(0, 8 * i), 0, "statistics %u", i);
  return done_testing();
}
