// SPDX-License-Identifier: GPL-2.0-or-later
// wcsmp - all processors fill write-combining buffers at once, each its own: whole lines, and single words that a fence drains. Each
// node's statistics, and the packets of its B-Link, are exactly that. 2 to 4 nodes.
#include "steps.h"

enum { LINES = 2000, WORDS = 500 };

static volatile uint32_t go, finished[NODES];

// The page of the next node.
static void work(unsigned node) {
  const uint32_t page = WC + 4096 * ((node + 1) % sci_card.nodes);
  for (uint32_t i = 0; i < LINES; i++) rep_stosl(page + 64 * (i % 64), 16, i);
  for (uint32_t i = 0; i < WORDS; i++) {
    *(volatile uint32_t *)(page + 4 * (i % 1024)) = i;
    __asm__ volatile("sfence" ::: "memory");
  }
}

static void other(unsigned node) {
  steps_prepare(false);
  while (!go) __asm__ volatile("pause");
  work(node);
  finished[node] = 1;
  for (;;) __asm__ volatile("cli; hlt");
}

int program(void) {
  sci_find();
  const uint32_t nodes = sci_card.nodes;
  if (nodes < 2 || nodes > NODES) bail(RT_NO_BOARD, "%u nodes; this program is for 2 to 4", nodes);
  for (uint32_t page = 0; page < nodes; page++) sci_home(page, 1, page);
  steps_prepare(false);
  if (!rt_others(nodes - 1, other)) bail(RT_NO_BOARD, "the other processors do not start");
  blink_clear();
  go = 1;
  work(0);
  for (unsigned node = 1; node < nodes; node++)
    while (!finished[node]) __asm__ volatile("pause");
  for (unsigned node = 0; node < nodes; node++) {
    is(sci_count(node, SCIR_STATS_WRITES), LINES + WORDS, "node %u: writes", node);
    is(sci_count(node, SCIR_STATS_READS) + sci_count(node, SCIR_STATS_LOCKS), 0, "node %u: reads and locks", node);
    is(sci_count(node, SCIR_STATS_RECEIVED), LINES + WORDS, "node %u: received", node);
    is(sci_count(node, SCIR_STATS_PACKETS), 2 * (LINES + WORDS), "node %u: packets", node);
  }
  uint32_t whole = 0;
  const uint32_t count = blink_count();
  for (uint32_t i = 0; i < count; i++) whole += blink_packet(i).words == 10;
  is(count, 2 * nodes * (LINES + WORDS), "packets on all B-Links");
  is(whole, 2 * nodes * LINES, "packets of whole lines");
  return done_testing();
}
