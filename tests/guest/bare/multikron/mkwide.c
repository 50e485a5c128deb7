// SPDX-License-Identifier: GPL-2.0-or-later
// mkwide - stores to MULTIKRON's sample page, with write wait on, that are not one store of an instruction. One that stores more than once: each
// store is one sample, though the instruction stands still in its middle. With "message" and -device edu, a device's interrupt message: the processor touches
// the device, but the message is the device's. No CPU ID line is active, and what the chip would delay is an overrun. The device must work on.
#include "../rt/mk.h"

enum { WIDE = 100, PUSHES = 50, SAMPLES = 40 };
enum {
  PCI_COMMAND = 0x04, PCI_BAR0 = 0x10, PCI_CAPABILITIES = 0x34, MEMORY_AND_MASTER = 6,
  CAP_MSI = 5, MSI_ON = 1 << 16,
  EDU = 0x11e81234, EDU_ID = 0x00, EDU_LIVE = 0x04, EDU_RAISE = 0x60, EDU_LOWER = 0x64,
};
static struct mk mk;

static void wide(void) {
  uint32_t cr4, moved = 0;
  __asm__ volatile("movl %%cr4, %0\n\torl $0x600, %0\n\tmovl %0, %%cr4" : "=r"(cr4));  // SSE
  const uint64_t start = now_ns();
  for (unsigned i = 0; i < WIDE; i++)  // levels 2 and 3
    __asm__ volatile("movups %%xmm0, (%0)" ::"r"(mk.sample + MKR_AT8(MKR_SAMPLE_TRACE(2))) : "memory");
  const uint64_t ns = now_ns() - start;
  const uint32_t waited = mk_get(&mk, MKR_WAIT);
  ok(rt_option("free") || (ns > (2 * WIDE - 10) * 640u && ns < 2 * WIDE * 640u), "%u stores of 16 bytes: %u ns", WIDE,
     (uint32_t)ns);
  // A host may be slower than the card.
  ok((waited > 0 || rt_option("free")) && waited <= ns / 20 + 1, "%u cycles waited", waited);
  // Eight pushes, every second one at the lower half of an address.
  for (unsigned i = 0; i < PUSHES; i++)
    __asm__ volatile("movl %%esp, %%ecx\n\tmovl %0, %%esp\n\tpushal\n\tmovl %%ecx, %%esp"
                     : "=r"(moved)
                     : "0"(mk.sample + MKR_AT8(MKR_SAMPLE_TRACE(12)))
                     : "ecx", "memory");
  is(mk_get(&mk, MKR_OVERRUN), 0, "no overrun");
}

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

static void message(void) {
  const uint32_t edu = config(PCI_BAR0) & ~15u;
  configure(PCI_COMMAND, config(PCI_COMMAND) | MEMORY_AND_MASTER);
  const uint32_t id = mmio32(edu + EDU_ID), waited = mk_get(&mk, MKR_WAIT);
  send_messages_to(mk.sample + MKR_AT8(MKR_SAMPLE_TRACE(3)));
  for (unsigned i = 0; i < SAMPLES; i++) mk_put(&mk, MKR_SAMPLE_TRACE(1), i);
  const uint32_t more = mk_get(&mk, MKR_WAIT) - waited;
  mmio32_put(edu + EDU_RAISE, 1);
  ok(more > 0, "the FIFO is full");
  is(mk_get(&mk, MKR_OVERRUN), 1, "the message's sample is an overrun");
  is(mmio32(edu + EDU_ID), id, "the device answers");
  mmio32_put(edu + EDU_LIVE, 0x0f0f0f0f);
  is(mmio32(edu + EDU_LIVE), 0xf0f0f0f0, "and does what it should");
  mmio32_put(edu + EDU_LOWER, 1);

  spin(20000);
  mmio32_put(edu + EDU_RAISE, 1);
  is(mk_get(&mk, MKR_OVERRUN), 1, "with room in the FIFO it is a sample");
}

int program(void) {
  if (!mk_find(0, &mk)) bail(RT_NO_BOARD, "no MULTIKRON card");
  mk_put(&mk, MKR_FILTER, 0xffff);
  mk_put(&mk, MKR_CSR, MKR_CSR_SE | MKR_CSR_WWAIT);
  wide();
  const bool messages = rt_option("message");
  if (messages) {
    while (device < 32 && config(0) != EDU) device++;
    if (device == 32) bail(RT_NO_BOARD, "no edu");
    message();
  }
  spin(rt_option("free") ? 200000 : 20000);
  say("# stream trace %u resource 0\n", 2 * WIDE + 4 * PUSHES + (messages ? SAMPLES + 1 : 0));
  return done_testing();
}
