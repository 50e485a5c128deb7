/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Filter range - where the filters look: of each vCPU and MMU mode the virtual addresses that may be marked, and the lines of the
 * hit filter (plugins/filter.h).
 */
#ifndef PB_FILTER_RANGE_H
#define PB_FILTER_RANGE_H

/* An access calls if high - address <= span, as unsigned numbers. */
typedef struct PbFilterRange {
    uint64_t high, span;
} PbFilterRange;

typedef struct PbHitFilterAt {
    unsigned bits;      /* log2 of a line's bytes */
    uintptr_t table;    /* a mode's hit filter, if the block is of one vCPU and the table's address has 31 bits; else 0 */
    intptr_t from_env;  /* how far the pointer to it lies from env */
} PbHitFilterAt;
/* For the block that is being translated. False: there is no hit filter. */
bool pb_hit_filter_at(unsigned mode, PbHitFilterAt *at);
/* How far a mode's range lies from the vCPU's env, the same for each vCPU. False: there is no filter. */
bool pb_filter_range_at(unsigned mode, intptr_t *from_env);

#endif
