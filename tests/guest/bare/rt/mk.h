/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mk.h - a small driver for MULTIKRON cards, as the programs need it.
 *
 *   mk_find(i)             the i-th card: addresses of its windows; false: there is none
 *   mk_put, mk_get         32 bits of an address through the 8-byte window
 *   mk_put64, mk_get64     64 bits, in one access (MMX; interrupts must leave MMX alone)
 */
#ifndef PERFBOARD_BARE_MK_H
#define PERFBOARD_BARE_MK_H

#include "guest/multikron/regs.h"
#include "rt.h"

struct mk {
  uint32_t four, eight, sample; /* physical addresses of the windows */
};

static inline void mk_put(const struct mk *c, unsigned address, uint32_t v) { mmio32_put(c->eight + MKR_AT8(address), v); }
static inline uint32_t mk_get(const struct mk *c, unsigned address) { return mmio32(c->eight + MKR_AT8(address)); }
static inline void mk_put64(const struct mk *c, unsigned address, uint64_t v) {
  __asm__ volatile("movq %1, %%mm0\n\tmovq %%mm0, %0" : "=m"(*(volatile uint64_t *)(c->eight + MKR_AT8(address))) : "m"(v) : "memory");
}
static inline uint64_t mk_get64(const struct mk *c, unsigned address) {
  uint64_t v;
  __asm__ volatile("movq %1, %%mm0\n\tmovq %%mm0, %0" : "=m"(v) : "m"(*(const volatile uint64_t *)(c->eight + MKR_AT8(address))) : "memory");
  return v;
}

#include "mk_start.h"

#endif
