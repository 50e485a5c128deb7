// SPDX-License-Identifier: GPL-2.0-or-later
// effects - what measuring does to what is measured (3.8). One piece of work, and -append says what listens meanwhile:
//
//   disabled            EBCR.ENABLE is 0 (without a SurfBoard: absent)
//   words, histogram, trace     collected; any of them together
//   threshold           the histogram, and a handler that is called at each THRESHOLDth packet of one word
//   unstamped           SCR.TSE is 0: packets have no timestamps
//
// The work begins at the same nanosecond whatever was set up before, and has been done twice by then, so that the caches
// hold the same. It prints one line of numbers for effects-test.
#include "../rt/boards.h"

enum { SINGLES = 2000, PAGES = 8, BURST = 1000, FLOOD = 2500, THRESHOLD = 100, NS = 32 };
#define BEGIN 1500000000ull

static uint32_t source[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t combined[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t arrived[WORDS_OF_PAGE] __attribute__((aligned(4096)));

static volatile uint32_t interrupts, wrong, the_bin;

// What a handler must do: take the bin's address out of the FIFO, set the next threshold, clear the condition.
static void on_surf(void) {
  uint32_t bin = 0;
  for (unsigned i = 0; i < 3; i++) bin |= (surf(SURF_HFDR) & SURF_HFDR_DATA_MASK) << 8 * i;
  wrong += bin != the_bin;
  hist()[bin] -= THRESHOLD;
  surf_put(SURF_ISCR, SURF_ISCR_BV);
  interrupts++;
}

static void store(uint32_t *page, uint32_t words, uint32_t pause) {
  volatile uint32_t *to = page;
  for (uint32_t i = 0; i < words; i++) {
    to[i % WORDS_OF_PAGE] = i;
    if (pause) spin(pause);
  }
}

struct phase {
  uint64_t ns, stores_ns, packets, latency;  // stores_ns: until the last store, without the wait for its arrival
  uint32_t fifo;  // occupied right behind the last store
};

struct seen {
  uint64_t begin, end;
  struct phase phase[4];
};

static uint64_t part_begin;

// The last packet reaches the SurfBoard's memories a moment after it has arrived.
static void arrive(struct phase *p, uint64_t begin, uint32_t words) {
  p->fifo = sni(SNI_FCNT);
  p->stores_ns = now_ns() - part_begin;
  while (sni(SNI_RXW) + sni(SNI_OVFC) < words)
    ;
  spin(50);
  p->ns = now_ns() - begin;
  p->packets = sni64(SNI_RXP);
  p->latency = sni64(SNI_LAT_TOTAL + SNI_LAT_SUM);
  part_begin = now_ns();
}

static __attribute__((noinline)) struct seen work(void) {
  struct seen s;
  uint32_t words = 0;
  s.begin = part_begin = now_ns();
  store(source, SINGLES, 60);
  arrive(&s.phase[0], s.begin, words += SINGLES);
  for (unsigned page = 0; page < PAGES; page++) {
    store(combined, WORDS_OF_PAGE, 4);
    spin(20000);
  }
  arrive(&s.phase[1], s.begin, words += PAGES * WORDS_OF_PAGE);
  store(source, BURST, 0);
  arrive(&s.phase[2], s.begin, words += BURST);
  store(source, FLOOD, 0);
  arrive(&s.phase[3], s.begin, words += FLOOD);
  s.end = now_ns();
  return s;
}

// One instruction a turn: to the nanosecond.
static void sleep_until(uint64_t time) {
  while (now_ns() + 100 * NS < time)
    ;
  uint32_t turns = (uint32_t)(time - now_ns()) / NS;
  __asm__ volatile("1: loop 1b" : "+c"(turns));
}

static void rehearse(void) {
  for (unsigned i = 0; i < 2; i++) {
    sni_put(SNI_SCR, sni(SNI_SCR) | SNI_SCR_CRST);
    work();
  }
  wait_us(100);
}

static void load_selector(void) {
  uint32_t bytes;
  const uint8_t *bits = rt_module(".bit", &bytes);
  if (!bits) bail(RT_NO_BOARD, "no HAS bitstream given (-initrd FILE.bit)");
  if (!has_load(bits, bytes)) bail(RT_NO_BOARD, "HAS not configured, FCCR %03x", surf(SURF_FCCR));
}

// Where packets of one word are counted, by the selector's rule: found out, not known.
static void find_bin(void) {
  hist_clear();
  surf_put(SURF_HTCR, SURF_HTCR_HEN);
  store(source, 1, 0);
  settle();
  surf_put(SURF_HTCR, 0);
  for (uint32_t i = 0; i < boards.hist_bytes / 4; i++)
    if (hist()[i]) the_bin = i;
  hist_clear();
}

int program(void) {
  const bool here = boards_start_sni();
  const bool threshold = rt_option("threshold");
  uint32_t htcr = (rt_option("words") ? SURF_HTCR_WEN : 0) | (rt_option("trace") ? SURF_HTCR_TEN : 0) |
                  (rt_option("histogram") || threshold ? SURF_HTCR_HEN : 0);
  if (rt_option("unstamped")) sni_put(SNI_SCR, sni(SNI_SCR) & ~SNI_SCR_TSE);
  au_export(arrived, 3, false);
  au_map(source, arrived, AU_PLAIN);
  au_map(combined, arrived, AU_COMB | AU_BOUND(4));
  if (here) {
    load_selector();
    hist_clear();
  }
  if (threshold) {
    find_bin();
    hist()[the_bin] = (uint32_t)-THRESHOLD;
    rt_irq(SURF_IRQ, true, on_surf);
  }
  if (here && rt_option("disabled")) outl((uint16_t)(boards.surf_slot << 12 | SURF_EBCR), 0);
  rehearse();
  sni_put(SNI_SCR, sni(SNI_SCR) | SNI_SCR_CRST);
  if (here && !rt_option("disabled")) {
    surf_put(SURF_IEMR, threshold ? SURF_IEMR_BV : 0);
    surf_put(SURF_HTCR, htcr);
  }
  irq_on();
  if (now_ns() + 1000 * NS > BEGIN) bail(RT_FAIL, "the preparations last until %llu ns", now_ns());
  sleep_until(BEGIN);
  const struct seen s = work();
  irq_off();
  uint32_t lost = sni(SNI_OVFC), single = SINGLES + BURST + FLOOD - lost;
  say("work singles=%u pages=%u words=%u burst=%u flood=%u threshold=%u ns=%u\n", SINGLES, PAGES, WORDS_OF_PAGE, BURST, FLOOD,
      THRESHOLD, NS);
  say("effects begin=%llu end=%llu lost=%u interrupts=%u\n", s.begin, s.end, lost, interrupts);
  for (unsigned i = 0; i < 4; i++)
    say("phase %u ns=%llu stores_ns=%llu packets=%llu latency=%llu fifo=%u\n", i, s.phase[i].ns, s.phase[i].stores_ns,
        s.phase[i].packets, s.phase[i].latency, s.phase[i].fifo);
  is(wrong, 0, "overflows of another bin than that of packets of one word");
  is(sni64(SNI_RXP), sni64(SNI_TXP), "all packets have arrived");
  is(sni64(SNI_RXD), 0, "none was dropped");
  if (htcr & SURF_HTCR_WEN) is(surf(SURF_WCDR), sni64(SNI_RXW), "words counted");
  if (htcr & SURF_HTCR_TEN) is(surf(SURF_TECR), sni64(SNI_RXP), "packets traced");
  if (threshold) is(interrupts, single / THRESHOLD, "interrupts");
  if (htcr & SURF_HTCR_HEN && !threshold) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < boards.hist_bytes / 4; i++) sum += hist()[i];
    is(sum, sni64(SNI_RXP), "packets in bins");
  }
  return done_testing();
}
