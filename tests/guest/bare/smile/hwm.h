/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * hwm.h - a small driver for smile-hwm cards, as the programs need it.
 *
 *   hwm_find(i, &m)           the i-th card; false: there is none
 *   hwm_dynamic(&m, mask)     stops, resets, and starts the dynamic part: every address apart (Max_Range 0)
 *   hwm_drain(&m, take)       every record in ring and queue, taken apart
 *   hwm_swap(&m, take)        SWAP_OUT on demand, and all that comes
 */
#ifndef PERFBOARD_BARE_HWM_H
#define PERFBOARD_BARE_HWM_H

#include "../rt/rt.h"
#include "guest/smile/regs.h"

struct hwm {
  uint32_t base, node;
};
struct hwm_record {
  uint32_t kind, source, destination, page, word, entry;
  uint64_t count; /* the overflow's 65536 included; a loss: records that were lost */
};

bool hwm_find(unsigned i, struct hwm *m);
static inline uint32_t hwm(const struct hwm *m, uint32_t offset) { return mmio32(m->base + offset); }
static inline void hwm_put(const struct hwm *m, uint32_t offset, uint32_t v) { mmio32_put(m->base + offset, v); }
void hwm_dynamic(const struct hwm *m, uint32_t mask);
unsigned hwm_drain(const struct hwm *m, void (*take)(const struct hwm *m, const struct hwm_record *r));
unsigned hwm_swap(const struct hwm *m, void (*take)(const struct hwm *m, const struct hwm_record *r));

#endif
