// SPDX-License-Identifier: GPL-2.0-or-later
// snap - a long stream of packets with a trace that triggers in its middle. At the end it prints
// hashes of the board's memories and of every counter: a machine that was stopped, saved and
// restored on the way must print the same as one that was not (tests/guest/bare/bare_snap).
//
// Its progress lines ("# 1 of 20") tell the test when to stop; packets are in flight at all
// times, because the next burst starts when the FIFO still holds some of the last.
#include "../rt/boards.h"

enum { PAGES = 8, STEPS = 20, BURSTS = 350 };
static uint32_t source[PAGES][WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t arrived[PAGES][WORDS_OF_PAGE] __attribute__((aligned(4096)));

static uint64_t hash(uint64_t h, const volatile uint32_t *p, uint32_t words) {  // FNV-1a by words
  while (words--) h = (h ^ *p++) * 0x100000001B3ull;
  return h;
}
#define HASH_START 0xCBF29CE484222325ull

static volatile unsigned triggers;
static void on_surf(void) {
  triggers++;
  surf_put(SURF_ISCR, SURF_ISCR_BV | SURF_ISCR_TP);
  while (surf(SURF_ISCR) & SURF_ISCR_FNE) surf(SURF_HFDR);
}

static void burst(void) {
  uint32_t page = rt_random() % PAGES, from = rt_random() % (WORDS_OF_PAGE - 64), words = 1 + rt_random() % 60;
  for (uint32_t i = 0; i < words; i++) ((volatile uint32_t *)source[page])[from + i] = rt_random();
}

int program(void) {
  uint32_t bytes;
  boards_start();
  const uint8_t *bits = rt_module(".bit", &bytes);
  if (!bits) bail(RT_NO_BOARD, "no HAS bitstream given (-initrd FILE.bit)");
  ok(has_load(bits, bytes), "HAS configured, FCCR %03x", surf(SURF_FCCR));
  hist_clear();
  for (uint32_t i = 0; i < boards.trace_bytes / 4; i++) trace()[i] = 0xFFFFFFFF;
  // Even pages combine, of them half with a timeout; odd ones do not.
  for (unsigned i = 0; i < PAGES; i++) {
    au_export(arrived[i], i, false);
    au_map(source[i], arrived[i], i & 1 ? AU_PLAIN : AU_COMB | AU_BOUND(i / 2) | (i & 4 ? AU_TIMEOUT : 0));
  }
  sni_put(SNI_CTOR, 30);
  for (uint32_t i = 0; i < 16; i++) hist()[i] = 0xFFFFF000;  // whichever are used overflow on the way
  surf_begin(0, SURF_PUT(TTCR_MODE, SURF_MODE_MIDDLE) | SURF_PUT(TTCR_QUAL, SURF_QUAL_BIN));
  surf_put(SURF_IEMR, SURF_IEMR_BV | SURF_IEMR_TP);
  surf_put(SURF_HTCR, SURF_HTCR_HEN | SURF_HTCR_TEN | SURF_HTCR_WEN);
  rt_irq(SURF_IRQ, true, on_surf);
  irq_on();
  uint32_t most = sni(SNI_FSIZE) / 2;
  for (unsigned step = 0; step < STEPS; step++) {
    say("# %u of %u: %u words in the FIFO, %llu packets sent, trace at %x\n", step, STEPS, sni(SNI_FCNT),
        sni64(SNI_TXP), surf(SURF_TICR));
    for (unsigned i = 0; i < BURSTS; i++) {
      burst();
      while (sni(SNI_FCNT) > most)
        ;
    }
    ok(sni(SNI_FCNT) > 0, "packets in flight");
  }
  sni_put(SNI_SCR, SNI_SCR_EN | SNI_SCR_AUE | SNI_SCR_TSE | SNI_SCR_FLUSH);
  settle();
  irq_off();
  struct counts c;
  counts_read(&c);
  ok(triggers > 0, "bin overflows: %u interrupts", triggers);
  is(c.ovf, 0, "no store lost");
  is(c.wcdr, c.rxw, "word count and words delivered");
  ok(surf(SURF_HTCR) & SURF_HTCR_TRG, "the trace triggered, at index %u", surf(SURF_TPIR));
  bool same = true;
  for (unsigned i = 0; i < PAGES; i++)
    for (uint32_t j = 0; j < WORDS_OF_PAGE; j++) same &= source[i][j] == arrived[i][j];
  ok(same, "all pages arrived");
  uint32_t htcr = surf(SURF_HTCR);
  surf_put(SURF_HTCR, 0);  // so that the memories are plain RAM
  say("# final trace memory %016llx\n", hash(HASH_START, trace(), boards.trace_bytes / 4));
  say("# final histogram memory %016llx\n", hash(HASH_START, hist(), boards.hist_bytes / 4));
  say("# final packets %llu words %llu TICR %x TECR %x TPIR %x WCDR %x ISCR %x HTCR %x\n", c.txp, c.txw,
      c.ticr, c.tecr, surf(SURF_TPIR), c.wcdr, surf(SURF_ISCR), htcr);
  uint64_t h = HASH_START;
  for (uint32_t offset = SNI_TXP; offset < SNI_LAT_TOTAL + 0x10; offset += 4) {
    if (offset >= SNI_BWR + 8 && offset < SNI_LAT_COMB) continue;
    if (offset == SNI_DUP + 8 || (offset >= SNI_ENDF + 8 && offset < SNI_AUS)) continue;
    uint32_t v = sni(offset);
    h = hash(h, &v, 1);
  }
  say("# final SNI counters and latencies %016llx, clock %08x\n", h, clock_100ns());
  return done_testing();
}
