// SPDX-License-Identifier: GPL-2.0-or-later
// trace - all processors access the window, mapped uncached and write-combining. 2 to 4 nodes.
//
// In turn, in any way, and pages move home now and then: always the same accesses in the same order, however the machine runs. sci_modes compares
// what passes on the B-Links. With -append plain nothing is write-combining, and no page moves.
//
// With -append lines all at once, and each fills buffers of its own: whole lines, and single words that a fence drains. Each node's statistics, and
// the packets of its B-Link, are exactly that. Needs the test card.
#include "steps.h"

enum { TURNS = 40, STEPS = 25, LINES = 2000, WORDS = 500 };

static volatile uint32_t go, turn, ready, finished;
static uint32_t nodes;
static bool plain, lines;

static void any_accesses(unsigned node) {
  for (unsigned t = 0; t < TURNS; t++) {
    while (turn % nodes != node) __asm__ volatile("pause");
    for (unsigned i = 0; i < STEPS; i++) step(node);
    if (any(node, 3) == 0 && !plain) sci_home(any(node, PAGES), 1, any(node, nodes));
    turn++;
  }
}

// The page of the next node.
static void fill_lines(unsigned node) {
  const uint32_t page = WC + 4096 * ((node + 1) % nodes);
  for (uint32_t i = 0; i < LINES; i++) rep_stosl(page + 64 * (i % 64), 16, i);
  for (uint32_t i = 0; i < WORDS; i++) {
    *(volatile uint32_t *)(page + 4 * (i % 1024)) = i;
    __asm__ volatile("sfence" ::: "memory");
  }
}

static void work(unsigned node) {
  if (lines)
    fill_lines(node);
  else
    any_accesses(node);
  __asm__ volatile("lock incl %0" : "+m"(finished));
}

static void other(unsigned node) {
  steps_prepare(plain);
  __asm__ volatile("lock incl %0" : "+m"(ready));
  while (!go) __asm__ volatile("pause");
  work(node);
  for (;;) __asm__ volatile("cli; hlt");
}

static void check_lines(void) {
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
}

static void check_any(void) {
  uint64_t packets = 0;
  for (unsigned node = 0; node < nodes; node++) packets += sci_count(node, SCIR_STATS_PACKETS);
  is(blink_count(), packets, "packets on all B-Links");
  ok(packets > 1000, "it was worth it");
}

int program(void) {
  sci_find();
  nodes = sci_card.nodes;
  if (nodes < 2 || nodes > NODES) bail(RT_NO_BOARD, "%u nodes; this program is for 2 to 4", nodes);
  plain = rt_option("plain");
  lines = rt_option("lines");
  sci_home(0, sci_card.pages, 0);
  for (unsigned page = 0; page < PAGES; page++) sci_home(page, 1, page % nodes);
  steps_prepare(plain);
  if (!rt_others(nodes - 1, other)) bail(RT_NO_BOARD, "the other processors do not start");
  while (ready != nodes - 1) __asm__ volatile("pause");
  blink_clear();
  go = 1;
  work(0);
  while (finished != nodes) __asm__ volatile("pause");
  if (lines)
    check_lines();
  else
    check_any();
  return done_testing();
}
