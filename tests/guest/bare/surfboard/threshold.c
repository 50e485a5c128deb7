// SPDX-License-Identifier: GPL-2.0-or-later
// threshold - a bin preloaded with FFFFFFF0 interrupts after 16 packets (3.6, acceptance 5): bin
// overflow, FIFO, trigger and interrupt in one packet.
#include "../rt/boards.h"

static uint32_t source[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t arrived[WORDS_OF_PAGE] __attribute__((aligned(4096)));

static volatile unsigned interrupts, first_pend;
static volatile uint32_t first_iscr, first_packets, first_bytes[3];

static void on_surf(void) {
  uint32_t iscr = surf(SURF_ISCR);
  if (!interrupts++) {
    first_iscr = iscr;
    first_pend = iscr >> 31;
    first_packets = surf(SURF_TECR);
    for (unsigned i = 0; i < 3 && surf(SURF_ISCR) & SURF_ISCR_FNE; i++) first_bytes[i] = surf(SURF_HFDR);
  }
  surf_put(SURF_IEMR, 0);
}

static inline __attribute__((always_inline)) void send(uint32_t packets, uint32_t *at) {
  uint32_t turns;
  __asm__ volatile("1: movl %1, (%0)\n\tmovl $200, %2\n2:\tdecl %2\n\tjnz 2b\n\tdecl %1\n\tjnz 1b"
                   : "+r"(at), "+r"(packets), "=&r"(turns)::"memory");
}

static uint32_t the_bin;  // where one-word packets of this program are counted

static void find_bin(void) {
  hist_clear();
  surf_begin(SURF_HTCR_HEN, 0);
  send(3, source);
  settle();
  uint32_t bins = 0;
  for (uint32_t i = 0; i < boards.hist_bytes / 4; i++)
    if (hist()[i]) bins++, the_bin = i;
  is(bins, 1, "one-word packets of one kind fall into one bin");
  is(hist()[the_bin], 3, "bin %06x holds the three", the_bin);
}

static void overflow(void) {
  hist_clear();
  hist()[the_bin] = 0xFFFFFFF0;
  surf_begin(0, SURF_PUT(TTCR_MODE, SURF_MODE_BEGIN) | SURF_PUT(TTCR_QUAL, SURF_QUAL_BIN));
  surf_put(SURF_IEMR, SURF_IEMR_BV);
  surf_put(SURF_HTCR, SURF_HTCR_HEN | SURF_HTCR_TEN | SURF_HTCR_WEN);
  irq_on();
  send(15, source);
  settle();
  is(interrupts, 0, "15 packets: no interrupt");
  is(hist()[the_bin], 0xFFFFFFFF, "the bin is full");
  is(surf(SURF_ISCR) & SURF_ISCR_CONDITIONS, 0, "no condition");
  is(surf(SURF_TECR), 0, "nothing traced yet");
  send(1, source + 5);
  settle();
  irq_off();
  is(interrupts, 1, "the 16th packet interrupts, once");
  is(first_pend, 1, "ISCR.PEND in the handler");
  is(first_iscr & (SURF_ISCR_BV | SURF_ISCR_FNE | SURF_ISCR_TP | SURF_ISCR_FV | SURF_ISCR_FF),
     SURF_ISCR_BV | SURF_ISCR_FNE | SURF_ISCR_TP, "BV, FNE and TP with it, no FV, no FF");
  is(first_packets, 1, "the packet that triggered was traced");
  is(first_bytes[0], SURF_HFDR_LSB | (the_bin & 0xFF), "FIFO: the bin's low byte, LSB flag set");
  is(first_bytes[1], the_bin >> 8 & 0xFF, "its middle byte");
  is(first_bytes[2], the_bin >> 16 & 0xFF, "its high byte");
  is(hist()[the_bin], 0, "the bin wrapped to 0");
  is(surf(SURF_WCDR), 16, "word count");
  is(surf(SURF_TPIR), 0, "TPIR names the trigger packet");
  is(recorded(0).address, (uint32_t)(arrived + 5), "which is the 16th");
  is(surf(SURF_HTCR) & SURF_HTCR_TRG, SURF_HTCR_TRG, "HTCR.TRG");
  send(4, source);
  settle();
  is(surf(SURF_TECR), 5, "the trace goes on after the trigger");
  is(hist()[the_bin], 4, "and the histogram");
}

int program(void) {
  uint32_t bytes;
  boards_start();
  const uint8_t *bits = rt_module(".bit", &bytes);
  if (!bits) bail(RT_NO_BOARD, "no HAS bitstream given (-initrd FILE.bit)");
  ok(has_load(bits, bytes), "HAS configured, FCCR %03x", surf(SURF_FCCR));
  au_export(arrived, 3, false);
  au_map(source, arrived, AU_PLAIN);
  rt_irq(SURF_IRQ, true, on_surf);
  find_bin();
  overflow();
  return done_testing();
}
