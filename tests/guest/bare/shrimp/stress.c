// SPDX-License-Identifier: GPL-2.0-or-later
// stress - the outgoing FIFO filled faster than the backplane drains it: high and low water (4.4.2),
// the driver's busy loop between them, and stores lost when nobody waits. All counts exact.
#include "../rt/boards.h"

enum { PAGES = 16, ALL = PAGES * 1024 };
static uint32_t source[ALL] __attribute__((aligned(4096)));
static uint32_t arrived[ALL] __attribute__((aligned(4096)));

static struct counts before;
static void begin(void) {
  settle();
  sni_put(SNI_SISR, SNI_SISR_CONDITIONS);
  surf_begin(SURF_HTCR_WEN | SURF_HTCR_TEN, 0);
  counts_read(&before);
}

static inline void fill(uint32_t value, uint32_t words) {
  uint32_t *to = source;
  __asm__ volatile("rep stosl" : "+D"(to), "+c"(words) : "a"(value) : "memory");
}

static uint32_t changed(uint32_t value) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < ALL; i++) n += arrived[i] == value;
  return n;
}

// Words of the FIFO that a one-word packet takes: header, timestamp, payload with trailer (3.8).
static uint32_t packet_words;
static void occupancy(void) {
  for (unsigned stamped = 0; stamped < 2; stamped++) {
    sni_put(SNI_SCR, SNI_SCR_EN | SNI_SCR_AUE | (stamped ? SNI_SCR_TSE : 0));
    begin();
    // Enough that the first has not left before FCNT is read.
    fill(1, 20);
    uint32_t occupied = sni(SNI_FCNT);
    packet_words = stamped ? 3 : 2;
    ok(occupied % packet_words == 0 && occupied >= 15 * packet_words && occupied <= 20 * packet_words,
       "20 one-word packets %s timestamps occupy %u words", stamped ? "with" : "without", occupied);
    settle();
    is(sni(SNI_FCNT), 0, "and none later");
    is(sni(SNI_SSR) & (SNI_SSR_EMPTY | SNI_SSR_BLW | SNI_SSR_AHW | SNI_SSR_FULL), SNI_SSR_EMPTY | SNI_SSR_BLW,
       "status: empty, below low water");
  }
}

static void overrun(void) {
  uint32_t size = sni(SNI_FSIZE), packets = size / packet_words * 3 / 2;
  if (packets > ALL) {
    say("# FIFO of %u words is larger than this program can fill\n", size);
    packets = ALL;
  }
  begin();
  fill(0x0F0F0F0F, packets);
  uint32_t ssr = sni(SNI_SSR), sisr = sni(SNI_SISR), occupied = sni(SNI_FCNT);
  ok(occupied <= size && occupied + 2 * packet_words > size, "%u stores at once: %u of %u words occupied",
     packets, occupied, size);
  is(ssr & (SNI_SSR_AHW | SNI_SSR_BLW | SNI_SSR_EMPTY), SNI_SSR_AHW, "status: above high water");
  is(sisr & (SNI_SISR_HW | SNI_SISR_LW | SNI_SISR_OVF), SNI_SISR_HW | SNI_SISR_OVF, "HW and OVF, not yet LW");
  is(sisr >> 31, 0, "nothing enabled: no interrupt");
  settle();
  struct counts c;
  counts_since(&c, &before);
  is(c.aus, packets, "stores snooped");
  ok(c.ovf > 0, "stores lost: %llu", c.ovf);
  is(c.txp + c.ovf, packets, "sent and lost together are all");
  is(c.rxp, c.txp, "delivered");
  is(c.wcdr, c.txp, "word count");
  is(c.tecr, c.txp, "traced");
  is(changed(0x0F0F0F0F), c.txp, "words that arrived in memory");
  is(sni(SNI_SISR) & SNI_SISR_LW, SNI_SISR_LW, "LW after the FIFO drained");
  sni_put(SNI_SISR, SNI_SISR_OVF);
  is(sni(SNI_SISR) & (SNI_SISR_HW | SNI_SISR_LW | SNI_SISR_OVF), SNI_SISR_HW | SNI_SISR_LW,
     "OVF written 1: cleared alone");
  sni_put(SNI_SISR, 0);
  is(sni(SNI_SISR) & (SNI_SISR_HW | SNI_SISR_LW), SNI_SISR_HW | SNI_SISR_LW, "writing 0 clears nothing");
  bool increasing = true;
  for (uint32_t i = 1; i < c.tecr; i++) increasing &= recorded(i).address > recorded(i - 1).address;
  ok(increasing, "in the order of the stores");
}

static volatile unsigned throttled, turns;
static void on_sni(void) {
  uint32_t sisr = sni(SNI_SISR);
  if (!(sisr & SNI_SISR_HW)) bail(RT_FAIL, "interrupt without HW: SISR %08x", sisr);
  throttled++;
  while (!(sni(SNI_SSR) & SNI_SSR_BLW)) turns++;  // the paper's driver does just this
  sni_put(SNI_SISR, SNI_SISR_HW | SNI_SISR_LW);
}

static void throttle(uint32_t high, uint32_t low) {
  uint32_t size = sni(SNI_FSIZE);
  sni_put(SNI_FHWM, high);
  sni_put(SNI_FLWM, low);
  is(sni(SNI_FHWM), high, "FHWM");
  is(sni(SNI_FLWM), low, "FLWM");
  begin();
  throttled = turns = 0;
  sni_put(SNI_SIER, SNI_SIER_HW);
  irq_on();
  uint32_t from = clock_100ns();
  fill(0x17171700 + high, ALL);
  uint32_t took = clock_100ns() - from;
  irq_off();
  sni_put(SNI_SIER, 0);
  settle();
  struct counts c;
  counts_since(&c, &before);
  ok(throttled > 0, "marks %u and %u of %u: throttled %u times, %u turns of the busy loop", high, low, size,
     throttled, turns);
  is(c.ovf, 0, "no store lost");
  is(c.txp, ALL, "packets sent");
  is(c.rxp, ALL, "delivered");
  is(c.wcdr, ALL, "word count");
  is(c.tecr, ALL, "traced");
  is(changed(0x17171700 + high), ALL, "words that arrived");
  // Without waiting the stores would take ALL x 32 ns; the receiver takes a packet every 1080 ns at best.
  ok(took >= (ALL - size / packet_words) * 108 / 10, "it took %u00 ns", took);
  is(surf(SURF_ISCR) & SURF_ISCR_PV, 0, "the SurfBoard kept up");
}

int program(void) {
  boards_start();
  for (uint32_t p = 0; p < PAGES; p++) {
    au_export(arrived + 1024 * p, p, false);
    au_map(source + 1024 * p, arrived + 1024 * p, AU_PLAIN);
  }
  rt_irq(SNI_IRQ, true, on_sni);
  uint32_t high = sni(SNI_FHWM), low = sni(SNI_FLWM), size = sni(SNI_FSIZE);
  occupancy();
  overrun();
  throttle(high, low);
  throttle(size / 2, size / 4);
  throttle(size - 64 < high ? size / 4 : size - 64, 0);
  return done_testing();
}
