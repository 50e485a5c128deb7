// SPDX-License-Identifier: GPL-2.0-or-later
// stress - the outgoing FIFO filled faster than the backplane drains it, and the paper's driver, which waits in a busy loop from high to low
// water (4.4.2): no store is lost.
#include "../rt/boards.h"

enum { PAGES = 16, ALL = PAGES * 1024, PACKET_WORDS = 3 };
static uint32_t source[ALL] __attribute__((aligned(4096)));
static uint32_t arrived[ALL] __attribute__((aligned(4096)));

static volatile unsigned throttled, turns;
static void on_sni(void) {
  uint32_t sisr = sni(SNI_SISR);
  if (!(sisr & SNI_SISR_HW)) bail(RT_FAIL, "interrupt without HW: SISR %08x", sisr);
  throttled++;
  while (!(sni(SNI_SSR) & SNI_SSR_BLW)) turns++;  // the paper's driver does just this
  sni_put(SNI_SISR, SNI_SISR_HW | SNI_SISR_LW);
}

static void throttle(uint32_t high, uint32_t low) {
  const uint32_t size = sni(SNI_FSIZE), value = 0x17171700 + high;
  struct counts before, c;
  sni_put(SNI_FHWM, high);
  sni_put(SNI_FLWM, low);
  settle();
  sni_put(SNI_SISR, SNI_SISR_CONDITIONS);
  surf_begin(SURF_HTCR_WEN | SURF_HTCR_TEN, 0);
  counts_read(&before);
  throttled = turns = 0;
  sni_put(SNI_SIER, SNI_SIER_HW);
  irq_on();
  const uint32_t from = clock_100ns();
  uint32_t *to = source, words = ALL;
  __asm__ volatile("rep stosl" : "+D"(to), "+c"(words) : "a"(value) : "memory");
  const uint32_t took = clock_100ns() - from;
  irq_off();
  sni_put(SNI_SIER, 0);
  settle();
  counts_since(&c, &before);
  uint32_t changed = 0;
  for (uint32_t i = 0; i < ALL; i++) changed += arrived[i] == value;
  ok(throttled > 0, "marks %u and %u of %u: throttled %u times, %u turns of the busy loop", high, low, size,
     throttled, turns);
  is(c.ovf, 0, "no store lost");
  is(c.txp, ALL, "packets sent");
  is(c.rxp, ALL, "delivered");
  is(c.wcdr, ALL, "word count");
  is(c.tecr, ALL, "traced");
  is(changed, ALL, "words that arrived");
  // Without waiting the stores would take ALL x 32 ns; the receiver takes a packet every 1080 ns at best.
  ok(took >= (ALL - size / PACKET_WORDS) * 108 / 10, "it took %u00 ns", took);
  is(surf(SURF_ISCR) & SURF_ISCR_PV, 0, "the SurfBoard kept up");
}

int program(void) {
  boards_start();
  for (uint32_t p = 0; p < PAGES; p++) {
    au_export(arrived + 1024 * p, p, false);
    au_map(source + 1024 * p, arrived + 1024 * p, AU_PLAIN);
  }
  rt_irq(SNI_IRQ, true, on_sni);
  const uint32_t size = sni(SNI_FSIZE);
  throttle(sni(SNI_FHWM), sni(SNI_FLWM));
  throttle(size / 2, size / 4);
  throttle(size - 64, 0);
  return done_testing();
}
