/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * steps.h - accesses to the window of any kind, always the same ones: for trace and snap.
 *
 *   steps_prepare(plain)    on each processor: paging; UC and WC are 16 pages of the window each. plain: both are uncached
 *   step(node)              the node's next access
 */
#ifndef PERFBOARD_BARE_SCI_STEPS_H
#define PERFBOARD_BARE_SCI_STEPS_H

#include "sci.h"

enum { NODES = 4, PAGES = 8 };
#define UC RT_WINDOW
#define WC (RT_WINDOW + 0x10000)

static uint32_t seed[NODES] = {12345, 12346, 12347, 12348};

static inline uint32_t any(unsigned node, uint32_t n) {
  seed[node] = seed[node] * 1664525 + 1013904223;
  return (seed[node] >> 8) % n;
}

/* Without interrupts. */
static inline void step(unsigned node) {
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
      rep_stosl(at & ~63u, 16, node);
      break;
    case 11:
      rep_movsl(UC + 4096 * any(node, PAGES), at & ~63u, 5);
      break;
  }
}

static inline void steps_prepare(bool plain) {
  wrmsr(PAT_MSR, plain ? 0x00070406 : 0x00070106, 0x00070406);
  rt_paging();
  __asm__ volatile("movl %%cr4, %%eax\n\torl $0x600, %%eax\n\tmovl %%eax, %%cr4\n\tmovl %%cr0, %%eax\n\tandl $~4, %%eax\n\tmovl %%eax, %%cr0\n\tfninit" ::: "eax");
  for (uint32_t page = 0; page < 16; page++) {
    rt_map(UC + 4096 * page, WINDOW(page, 0), RT_WRITE | RT_PCD | RT_PWT);
    rt_map(WC + 4096 * page, WINDOW(page, 0), RT_WRITE | RT_PWT);
  }
}

#endif
