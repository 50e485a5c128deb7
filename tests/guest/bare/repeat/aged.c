// SPDX-License-Identifier: GPL-2.0-or-later
// aged - a program that takes the accessed bit from pages whose translations the processor has still, as kernels do that age pages. Which get it
// again tells how large QEMU's TLB is: QEMU makes it smaller when it has been little used for 100 ms of the host's time.
#include "../rt/rt.h"

enum { ROUNDS = 60, LARGE = 700, SMALL = 5, KEPT = 16, STRIDE = 64, ACCESSED = 0x20 };

static uint32_t *entries;

static uint32_t cr3(void) {
  uint32_t v;
  __asm__ volatile("movl %%cr3, %0" : "=r"(v));
  return v;
}

static void flush(void) { __asm__ volatile("movl %0, %%cr3" ::"r"(cr3()) : "memory"); }

static void touch(uint32_t pages, uint32_t stride) {
  for (uint32_t i = 0; i < pages; i++) *(volatile uint32_t *)(RT_WINDOW + (i * stride << 12));
}

static uint32_t kept(void) {
  uint32_t n = 0;
  flush();
  touch(KEPT, STRIDE);
  for (uint32_t i = 0; i < KEPT; i++) entries[i * STRIDE] &= ~ACCESSED;
  touch(KEPT, STRIDE);
  for (uint32_t i = 0; i < KEPT; i++) n += !(entries[i * STRIDE] & ACCESSED);
  return n;
}

int program(void) {
  uint32_t hash = 1, all = 0, few = 0;
  rt_paging();
  entries = (uint32_t *)(((uint32_t *)cr3())[RT_WINDOW >> 22] & ~0xFFFu);
  for (uint32_t i = 0; i < 1024; i++) rt_map(RT_WINDOW + (i << 12), i << 12, RT_READ);
  for (uint32_t round = 1; round <= ROUNDS; round++) {
    hash = hash * 1103515245u + 12345;
    for (uint32_t i = 0; i < 4; i++) flush(), touch(LARGE, 1);
    for (uint32_t i = hash >> 16 & 255; i; i--) flush(), touch(SMALL, 1), spin(2000);
    uint32_t n = kept();
    all += n == KEPT, few += n < KEPT;
    say("# %u: %u of %u translations are kept\n", round, n, KEPT);
  }
  ok(all > ROUNDS / 6 && few > ROUNDS / 6, "a large TLB %u times, a small one %u times", all, few);
  return done_testing();
}
