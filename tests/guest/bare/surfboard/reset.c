// SPDX-License-Identifier: GPL-2.0-or-later
// reset - the machine is reset with packets in flight, and comes up again: the boards are
// disabled, nothing of the old life arrives, DRAM has kept its contents, and all works as before.
//
// The two lives tell themselves apart by a byte of the clock's battery-backed memory.
#include "../rt/boards.h"

enum { CMOS = 0x70, MARK_AT = 0x5E, MARK = 0xA7 };
static uint32_t source[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t arrived[WORDS_OF_PAGE] __attribute__((aligned(4096)));

static uint8_t cmos_get(void) {
  outb(CMOS, MARK_AT);
  return inb(CMOS + 1);
}
static void cmos_put(uint8_t v) {
  outb(CMOS, MARK_AT);
  outb(CMOS + 1, v);
}

static void first_life(void) {
  boards_start();
  au_export(arrived, 1, true);
  au_map(source, arrived, AU_PLAIN);
  sni_put(SNI_SIER, SNI_SISR_CONDITIONS);
  surf_begin(SURF_HTCR_TEN | SURF_HTCR_WEN, 0);
  surf_put(SURF_PCLR, 0x15);
  surf_put(SURF_IEMR, SURF_IEMR_TP);
  trace()[0x1000] = 0x600DDA7A;
  uint32_t n = 500, *to = source;
  __asm__ volatile("rep stosl" : "+D"(to), "+c"(n) : "a"(0x11111111) : "memory");
  uint32_t occupied = sni(SNI_FCNT), pending = surf(SURF_ISCR) >> 31;
  say("# first life: %u words in the FIFO, PEND %u; reset\n", occupied, pending);
  cmos_put(MARK);
  outb(0xCF9, 0x02);
  outb(0xCF9, 0x06);
  for (;;) __asm__ volatile("hlt");
}

int program(void) {
  if (cmos_get() != MARK) first_life();
  cmos_put(0);
  boards_find();
  ok(boards.surf_slot && boards.sni_slot, "second life: both boards answer");
  uint16_t ebcr = (uint16_t)(boards.surf_slot << 12 | SURF_EBCR),
           sbcr = (uint16_t)(boards.sni_slot << 12 | SNI_SBCR);
  is(inl(ebcr) & SURF_EBCR_ENABLE, 0, "the SurfBoard is disabled");
  is(inl(sbcr) & SNI_SBCR_ENABLE, 0, "the SNI is disabled");
  outb(0x20, 0x0A);
  is(inb(0x20) >> SURF_IRQ & 1, 0, "the SurfBoard's interrupt line is down");
  outb(0xA0, 0x0A);
  is(inb(0xA0) >> (SNI_IRQ - 8) & 1, 0, "and the SNI's");
  boards_configure(SURF_IRLEV_IRQ5, SURF_IRLEV_IRQ10);
  is(trace()[0x1000], 0x600DDA7A, "trace memory kept its contents");
  is(surf(SURF_IEMR), 0, "IEMR was cleared");
  is(surf(SURF_PCLR), 0x15, "PCLR was kept");
  is(sni(SNI_FCNT), 0, "the FIFO is empty");
  is(sni(SNI_SIER) | sni(SNI_SCR), SNI_SCR_TSE, "SIER is 0, SCR has only TSE");
  is(sni(SNI_OPT((uint32_t)source >> 12)), 0, "the page tables are empty");
  for (unsigned i = 0; i < 3; i++) wait_us(1000);
  uint32_t late = 0;
  for (uint32_t i = 0; i < WORDS_OF_PAGE; i++) late += arrived[i] != 0;
  is(late, 0, "no packet of the first life arrives in the second");

  boards_start();
  au_export(arrived, 1, false);
  au_map(source, arrived, AU_PLAIN);
  surf_begin(SURF_HTCR_TEN | SURF_HTCR_WEN, 0);
  struct counts before, c;
  counts_read(&before);
  for (uint32_t i = 0; i < 10; i++) ((volatile uint32_t *)source)[i] = 0x22222222;
  settle();
  counts_since(&c, &before);
  is(c.txp, 10, "ten packets sent");
  is(c.rxp, 10, "delivered");
  is(c.wcdr, 10, "word count");
  is(c.tecr, 10, "traced");
  is(arrived[9], 0x22222222, "payload arrived");
  return done_testing();
}
