// SPDX-License-Identifier: GPL-2.0-or-later
// overlap - latency=on: three nodes read node 0 at once. On each B-Link packets pass in the order of their times; on node 0's other nodes' requests
// stand between a request and its response, which comes HOME behind it and no sooner; and no two that are awaited have one trans_ID. Four
// processors, and the test card.
#include "sci.h"

enum { EACH = 200, NODES = 4, HOME = 2 * 20 + 1200 };

static volatile uint32_t go, finished[NODES];

static void other(unsigned node) {
  while (!go) __asm__ volatile("pause");
  for (uint32_t i = 0; i < EACH; i++) {
    (void)*(volatile uint32_t *)WINDOW(0, 4 * i);
    if (i % 8 == node) *(volatile uint32_t *)WINDOW(0, 4 * i) = i;
  }
  finished[node] = 1;
  for (;;) __asm__ volatile("cli; hlt");
}

// The table of Fig. 4: when a read with this trans_ID came; 0: none is awaited.
static uint64_t asked[64];

int program(void) {
  sci_find();
  if (!sci_card.blink || !(sci(SCIR_STATUS) & SCIR_STATUS_LATENCY)) bail(RT_NO_BOARD, "no test-blink, or latency=off");
  if (sci_card.nodes != NODES) bail(RT_NO_BOARD, "%u nodes; this program is for 4", sci_card.nodes);
  sci_home(0, sci_card.pages, 0);
  if (!rt_others(NODES - 1, other)) bail(RT_NO_BOARD, "the other processors do not start");
  blink_clear();
  go = 1;
  for (unsigned node = 1; node < NODES; node++)
    while (!finished[node]) __asm__ volatile("pause");
  spin(10000);
  const uint32_t count = blink_count();
  uint32_t awaited = 0, most = 0, early = 0, between = 0, mixed = 0, last = 64, answers = 0, back = 0;
  uint64_t before[NODES] = {0};
  for (uint32_t i = 0; i < count; i++) {
    const struct packet p = blink_packet(i);
    const uint32_t trans = (uint32_t)(p.bd1 >> SCI_BD1_TRANS_SHIFT), command = (uint32_t)(p.bd1 >> SCI_BD1_COMMAND_SHIFT);
    back += p.ns < before[p.node];
    before[p.node] = p.ns;
    if (p.node != 0) continue;
    if (command & SCI_COMMAND_RESPONSE) {
      answers++;
      early += p.ns < asked[trans] + HOME;
      mixed += !asked[trans];
      between += last != trans;
      awaited -= asked[trans] != 0;
      asked[trans] = 0;
    } else {
      mixed += asked[trans] != 0;
      if ((command & SCI_COMMAND_WHAT) == SCI_READ) asked[trans] = p.ns, awaited++;
      if (awaited > most) most = awaited;
      last = trans;
    }
  }
  is(answers, 3 * EACH, "responses of node 0");
  is(back, 0, "packets before the last one of their B-Link");
  is(early, 0, "responses sooner than HOME behind their requests");
  ok(between > EACH, "%u requests have other nodes' between them and their responses", between);
  is(most, NODES - 1, "transactions awaited at once");
  is(mixed, 0, "trans_IDs that are awaited twice, or not at all");
  return done_testing();
}
