// SPDX-License-Identifier: GPL-2.0-or-later
// pagecount - the example board's tap hears each store to its page, beside the SNI's, which has mapped the same page.
#include "tests/guest/bare/rt/boards.h"

enum { PCI_ID = 0, PCI_COMMAND = 4, PCI_BAR0 = 0x10, PCI_MEMORY = 2, PAGECOUNT = 0x45581234, STORES = 100 };

static uint32_t page[1024] __attribute__((aligned(4096)));

static uint32_t find(void) {
  for (uint32_t device = 0; device < 32; device++) {
    if (pci_config(0, device, 0, PCI_ID) != PAGECOUNT) continue;
    pci_config_put(0, device, 0, PCI_COMMAND, pci_config(0, device, 0, PCI_COMMAND) | PCI_MEMORY);
    return pci_config(0, device, 0, PCI_BAR0) & ~15u;
  }
  bail(RT_NO_BOARD, "no pagecount");
}

static void store(uint32_t *to, unsigned n) {
  for (unsigned i = 0; i < n; i++) __asm__ volatile("movl %1, %0" : "=m"(to[i]) : "r"(i));
}

int program(void) {
  struct counts before, c;
  boards_start();
  uint32_t board = find();
  mmio32_put(board, (uint32_t)page);
  au_export(page, 1, false);
  au_map(page, page, AU_PLAIN);
  counts_read(&before);
  store(page, STORES);
  settle();
  counts_since(&c, &before);
  is(mmio32(board) & 0xfff, STORES, "stores to its page, beside the SNI");
  is(c.txp, STORES, "which makes a packet of each");
  mmio32_put(board, 0);
  store(page, STORES);
  settle();
  counts_since(&c, &before);
  is(mmio32(board), 0, "off");
  is(c.txp, 2 * STORES, "the SNI still hears them");
  return done_testing();
}
