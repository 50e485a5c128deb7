// SPDX-License-Identifier: GPL-2.0-or-later
// unplug - three nodes use the window of smile-sci without a pause while the fourth one ejects first the monitor that listens, then the adapters, through
// ACPI's ports: no driver has let go, and nobody has asked. All go on, and meet the idle bus.
//
// Needs the bridge, smile-sci, a smile-hwm that listens, and four processors.
#include "guest/smile/regs.h"
#include "../rt/hotplug.h"
#include "sci.h"

enum { NODES = 4, ROUNDS = 2000 };

static volatile uint32_t looks[NODES], last[NODES];

// Loads, stores and locked instructions.
static void other(unsigned node) {
  volatile uint32_t *const at = (uint32_t *)WINDOW((node + 1) % NODES, 64 * node);
  for (uint32_t i = 0;; i++) {
    *at = i;
    __atomic_fetch_add(at, 1, __ATOMIC_SEQ_CST);
    last[node] = *at;
    looks[node]++;
  }
}

static bool all_go_on(void) {
  uint32_t before[NODES];
  for (unsigned n = 1; n < NODES; n++) before[n] = looks[n];
  for (unsigned n = 1; n < NODES; n++)
    while (looks[n] - before[n] < ROUNDS) __asm__ volatile("pause");
  return true;
}

int program(void) {
  sci_find();
  const uint32_t monitor = pci_find((uint32_t)SMR_DEVICE << 16 | SMR_VENDOR, 0), adapter = pci_find((uint32_t)SCIR_DEVICE << 16 | SCIR_VENDOR, 0);
  if (sci_card.nodes != NODES || monitor == 32) bail(RT_NO_BOARD, "no monitor, or not four nodes");
  const uintptr_t card = pci_memory(monitor, 0);
  mmio32_put(card + SMR_MASK, 0xff);
  mmio32_put(card + SMR_MCR, SMR_MCR_RUN);
  for (uint32_t i = 0; i < NODES; i++) sci_home(i, 1, i);
  sci_put(SCIR_CTRL, SCIR_CTRL_ENABLE | SCIR_CTRL_CLEAR);
  if (!rt_others(NODES - 1, other)) bail(RT_NO_BOARD, "four processors are wanted (-smp 4)");
  ok(all_go_on(), "all use the window");
  ok(mmio32(card + SMR_PACKETS) > ROUNDS, "and the monitor listens");
  hotplug_eject_card(monitor);
  ok(all_go_on(), "the monitor goes, and they go on");
  is(pci_find((uint32_t)SMR_DEVICE << 16 | SMR_VENDOR, 0), 32, "it is not there");
  hotplug_eject_card(adapter);
  ok(all_go_on(), "the adapters go, and they go on");
  is(pci_find((uint32_t)SCIR_DEVICE << 16 | SCIR_VENDOR, 0), 32, "they are not there");
  for (unsigned n = 1; n < NODES; n++) is(last[n], UINT32_MAX, "node %u meets the idle bus", n);
  return done_testing();
}
