// SPDX-License-Identifier: GPL-2.0-or-later
// combine - the five ways in which combining ends (2.2.1), each alone and with its counter,
// and the caches that decide whether a load reaches the bus.
//
// The node's caches as its manual page gives them: data cache 8 KB, two-way, 32-byte lines, so
// addresses 4 KB apart meet in a set; second level 256 KB, one way, so addresses 256 KB apart meet.
// With "no-l2" on the command line the machine is one whose SNI was given l2-size=0.
//
// Every measured sequence is one asm block that touches nothing but what it says.
#include "../rt/boards.h"

enum { LINE = 32, L1_WAY = 4096, L2 = 256 * 1024 };
static uint32_t source[4][WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint32_t arrived[4][WORDS_OF_PAGE] __attribute__((aligned(4096)));
static uint8_t other[4 * L2] __attribute__((aligned(4096)));  // not mapped; never loaded but here
static uint32_t fresh;  // offset in `other` of the next page nobody touched

static struct counts before;

// A combining page, its entry rewritten so that no packet is open; returns where to store.
static uint32_t *open_page(unsigned i, uint32_t word1) {
  au_export(arrived[i], i, false);
  au_map(source[i], arrived[i], word1);
  settle();
  surf_begin(SURF_HTCR_WEN | SURF_HTCR_TEN, 0);
  counts_read(&before);
  return source[i];
}

static void flush(void) { sni_put(SNI_SCR, SNI_SCR_EN | SNI_SCR_AUE | SNI_SCR_TSE | SNI_SCR_FLUSH); }

// The sequences end with FLUSH: a call's push to a line that no cache holds is a write on the
// bus too, and would end a packet as a non-sequential write does.
#define FLUSH "movl $0x17, (%[scr])\n\t"
_Static_assert((SNI_SCR_EN | SNI_SCR_AUE | SNI_SCR_TSE | SNI_SCR_FLUSH) == 0x17, "FLUSH is SCR.FLUSH");
#define SCR [scr] "r"(boards.sni_regs + SNI_SCR)

// So many packets, of which a reason ended n and the flush, at the end, the rest.
static struct counts expect(const char *what, uint32_t packets, uint32_t words, unsigned reason, uint32_t n) {
  static const char *const names[] = {"ENDD", "ENDR", "ENDN", "ENDB", "ENDT", "ENDP", "ENDF"};
  struct counts c;
  settle();
  counts_since(&c, &before);
  is(c.txp, packets, "%s: packets", what);
  is(c.txw, words, "%s: words", what);
  is(c.tecr, packets, "%s: traced", what);
  for (unsigned i = 0; i < 7; i++) {
    if (i == ENDF) continue;
    is(c.end[i], i == reason ? n : 0, "%s: %s", what, names[i]);
  }
  is(c.end[ENDF], reason == ENDF ? n : packets - n, "%s: ENDF, the rest", what);
  for (uint32_t i = 0; i < packets && i < 8; i++)
    say("# record %u: %u words at %03x\n", i, recorded(i).size, recorded(i).address & 0xFFF);
  return c;
}

#define STORE4(a) \
  "movl %0, " #a "+0(%0)\n\tmovl %0, " #a "+4(%0)\n\tmovl %0, " #a "+8(%0)\n\tmovl %0, " #a "+12(%0)\n\t"

static void disabled(void) {
  uint32_t *to = open_page(0, AU_PLAIN);
  __asm__ volatile(STORE4(0) FLUSH : : "r"(to), SCR : "memory");
  expect("combining disabled", 4, 4, ENDD, 4);
}

static void sequential(void) {
  uint32_t *to = open_page(0, AU_COMB | AU_BOUND(4));
  __asm__ volatile(STORE4(0) STORE4(16) FLUSH : : "r"(to), SCR : "memory");
  expect("eight in sequence", 1, 8, ENDF, 1);
}

static void reads(void) {
  uint32_t x = (uint32_t)other + fresh;
  fresh += 4096;
  uint32_t *to = open_page(0, AU_COMB | AU_BOUND(4));
  __asm__ volatile(STORE4(0) "movl (%1), %%eax\n\t" STORE4(16) FLUSH
                   :
                   : "r"(to), "r"(x), SCR
                   : "memory", "eax");
  expect("a load of a line never loaded", 2, 8, ENDR, 1);

  to = open_page(0, AU_COMB | AU_BOUND(4));
  __asm__ volatile("movl (%1), %%eax\n\t" STORE4(0) "movl (%1), %%eax\n\tmovl 28(%1), %%eax\n\t" STORE4(16)
                       FLUSH
                   :
                   : "r"(to), "r"(x), SCR
                   : "memory", "eax");
  expect("loads of a line in the cache", 1, 8, ENDF, 1);

  // Two lines of one set in the first level: it has two ways.
  to = open_page(0, AU_COMB | AU_BOUND(4));
  x = (uint32_t)other + fresh;
  fresh += 3 * L1_WAY;
  __asm__ volatile("movl (%1), %%eax\n\tmovl 8192(%1), %%eax\n\t" STORE4(
                       0) "movl (%1), %%eax\n\tmovl 8192(%1), %%eax\n\t" STORE4(16) FLUSH
                   :
                   : "r"(to), "r"(x), SCR
                   : "memory", "eax");
  expect("both ways of a set in the first level", 1, 8, ENDF, 1);

  // Three lines of one set in the first level, each with a place of its own in the second.
  to = open_page(0, AU_COMB | AU_BOUND(4));
  x = (uint32_t)other + fresh;
  fresh += 4 * L1_WAY;
  __asm__ volatile(
      "movl (%1), %%eax\n\tmovl 4096(%1), %%eax\n\tmovl 8192(%1), %%eax\n\t"  // the first is out of level 1
      STORE4(0) "movl (%1), %%eax\n\t" STORE4(16) FLUSH
      :
      : "r"(to), "r"(x), SCR
      : "memory", "eax");
  if (rt_option("no-l2"))
    expect("first level misses, no second level", 2, 8, ENDR, 1);
  else
    expect("first level misses, second level hits", 1, 8, ENDF, 1);

  // Three lines that meet in both levels: the first is in neither.
  to = open_page(0, AU_COMB | AU_BOUND(4));
  x = (uint32_t)other + fresh;
  fresh += 4096;
  __asm__ volatile("movl (%1), %%eax\n\tmovl 0x40000(%1), %%eax\n\tmovl 0x80000(%1), %%eax\n\t" STORE4(
                       0) "movl (%1), %%eax\n\t" STORE4(16) FLUSH
                   :
                   : "r"(to), "r"(x), SCR
                   : "memory", "eax");
  expect("a conflict in both levels", 2, 8, ENDR, 1);

  // A load that crosses into a line that is not there.
  to = open_page(0, AU_COMB | AU_BOUND(4));
  x = (uint32_t)other + fresh;
  fresh += 4096;
  __asm__ volatile("movl (%1), %%eax\n\t" STORE4(0) "movl 30(%1), %%eax\n\t" STORE4(16) FLUSH
                   :
                   : "r"(to), "r"(x), SCR
                   : "memory", "eax");
  expect("a load across two lines, the second missing", 2, 8, ENDR, 1);

  // A read before anything is open ends nothing.
  to = open_page(0, AU_COMB | AU_BOUND(4));
  x = (uint32_t)other + fresh;
  fresh += 4096;
  __asm__ volatile("movl (%1), %%eax\n\t" STORE4(0) STORE4(16) FLUSH
                   :
                   : "r"(to), "r"(x), SCR
                   : "memory", "eax");
  expect("a missing load before the first store", 1, 8, ENDF, 1);

  // A walk over 100 new lines, a load of each after a store.
  to = open_page(1, AU_COMB | AU_BOUND(4));
  x = (uint32_t)other + fresh;
  fresh += 64 * 4096;
  uint32_t n = 100;
  __asm__ volatile(
      "1: movl %0, (%0)\n\tmovl (%1), %%eax\n\taddl $4, %0\n\taddl $32, %1\n\tdecl %2\n\tjnz 1b\n\t" FLUSH
      : "+r"(to), "+r"(x), "+r"(n)
      : SCR
      : "memory", "eax");
  struct counts c = expect("a missing load after each of 100 stores", 100, 100, ENDR, 100);
  is(c.aus, 100, "stores snooped");
}

static void order(void) {
  uint32_t *to = open_page(0, AU_COMB | AU_BOUND(4));
  __asm__ volatile(STORE4(0) STORE4(32) FLUSH : : "r"(to), SCR : "memory");
  expect("a gap", 2, 8, ENDN, 1);
  to = open_page(0, AU_COMB | AU_BOUND(4));
  __asm__ volatile(STORE4(16) STORE4(0) FLUSH : : "r"(to), SCR : "memory");
  expect("backwards", 2, 8, ENDN, 1);
  to = open_page(0, AU_COMB | AU_BOUND(4));
  __asm__ volatile("movl %0, (%0)\n\tmovl %0, (%0)\n\tmovl %0, 4(%0)\n\t" FLUSH : : "r"(to), SCR : "memory");
  expect("the same word twice", 2, 3, ENDN, 1);
  open_page(1, AU_COMB | AU_BOUND(4));
  to = open_page(0, AU_COMB | AU_BOUND(4));
  __asm__ volatile(STORE4(0) "movl %0, 16(%1)\n\tmovl %0, 20(%1)\n\t" FLUSH
                   :
                   : "r"(to), "r"(source[1]), SCR
                   : "memory");
  expect("the next address, but of another page", 2, 6, ENDN, 1);
  to = open_page(0, AU_COMB | AU_BOUND(4));
  __asm__ volatile(
      "movups %%xmm0, (%0)\n\tmovups %%xmm0, 16(%0)\n\tfldpi\n\tfstpl 32(%0)\n\tmovl %0, 40(%0)\n\t" FLUSH
      :
      : "r"(to), SCR
      : "memory");
  expect("wide stores in sequence", 1, 11, ENDF, 1);
  to = open_page(0, AU_COMB | AU_BOUND(4));
  __asm__ volatile(
      "movl %0, (%0)\n\tmovl %0, 4(%0)\n\tmovb $1, 8(%0)\n\tmovl %0, 12(%0)\n\tmovl %0, 16(%0)" ::"r"(to)
      : "memory");
  struct counts c;
  flush();
  settle();
  counts_since(&c, &before);
  is(c.txp, 3, "a byte in the middle: packets before it, of it, after it");
  is(c.txw, 5, "their words");
  is(c.tecr, 3, "traced");
  ok(c.end[ENDP] >= 1, "ENDP: %llu", c.end[ENDP]);
  is(recorded(1).be, 1, "the byte's enables");
  is(recorded(0).size, 2, "words before it");
  is(recorded(2).size, 2, "words after it");
}

// Registers are not cached: reading one is a read on the bus. It sees the packet still open.
static void registers(void) {
  uint32_t *to = open_page(0, AU_COMB | AU_BOUND(4)), occupied, status;
  __asm__ volatile("movl %2, (%2)\n\tmovl (%3), %0\n\tmovl %2, 4(%2)\n\tmovl (%4), %1\n\t" FLUSH
                   : "=&r"(occupied), "=&r"(status)
                   : "r"(to), "r"(boards.sni_regs + SNI_FCNT), "r"(boards.sni_regs + SNI_SSR), SCR
                   : "memory");
  expect("register reads between stores", 2, 2, ENDR, 2);
  is(occupied, 3, "an open packet of one word occupies header, timestamp and payload");
  is(status & (SNI_SSR_OPEN | SNI_SSR_EMPTY), SNI_SSR_OPEN, "SSR.OPEN");
}

// Stores to pages that are not mapped: they too are non-sequential when they come to the bus.
static void elsewhere(void) {
  uint32_t x = (uint32_t)other + fresh;
  fresh += 4096;
  uint32_t *to = open_page(0, AU_COMB | AU_BOUND(4));
  __asm__ volatile(STORE4(0) "movl %0, (%1)\n\t" STORE4(16) FLUSH : : "r"(to), "r"(x), SCR : "memory");
  expect("a store elsewhere that misses the caches", 2, 8, ENDN, 1);
  x = (uint32_t)other + fresh;
  fresh += 4096;
  to = open_page(0, AU_COMB | AU_BOUND(4));
  __asm__ volatile("movl (%1), %%eax\n\t" STORE4(0) "movl %0, (%1)\n\tmovl %0, 4(%1)\n\t" STORE4(16) FLUSH
                   :
                   : "r"(to), "r"(x), SCR
                   : "memory", "eax");
  expect("stores elsewhere that stay in the cache", 1, 8, ENDF, 1);
}

static void boundary(void) {
  uint32_t n = 160, *to = open_page(0, AU_COMB | AU_BOUND(0));
  to += 32;  // from offset 128: 32 words to the first boundary, 64, 64
  __asm__ volatile("1: movl %0, (%0)\n\taddl $4, %0\n\tdecl %1\n\tjnz 1b" : "+r"(to), "+r"(n)::"memory");
  struct counts c;
  flush();
  settle();
  counts_since(&c, &before);
  is(c.txp, 3, "boundary 256: packets");
  is(recorded(0).size, 32, "up to the first boundary");
  is(recorded(1).size, 64, "up to the second");
  is(recorded(2).size, 64, "up to the third");
  ok(c.end[ENDB] == 2 || c.end[ENDB] == 3, "ENDB: %llu", c.end[ENDB]);
  is(c.end[ENDB] + c.end[ENDF], 3, "and no other reason but the flush");
  to = open_page(0, AU_COMB | AU_BOUND(0)) + 63;
  __asm__ volatile("movl %0, (%0)\n\tmovl %0, 4(%0)\n\tmovl %0, 8(%0)\n\t" FLUSH : : "r"(to), SCR : "memory");
  expect("one word before the boundary, two after", 2, 3, ENDB, 1);
  to = open_page(0, AU_COMB | AU_BOUND(0)) + 63;
  __asm__ volatile("movups %%xmm0, (%0)\n\t" FLUSH : : "r"(to), SCR : "memory");
  expect("one 16-byte store across the boundary", 2, 4, ENDB, 1);
}

static void timeout(void) {
  sni_put(SNI_CTOR, 100);  // 10 us
  uint32_t *to = open_page(2, AU_COMB | AU_TIMEOUT | AU_BOUND(4)), n = 1000;
  // 1000 turns of two instructions, 64 us at 32 ns each, then the sequence goes on.
  __asm__ volatile(STORE4(0) "1: decl %1\n\tjnz 1b\n\t" STORE4(16) : "+r"(to), "+r"(n)::"memory");
  struct counts c;
  spin(1000);
  settle();
  counts_since(&c, &before);
  is(c.txp, 2, "timeout: packets");
  is(c.end[ENDT], 2, "both ended by it");
  is(c.txw, 8, "their words");
  ok(recorded(0).latency >= 100 + 30 && recorded(0).latency < 200, "latency includes the 10 us: %u00 ns",
     recorded(0).latency);
  to = open_page(2, AU_COMB | AU_TIMEOUT | AU_BOUND(4)), n = 50;
  __asm__ volatile(STORE4(0) "1: decl %1\n\tjnz 1b\n\t" STORE4(16) FLUSH
                   : "+r"(to), "+r"(n)
                   : SCR
                   : "memory");
  expect("a pause shorter than the timeout", 1, 8, ENDF, 1);
  to = open_page(3, AU_COMB | AU_BOUND(4)), n = 1000;
  __asm__ volatile(STORE4(0) "1: decl %1\n\tjnz 1b\n\t" STORE4(16) FLUSH
                   : "+r"(to), "+r"(n)
                   : SCR
                   : "memory");
  expect("a page without timeout", 1, 8, ENDF, 1);
}

// Figures 80 to 84: with combining on, groups of one word: the packet of each leaves when the
// next store comes, and the last one stays until something else closes it.
static void late(void) {
  uint32_t *to = open_page(3, AU_COMB | AU_BOUND(4)), n = 10, turns;
  __asm__ volatile(
      "1: movl %0, (%0)\n\tmovl $500, %2\n2:\tdecl %2\n\tjnz 2b\n\tdecl %1\n\tjnz 1b\n\t"
      "movl $50000, %2\n3:\tdecl %2\n\tjnz 3b\n\t" FLUSH
      : "+r"(to), "+r"(n), "=&r"(turns)
      : SCR
      : "memory");
  struct counts c = expect("ten times the same word, 32 us apart", 10, 10, ENDN, 9);
  is(c.aus, 10, "stores snooped");
  bool waited = true;
  for (uint32_t i = 0; i < 9; i++) waited &= recorded(i).latency >= 320 && recorded(i).latency < 450;
  ok(waited, "nine waited for the next store: %u00 ns", recorded(0).latency);
  ok(recorded(9).latency > 30000, "the last one waited until it was pushed: %u00 ns", recorded(9).latency);
}

int program(void) {
  boards_start();
  flush();
  disabled();
  sequential();
  reads();
  order();
  registers();
  elsewhere();
  boundary();
  timeout();
  late();
  return done_testing();
}
