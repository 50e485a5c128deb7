// SPDX-License-Identifier: GPL-2.0-or-later
// strange - with latency=on, accesses that are not a node's: by a processor that is none, and at addresses that are not the window's.
//
// Of a device QEMU remembers its number in the map of memory, and looks it up in the newest map. So a processor in the middle of an
// access to one device may reach another one, with the first one's offset, when the map changes. Here it changes by a device of QEMU's
// own (edu), just below the window, and what is accessed is the EISA bus's idle memory behind it, whose offsets are its addresses.
//
// Needs the bridge, a smile-sci of two nodes, edu, and three processors.
#include "sci.h"

enum { PCI_COMMAND = 4, PCI_BAR0 = 0x10, PCI_BAR2 = 0x18, PCI_MEMORY = 2, CFC = 0xCFC, EDU = 0x11e81234, EDU_BYTES = 1 << 20 };

static volatile uint32_t looks[3];
static volatile bool stranger_done, racing, stop;
static uint32_t idle, stranger_wrong;

// Node 2 does not exist: the window is plain memory for it.
static void stranger(void) {
  for (uint32_t i = 0; i < 200; i++) {
    *(volatile uint32_t *)(WINDOW(1, 64)) = i;
    stranger_wrong += *(volatile uint32_t *)(WINDOW(1, 64)) != i;
    stranger_wrong += *(volatile uint32_t *)(WINDOW(0, 64)) != 0x1234;
  }
  stranger_done = true;
}

static void other(unsigned processor) {
  if (processor == 2) stranger();
  while (!racing) __asm__ volatile("pause");
  while (!stop) {
    for (uint32_t i = 0; i < 100; i++) (void)mmio32(idle + 4096 * processor);
    looks[processor]++;
  }
  for (;;) __asm__ volatile("cli; hlt");
}

int program(void) {
  const uint32_t rounds = rt_option("free") ? 1000 : 20, edu = pci_find(EDU, 0);
  sci_find();
  if (edu == 32 || sci_card.nodes != 2) bail(RT_NO_BOARD, "no edu, or not two nodes");
  const uint32_t place = rt_free_window(4 * EDU_BYTES, 4 * EDU_BYTES), device = pci_find(SCIR_DEVICE << 16 | SCIR_VENDOR, 0);
  if (!place) bail(RT_NO_BOARD, "no free addresses");
  pci_config_put(0, edu, 0, PCI_BAR0, place);
  pci_config_put(0, device, 0, PCI_BAR2, place + EDU_BYTES);
  sci_card.window = place + EDU_BYTES;
  idle = place + 2 * EDU_BYTES;
  sci_home(0, sci_card.pages, 1);
  *(volatile uint32_t *)WINDOW(0, 64) = 0x1234;
  if (!rt_others(2, other)) bail(RT_NO_BOARD, "three processors are needed");
  while (!stranger_done) (void)*(volatile uint32_t *)WINDOW(1, 0);  // this one waits for its accesses meanwhile
  is(stranger_wrong, 0, "a processor that is no node has plain memory, while another one waits for its accesses");
  (void)pci_config(0, edu, 0, PCI_COMMAND);  // from now on CFC is the command register
  racing = true;
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < rounds; i++) {
    outl(CFC, i & 1 ? PCI_MEMORY : 0);
    for (uint32_t processor = 1, before; processor < 3; processor++)
      for (before = looks[processor]; looks[processor] == before;) __asm__ volatile("pause");
    wrong += *(volatile uint32_t *)WINDOW(0, 64) != 0x1234;
  }
  stop = true;
  is(wrong, 0, "%u times: the window is as it was, whoever reaches it", rounds);
  return done_testing();
}
