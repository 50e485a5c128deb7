// SPDX-License-Identifier: GPL-2.0-or-later
// trace - all processors, in turn, access the window in any way, mapped uncached and write-combining, and pages move home now and then: always
// the same accesses in the same order, however the machine runs. sci_modes compares what passes on the B-Links. With -append plain
// nothing is write-combining, and no page moves.
#include "steps.h"

enum { TURNS = 40, STEPS = 25 };

static volatile uint32_t go, turn, ready;
static uint32_t nodes;
static bool plain;

static void work(unsigned node) {
  for (unsigned t = 0; t < TURNS; t++) {
    while (!go || turn % nodes != node) __asm__ volatile("pause");
    for (unsigned i = 0; i < STEPS; i++) step(node);
    if (any(node, 3) == 0 && !plain) sci_home(any(node, PAGES), 1, any(node, nodes));
    turn++;
  }
}

static void other(unsigned node) {
  steps_prepare(plain);
  __asm__ volatile("lock incl %0" : "+m"(ready));
  work(node);
  for (;;) __asm__ volatile("cli; hlt");
}

int program(void) {
  sci_find();
  nodes = sci_card.nodes;
  if (nodes < 2 || nodes > NODES) bail(RT_NO_BOARD, "%u nodes; this program is for 2 to 4", nodes);
  plain = rt_option("plain");
  sci_home(0, sci_card.pages, 0);
  for (unsigned page = 0; page < PAGES; page++) sci_home(page, 1, page % nodes);
  steps_prepare(plain);
  if (!rt_others(nodes - 1, other)) bail(RT_NO_BOARD, "the other processors do not start");
  while (ready != nodes - 1) __asm__ volatile("pause");
  blink_clear();
  go = 1;
  work(0);
  while (turn != TURNS * nodes) __asm__ volatile("pause");
  uint64_t packets = 0, seen = 0;
  for (unsigned node = 0; node < nodes; node++) packets += sci_count(node, SCIR_STATS_PACKETS);
  seen = blink_count();
  is(seen, packets, "packets on all B-Links");
  ok(packets > 1000, "it was worth it");
  return done_testing();
}
