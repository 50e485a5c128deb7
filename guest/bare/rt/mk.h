/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mk.h - a small driver for MULTIKRON cards, as the programs need it.
 *
 *   mk_find(i)             the i-th card: addresses of its windows; false: there is none
 *   mk_put, mk_get         32 bits of an address through the 8-byte window
 *   mk_put64, mk_get64     64 bits, in one access (MMX; interrupts must leave MMX alone)
 *   now_ns                 virtual time: the time stamp counter under icount counts nanoseconds
 */
#ifndef PERFBOARD_BARE_MK_H
#define PERFBOARD_BARE_MK_H

#include "rt.h"

/* Table A-1. */
enum {
  MK_RESET = 0, MK_CSR = 1, MK_TIMESTAMP = 2, MK_FILTER = 4, MK_WAIT_COUNTER = 5, MK_OVERRUN_COUNTER = 6,
  MK_MUX_SEL = 8, MK_RESOURCE_RESET = 10, MK_ENABLE = 11, MK_DISABLE = 12, MK_FIFO_OUTPUT = 13, MK_TEST = 14,
  MK_SOURCE = 16, MK_COUNTER = 32, MK_TRACE = 96, MK_RESOURCE = 112,
};
/* Table 2: what to write. */
enum {
  MK_SAMPLING = 1 << 0, MK_NO_SAMPLING = 1 << 1, MK_WRITE_WAIT = 1 << 2, MK_NO_WRITE_WAIT = 1 << 3,
  MK_READ_WAIT = 1 << 4, MK_NO_READ_WAIT = 1 << 5, MK_FIFO_FULL = 1 << 6, MK_SHADOW_FULL = 1 << 7,
  MK_FIFO_OVERRUN = 1 << 8, MK_SHADOW_OVERRUN = 1 << 9, MK_BIT128 = 1 << 10, MK_SLOW_10US = 1 << 14, MK_SLOW_1US = 1 << 15,
};

struct mk {
  uint32_t four, eight, sample; /* physical addresses of the windows */
};
bool mk_find(unsigned i, struct mk *card);

static inline void mk_put(const struct mk *c, unsigned address, uint32_t v) { mmio32_put(c->eight + 8 * address, v); }
static inline uint32_t mk_get(const struct mk *c, unsigned address) { return mmio32(c->eight + 8 * address); }
static inline void mk_put64(const struct mk *c, unsigned address, uint64_t v) {
  __asm__ volatile("movq %1, %%mm0\n\tmovq %%mm0, %0" : "=m"(*(volatile uint64_t *)(c->eight + 8 * address)) : "m"(v) : "memory");
}
static inline uint64_t mk_get64(const struct mk *c, unsigned address) {
  uint64_t v;
  __asm__ volatile("movq %1, %%mm0\n\tmovq %%mm0, %0" : "=m"(v) : "m"(*(const volatile uint64_t *)(c->eight + 8 * address)) : "memory");
  return v;
}
static inline uint64_t now_ns(void) {
  uint64_t v;
  __asm__ volatile("rdtsc" : "=A"(v));
  return v;
}

#endif
