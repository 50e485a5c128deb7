// SPDX-License-Identifier: GPL-2.0-or-later
// mkmsg - a device's interrupt message that goes to a sample address. The processor touches the device, but
// the message is the device's: no CPU ID line is active, and what the chip would delay is an overrun. The device
// (QEMU's edu, with -device edu) must work on.
#include "../rt/mk.h"

enum {
  PCI_COMMAND = 0x04, PCI_BAR0 = 0x10, PCI_CAPABILITIES = 0x34, MEMORY_AND_MASTER = 6,
  CAP_MSI = 5, MSI_ON = 1 << 16,
  EDU = 0x11e81234, EDU_ID = 0x00, EDU_LIVE = 0x04, EDU_RAISE = 0x60, EDU_LOWER = 0x64,
};

static uint32_t device;
static uint32_t config(uint32_t offset) { return pci_config(0, device, 0, offset); }
static void configure(uint32_t offset, uint32_t v) { pci_config_put(0, device, 0, offset, v); }

// Messages of the device go to the address.
static void send_messages_to(uint32_t address) {
  uint32_t cap = config(PCI_CAPABILITIES) & 0xfc;
  while (cap && (config(cap) & 0xff) != CAP_MSI) cap = config(cap) >> 8 & 0xfc;
  if (!cap) bail(RT_NO_BOARD, "edu without MSI");
  configure(cap + 4, address);
  configure(cap + 8, 0);
  configure(cap + 12, 0x1234);
  configure(cap, config(cap) | MSI_ON);
}

int program(void) {
  struct mk mk;
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON card");
  while (device < 32 && config(0) != EDU) device++;
  if (device == 32) bail(RT_NO_BOARD, "no edu");
  const uint32_t edu = config(PCI_BAR0) & ~15u;
  configure(PCI_COMMAND, config(PCI_COMMAND) | MEMORY_AND_MASTER);
  const uint32_t id = mmio32(edu + EDU_ID);
  send_messages_to(mk.sample + MKR_AT8(MKR_SAMPLE_TRACE(3)));

  mk_put(&mk, MKR_RESET, 0);
  mk_put(&mk, MKR_FILTER, 0xffff);
  mk_put(&mk, MKR_CSR, MKR_CSR_SE | MKR_CSR_WWAIT);
  unsigned samples = 0;
  for (; samples < 40; samples++) mk_put(&mk, MKR_SAMPLE_TRACE(1), samples);
  const uint32_t waited = mk_get(&mk, MKR_WAIT);
  mmio32_put(edu + EDU_RAISE, 1);
  ok(waited > 0, "the FIFO is full");
  is(mk_get(&mk, MKR_OVERRUN), 1, "the message's sample is an overrun");
  is(mmio32(edu + EDU_ID), id, "the device answers");
  mmio32_put(edu + EDU_LIVE, 0x0f0f0f0f);
  is(mmio32(edu + EDU_LIVE), 0xf0f0f0f0, "and does what it should");
  mmio32_put(edu + EDU_LOWER, 1);

  spin(20000);
  mmio32_put(edu + EDU_RAISE, 1);
  is(mk_get(&mk, MKR_OVERRUN), 1, "with room in the FIFO it is a sample");
  spin(20000);
  say("# stream trace %u resource 0\n", samples + 1);
  return done_testing();
}
