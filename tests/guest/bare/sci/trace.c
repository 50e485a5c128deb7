// SPDX-License-Identifier: GPL-2.0-or-later
// trace - all processors, in turn, access the window in any way, mapped uncached and write-combining, and pages move home now and then: always
// the same accesses in the same order, however the machine runs. sci_modes compares what passes on the B-Links. With -append plain
// nothing is write-combining, and no page moves.
#include "sci.h"

enum { NODES = 4, TURNS = 40, STEPS = 25, PAGES = 8, PAT_MSR = 0x277 };
#define UC RT_WINDOW
#define WC (RT_WINDOW + 0x10000)

static volatile uint32_t go, turn, ready;
static uint32_t nodes;
static bool plain;
static uint32_t seed[NODES];

static uint32_t any(unsigned node, uint32_t n) {
  seed[node] = seed[node] * 1664525 + 1013904223;
  return (seed[node] >> 8) % n;
}

// No function here pushes while its asm runs, and there are no interrupts.
static void step(unsigned node) {
  const bool combining = any(node, 4) == 0;
  const uint32_t at = (combining ? WC : UC) + 4096 * any(node, PAGES) + (any(node, 3) ? any(node, 1000) * 4 : any(node, 4070));
  switch (any(node, 12)) {
    case 0:
      __asm__ volatile("movb (%0), %%al" ::"r"(at) : "eax", "memory");
      break;
    case 1:
      __asm__ volatile("movl (%0), %%eax" ::"r"(at) : "eax", "memory");
      break;
    case 2:
      __asm__ volatile("movq (%0), %%mm0" ::"r"(at) : "memory");
      break;
    case 3:
      __asm__ volatile("movdqu (%0), %%xmm0" ::"r"(at) : "memory");
      break;
    case 4:
      __asm__ volatile("movw %%ax, (%0)" ::"r"(at) : "memory");
      break;
    case 5:
      __asm__ volatile("movl %%eax, (%0)" ::"r"(at) : "memory");
      break;
    case 6:
      __asm__ volatile("movq %%mm0, (%0)" ::"r"(at) : "memory");
      break;
    case 7:
      __asm__ volatile("movdqu %%xmm0, (%0)" ::"r"(at) : "memory");
      break;
    case 8:
      __asm__ volatile("lock incl (%0)" ::"r"(at) : "memory", "cc");
      break;
    case 9:
      __asm__ volatile("addl $3, (%0)" ::"r"(at) : "memory", "cc");
      break;
    case 10:
      __asm__ volatile("cld\n\trep stosl" ::"D"(at & ~63u), "c"(16), "a"(node) : "memory");
      break;
    case 11:
      __asm__ volatile("cld\n\trep movsl" ::"S"(at & ~63u), "D"(UC + 4096 * any(node, PAGES)), "c"(5) : "memory");
      break;
  }
}

static void prepare(void) {
  __asm__ volatile("wrmsr" ::"c"(PAT_MSR), "a"(plain ? 0x00070406 : 0x00070106), "d"(0x00070406) : "memory");
  rt_paging();
  __asm__ volatile("movl %%cr4, %%eax\n\torl $0x600, %%eax\n\tmovl %%eax, %%cr4\n\tmovl %%cr0, %%eax\n\tandl $~4, %%eax\n\tmovl %%eax, %%cr0\n\tfninit" ::: "eax");
}

static void work(unsigned node) {
  for (unsigned t = 0; t < TURNS; t++) {
    while (!go || turn % nodes != node) __asm__ volatile("pause");
    for (unsigned i = 0; i < STEPS; i++) step(node);
    if (any(node, 3) == 0 && !plain) sci_home(any(node, PAGES), 1, any(node, nodes));
    turn++;
  }
}

static void other(unsigned node) {
  prepare();
  __asm__ volatile("lock incl %0" : "+m"(ready));
  work(node);
  for (;;) __asm__ volatile("cli; hlt");
}

int program(void) {
  sci_find();
  nodes = sci_card.nodes;
  if (nodes < 2 || nodes > NODES) bail(RT_NO_BOARD, "%u nodes; this program is for 2 to 4", nodes);
  plain = rt_option("plain");
  for (unsigned node = 0; node < NODES; node++) seed[node] = 12345 + node;
  sci_home(0, sci_card.pages, 0);
  for (unsigned page = 0; page < PAGES; page++) sci_home(page, 1, page % nodes);
  prepare();
  for (uint32_t page = 0; page < 16; page++) {
    rt_map(UC + 4096 * page, WINDOW(page, 0), RT_WRITE | RT_PCD | RT_PWT);
    rt_map(WC + 4096 * page, WINDOW(page, 0), RT_WRITE | RT_PWT);
  }
  if (!rt_others(nodes - 1, other)) bail(RT_NO_BOARD, "the other processors do not start");
  while (ready != nodes - 1) __asm__ volatile("pause");
  blink_clear();
  go = 1;
  work(0);
  while (turn != TURNS * nodes) __asm__ volatile("pause");
  uint64_t packets = 0, seen = 0;
  for (unsigned node = 0; node < nodes; node++) packets += sci_count(node, SCIR_STATS_PACKETS);
  seen = blink_count();
  is(seen, packets, "packets on all B-Links");
  ok(packets > 1000, "it was worth it");
  return done_testing();
}
