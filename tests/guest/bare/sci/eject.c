// SPDX-License-Identifier: GPL-2.0-or-later
// eject - the guest ejects processors through ACPI's ports, each of them a node of smile-sci; then the monitor plugs another one in, which is that
// node again (eject_run, with "plug"). What a node has sent stays counted, once; the others, and the node anew, send on.
#include "../rt/hotplug.h"
#include "sci.h"

enum { NODES = 4, STORES = 3000 };

static volatile uint32_t go, finished[NODES];
static uint32_t sent[NODES];

// Loads and stores of a page whose home is the next node.
static void work(unsigned node) {
  volatile uint32_t *const to = (uint32_t *)WINDOW((node + 1) % NODES, 64 * node);
  for (uint32_t i = 0; i < STORES; i++) *to = i;
  for (uint32_t i = 0; i < STORES; i++) (void)*to;
}

static void other(unsigned node) {
  for (uint32_t round = finished[node];;) {
    while (go == round) __asm__ volatile("pause");
    round = go;
    work(node);
    finished[node] = round;
  }
}

static void send(const char *when) {
  const uint32_t next = go + 1;
  uint32_t bad = 0, all = 0, received = 0;
  go = next;
  work(0);
  for (unsigned i = 0; i < NODES; i++) {
    if (i && !hotplug_is_there(i)) continue;
    while (i && finished[i] != next) __asm__ volatile("pause");
    sent[i] += STORES;
  }
  for (unsigned i = 0; i < NODES; i++) {
    bad += sci_count(i, SCIR_STATS_WRITES) != sent[i];
    bad += sci_count(i, SCIR_STATS_READS) != sent[i];
    bad += sci_count(i, SCIR_STATS_OUTSTANDING) != 0;
    received += (uint32_t)sci_count(i, SCIR_STATS_RECEIVED);
    all += 2 * sent[i];
  }
  is(bad, 0, "%s: what each node has sent", when);
  is(received, all, "%s: and what has arrived", when);
}

int program(void) {
  sci_find();
  if (sci_card.nodes != NODES) bail(RT_NO_BOARD, "%u nodes", sci_card.nodes);
  hotplug_begin();
  for (uint32_t i = 0; i < NODES; i++) sci_home(i, 1, i);
  sci_put(SCIR_CTRL, SCIR_CTRL_ENABLE | SCIR_CTRL_CLEAR);
  if (!rt_others(NODES - 1, other)) bail(RT_NO_BOARD, "four processors are wanted (-smp 4)");
  send("four");
  hotplug_eject(1);
  send("three");
  hotplug_eject(2);
  send("two");
  sci_put(SCIR_CTRL, 0);
  hotplug_eject(3);
  sci_put(SCIR_CTRL, SCIR_CTRL_ENABLE);
  send("one");
  if (rt_option("plug")) {
    finished[1] = go;  // it is to wait for the next round
    hotplug_plug(1, other);
    send("another one");
    hotplug_eject(1);
    send("one again");
  }
  return done_testing();
}
