// SPDX-License-Identifier: GPL-2.0-or-later
// threshold - a bin preloaded with FFFFFFF0 interrupts after 16 packets (3.6, acceptance 5): bin
// overflow, FIFO, trigger and interrupt in one packet, each condition cleared by its own rule.
#include "../rt/boards.h"

static uint32_t source[WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t arrived[WORDS_OF_PAGE] __attribute__((aligned(4096)));

static volatile unsigned interrupts, first_pend;
static volatile uint32_t first_iscr, first_packets, first_bytes[3], leave;

static void on_surf(void) {
  uint32_t iscr = surf(SURF_ISCR);
  if (!interrupts++) {
    first_iscr = iscr;
    first_pend = iscr >> 31;
    first_packets = surf(SURF_TECR);
    for (unsigned i = 0; i < 3 && surf(SURF_ISCR) & SURF_ISCR_FNE; i++) first_bytes[i] = surf(SURF_HFDR);
  }
  if (interrupts > leave || interrupts > 100) surf_put(SURF_IEMR, 0);
}

static void on_sni(void) {
  bail(RT_FAIL, "the SNI interrupts, which nobody enabled: SISR %08x", sni(SNI_SISR));
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
  interrupts = 0, leave = 0;
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

static void clearing(void) {
  uint32_t iscr = surf(SURF_ISCR);
  is(iscr & SURF_ISCR_PEND, 0, "IEMR is 0: no PEND");
  is(iscr & (SURF_ISCR_BV | SURF_ISCR_TP), SURF_ISCR_BV | SURF_ISCR_TP, "but the conditions stay");
  is(iscr & (SURF_ISCR_FNE | SURF_ISCR_FPF | SURF_ISCR_FAF | SURF_ISCR_FF), 0,
     "the FIFO is empty again: its flags fell");
  surf_put(SURF_ISCR, 0);
  is(surf(SURF_ISCR), iscr, "writing 0 clears nothing");
  surf_put(SURF_ISCR, SURF_ISCR_BV);
  is(surf(SURF_ISCR) & (SURF_ISCR_BV | SURF_ISCR_TP), SURF_ISCR_TP, "BV written 1: BV cleared, TP not");
  surf_put(SURF_ISCR, SURF_ISCR_TP);
  is(surf(SURF_ISCR) & SURF_ISCR_CONDITIONS, 0, "TP written 1: cleared, while TRG stays 1");
  is(surf(SURF_HTCR) & SURF_HTCR_TRG, SURF_HTCR_TRG, "TRG is still 1");
}

// The line is a level: a handler that clears nothing is called again and again.
static void level(void) {
  interrupts = 0, leave = 4;
  surf_begin(0, SURF_PUT(TTCR_MODE, SURF_MODE_BEGIN) | SURF_PUT(TTCR_QUAL, SURF_QUAL_BIN));
  hist()[the_bin] = 0xFFFFFFFF;
  surf_put(SURF_IEMR, SURF_IEMR_BV);
  surf_put(SURF_HTCR, SURF_HTCR_HEN);
  send(1, source);
  settle();
  is(surf(SURF_ISCR) >> 31, 1, "PEND while the processor does not listen");
  is(interrupts, 0, "no handler ran");
  irq_on();
  spin(1000);
  irq_off();
  is(interrupts, 5, "a level not cleared interrupts again until it is masked");
  is(surf(SURF_TECR), 0, "trace disabled: nothing triggered");
  is(surf(SURF_ISCR) & SURF_ISCR_TP, 0, "no TP");
}

// More overflows than the FIFO has room for: 1365 addresses, then FV.
static void fifo(void) {
  irq_off();
  surf_begin(0, 0);
  surf_put(SURF_HTCR, SURF_HTCR_HEN);
  static const uint32_t steps[] = {1, 2, 3, 1355, 1362, 1365, 1366};
  uint32_t sent = 0;
  for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
    while (sent < steps[i]) {
      hist()[the_bin] = 0xFFFFFFFF;
      send(1, source);
      settle();
      sent++;
    }
    uint32_t flags =
        surf(SURF_ISCR) & (SURF_ISCR_FV | SURF_ISCR_FF | SURF_ISCR_FAF | SURF_ISCR_FPF | SURF_ISCR_FNE);
    // Default offsets 7 and 7 (B.2.1). Occupied 3 n of 4096 slots: FNE from 1, FPF from 7 occupied,
    // FAF with fewer than 7 free. 1365 addresses leave one slot, which the next takes with its
    // first byte: full, and FV (the board's manual page).
    uint32_t used = 3 * steps[i] > 4096 ? 4096 : 3 * steps[i];
    uint32_t want = SURF_ISCR_FNE | (used >= 7 ? SURF_ISCR_FPF : 0) | (4096 - used < 7 ? SURF_ISCR_FAF : 0);
    if (steps[i] > 1365) want |= SURF_ISCR_FV | SURF_ISCR_FF;
    is(flags, want, "flags after %u overflows", steps[i]);
  }
  uint32_t good = 0, n = 0;
  while (surf(SURF_ISCR) & SURF_ISCR_FNE && n < 5000) {
    uint32_t v = surf(SURF_HFDR);
    good += v == ((n % 3 == 0 ? SURF_HFDR_LSB : 0) | (the_bin >> 8 * (n % 3) & 0xFF));
    n++;
  }
  is(n, 4096, "bytes read back");
  is(good, 4096, "of them right");
  surf_put(SURF_ISCR, SURF_ISCR_FV | SURF_ISCR_BV);
  is(surf(SURF_ISCR) & SURF_ISCR_CONDITIONS, 0, "FIFO empty, FV and BV cleared: no condition left");
}

// Word count and trace complete interrupt as well.
static void others(void) {
  interrupts = 0, leave = 0;
  surf_begin(0, 0);
  surf_put(SURF_WCDR, 0xFFFFFFFE);
  surf_put(SURF_IEMR, SURF_IEMR_WCV);
  surf_put(SURF_HTCR, SURF_HTCR_WEN);
  irq_on();
  send(1, source);
  settle();
  is(interrupts, 0, "word count FFFFFFFF: no interrupt");
  send(1, source);
  settle();
  is(interrupts, 1, "it wraps: WCV interrupts");
  is(first_iscr & SURF_ISCR_CONDITIONS, SURF_ISCR_WCV, "WCV alone");
  is(surf(SURF_WCDR), 0, "WCDR is 0");
  irq_off();
  uint32_t acdr = acdr_get();
  acdr_put((acdr & ~SURF_ACDR_TSIZE_MASK) | SURF_PUT(ACDR_TSIZE, SURF_TSIZE_256B));
  interrupts = 0;
  surf_begin(0, 0);
  surf_put(SURF_IEMR, SURF_IEMR_TC);
  surf_put(SURF_HTCR, SURF_HTCR_TEN);
  irq_on();
  send(15, source);
  settle();
  is(interrupts, 0, "15 packets in a trace memory for 16: no interrupt");
  send(1, source);
  settle();
  is(interrupts, 1, "the 16th fills it: TC interrupts");
  irq_off();
  send(3, source);
  settle();
  is(surf(SURF_TECR), 16, "nothing is traced after that");
  surf_put(SURF_ISCR, SURF_ISCR_TC);
  is(surf(SURF_ISCR) & SURF_ISCR_TC, SURF_ISCR_TC, "TC cannot be cleared while its cause lasts");
  surf_put(SURF_HTCR, 0);
  surf_put(SURF_TECR, 0);
  surf_put(SURF_ISCR, SURF_ISCR_TC);
  is(surf(SURF_ISCR) & SURF_ISCR_TC, 0, "TECR set to 0, then TC written 1: cleared");
  acdr_put(acdr);
}

// Both boards on one level: the line falls only when neither asks.
static void shared(void) {
  boards_configure(SURF_IRLEV_IRQ10, SURF_IRLEV_IRQ10);
  rt_irq(SURF_IRQ, true, NULL);
  rt_irq(SNI_IRQ, true, on_surf);
  interrupts = 0, leave = 3;
  surf_begin(0, 0);
  hist()[the_bin] = 0xFFFFFFFF;
  au_export(arrived, 3, true);
  sni_put(SNI_SISR, SNI_SISR_CONDITIONS);
  sni_put(SNI_SIER, SNI_SIER_RXI);
  surf_put(SURF_IEMR, SURF_IEMR_BV);
  surf_put(SURF_HTCR, SURF_HTCR_HEN);
  send(1, source);
  settle();
  is(surf(SURF_ISCR) >> 31, 1, "the SurfBoard asks");
  is(sni(SNI_SISR) >> 31, 1, "and the SNI");
  is(SNI_GET(RX_PAGE, sni(SNI_RXPG)), (uint32_t)arrived >> 12, "RXPG names the page");
  surf_put(SURF_ISCR, SURF_ISCR_BV);
  outb(0xA0, 0x0A);
  is(inb(0xA0) >> (SNI_IRQ - 8) & 1, 1, "the SurfBoard's condition cleared: the line stays up");
  sni_put(SNI_SISR, SNI_SISR_RXI);
  outb(0xA0, 0x0A);
  is(inb(0xA0) >> (SNI_IRQ - 8) & 1, 0, "the SNI's too: it falls");
  irq_on();
  spin(1000);
  irq_off();
  is(interrupts, 0, "no interrupt comes of it");
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
  rt_irq(SNI_IRQ, true, on_sni);
  find_bin();
  overflow();
  clearing();
  level();
  fifo();
  others();
  shared();
  return done_testing();
}
