// SPDX-License-Identifier: GPL-2.0-or-later
// combine - what of a processor's loads and stores ends combining (2.2.1): its caches decide which of them reach the bus.
//
// The node's caches as its manual page gives them: data cache 8 KB, two-way, 32-byte lines, so
// addresses 4 KB apart meet in a set; second level 256 KB, one way, so addresses 256 KB apart meet.
//
// Between two times four stores in sequence stands what each case is about, in one asm block that touches nothing but what it says. It ends
// with FLUSH: a call's push to a line that no cache holds is a write on the bus too, and would end a packet as a non-sequential write does.
#include "../rt/boards.h"

enum { L1_WAY = 4096, L2 = 256 * 1024 };
enum { PAGES = 16, ALL = PAGES * WORDS_OF_PAGE, PACKET_WORDS = 3 };
static uint32_t source[ALL] __attribute__((aligned(4096)));
static uint32_t arrived[ALL] __attribute__((aligned(4096)));
static uint8_t other[4 * L2] __attribute__((aligned(4096)));  // not mapped; never loaded but here

#define STORE4(a) \
  "movl %%esi, " #a "+0(%%esi)\n\tmovl %%esi, " #a "+4(%%esi)\n\tmovl %%esi, " #a "+8(%%esi)\n\tmovl %%esi, " #a "+12(%%esi)\n\t"
#define FLUSH "movl $0x17, (%%edi)"
_Static_assert((SNI_SCR_EN | SNI_SCR_AUE | SNI_SCR_TSE | SNI_SCR_FLUSH) == 0x17, "FLUSH is SCR.FLUSH");

// %esi: source[], which combines; %ebx: a page of other[]; %edi: the SNI's registers.
#define CASE(name, before, between)                                                \
  static void name(uint32_t page) {                                                \
    __asm__ volatile(before "\n\t" STORE4(0) between "\n\t" STORE4(16) FLUSH       \
                     :                                                             \
                     : "S"(source), "b"(page), "D"(boards.sni_regs), "i"(SNI_FCNT) \
                     : "eax", "memory");                                           \
  }
_Static_assert(SNI_SCR == 0, "SCR is the first register");
CASE(nothing, "", "")
CASE(missing, "", "movl (%%ebx), %%eax")
CASE(missing_before, "movl (%%ebx), %%eax", "")
CASE(cached, "movl (%%ebx), %%eax", "movl (%%ebx), %%eax\n\tmovl 28(%%ebx), %%eax")
CASE(both_ways, "movl (%%ebx), %%eax\n\tmovl 8192(%%ebx), %%eax", "movl (%%ebx), %%eax\n\tmovl 8192(%%ebx), %%eax")
CASE(three_in_two_ways, "movl (%%ebx), %%eax\n\tmovl 4096(%%ebx), %%eax\n\tmovl 8192(%%ebx), %%eax", "movl (%%ebx), %%eax")
CASE(both_levels, "movl (%%ebx), %%eax\n\tmovl 0x40000(%%ebx), %%eax\n\tmovl 0x80000(%%ebx), %%eax", "movl (%%ebx), %%eax")
CASE(across_lines, "movl (%%ebx), %%eax", "movl 30(%%ebx), %%eax")
CASE(of_register, "", "movl %c3(%%edi), %%eax")
CASE(store_missing, "", "movl %%esi, (%%ebx)")
CASE(store_cached, "movl (%%ebx), %%eax", "movl %%esi, (%%ebx)\n\tmovl %%esi, 4(%%ebx)")

static const struct {
  const char *name;
  void (*does)(uint32_t page);
  int ends;  // the first packet; -1: it goes on
} kCases[] = {
    {"nothing", nothing, -1},
    {"a load of a line never loaded", missing, ENDR},
    {"such a load before the first store", missing_before, -1},
    {"loads of a line in the cache", cached, -1},
    {"both ways of a set in the first level", both_ways, -1},
    {"a load that misses the first level alone", three_in_two_ways, -1},
    {"a conflict in both levels", both_levels, ENDR},
    {"a load across two lines, the second missing", across_lines, ENDR},
    {"a load of a register, which no cache holds", of_register, ENDR},
    {"a store elsewhere that misses the caches", store_missing, ENDN},
    {"stores elsewhere that stay in the cache", store_cached, -1},
};
enum { CASES = sizeof kCases / sizeof *kCases };
_Static_assert((CASES - 1) * 4 * L1_WAY < L2, "each has pages of its own, which the others' conflicts do not load");

static void check(unsigned i) {
  const char *const name = kCases[i].name;
  const int ends = kCases[i].ends;
  const uint32_t packets = ends < 0 ? 1 : 2;
  struct counts before, c;
  au_map(source, arrived, AU_COMB | AU_BOUND(4));  // so that no packet is open
  settle();
  surf_begin(SURF_HTCR_WEN | SURF_HTCR_TEN, 0);
  counts_read(&before);
  kCases[i].does((uint32_t)other + i * 4 * L1_WAY);
  settle();
  counts_since(&c, &before);
  is(c.txp, packets, "%s: packets", name);
  is(c.txw, 8, "%s: words", name);
  is(c.tecr, packets, "%s: traced", name);
  for (int end = ENDD; end <= ENDF; end++) is(c.end[end], end == ENDF || end == ends, "%s: ended for reason %d", name, end);
}

// --- the outgoing FIFO ------------------------------------------------------------------
// It is filled faster than the backplane drains it, and the paper's driver waits in a busy loop from high to low water (4.4.2): no store is lost.
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
  for (uint32_t i = 0; i < ALL; i += WORDS_OF_PAGE) au_export(arrived + i, 0, false);
  for (unsigned i = 0; i < CASES; i++) check(i);
  for (uint32_t i = 0; i < ALL; i += WORDS_OF_PAGE) au_map(source + i, arrived + i, AU_PLAIN);
  rt_irq(SNI_IRQ, true, on_sni);
  const uint32_t size = sni(SNI_FSIZE);
  throttle(sni(SNI_FHWM), sni(SNI_FLWM));
  throttle(size / 2, size / 4);
  throttle(size - 64, 0);
  return done_testing();
}
