/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Branches - what translated code asks in front of an access's callback (filter.c), of the address that the access has: one of these leaves the
 * callback out.
 */
#ifndef PB_BRANCHES_H
#define PB_BRANCHES_H

#include "hw/qemu/series/qemu.h"
#include "hw/qemu/tcg/ops.h"

/* Both emit, where operations are added now. */
typedef struct PbQuestion {
    void (*branch)(const TCGOp *op, TCGv_i64 addr, TCGLabel *out); /* to `out` if the access at op, of that address, needs no callback */
    void (*left_out)(const TCGOp *op);                             /* there: counts the access. NULL: nothing is counted */
} PbQuestion;

extern const PbQuestion pb_unless_in_range; /* no page there is marked (filter range, below) */
extern const PbQuestion pb_if_passes;        /* nor does it cross pages (access count, below) */
extern const PbQuestion pb_if_hit;         /* it would change nothing in the models (filter range) */

/* Filter range - where the filters look: of each vCPU and MMU mode the virtual addresses that may be marked, and the lines of the
 * hit filter (plugins/machine.h).
 */

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

/* Access count - the filter range from the other side, for accesses that are counted when they pass it (plugins/machine.h).
 *
 * What translated code asks of an access of 2^n bytes: is address - begin, turned right by n bits, below limit[n]? Then it passes. Of an address that
 * is not aligned the turn makes a number that no limit is above. Where nothing may pass, the limits are those of another table, all 0.
 */

typedef struct PbPassedAt {
    intptr_t begin; /* how far the mode's `begin` lies from the vCPU's env */
    intptr_t table; /* how far the pointer to the table of limits lies from env */
    intptr_t limit; /* how far the access's limit lies from where that points to */
    intptr_t count; /* how far the access's count lies from env */
} PbPassedAt;
/* False: nothing ever passes. */
bool pb_access_count_at(unsigned mode, unsigned log2_bytes, bool store, PbPassedAt *at);

/* Once, where there are ranges. */
void pb_access_count_start(const PbEnvSpan *span);
/* A mode's range is another one now. In the vCPU's thread, or while it does not run. */
void pb_access_count_range(CPUState *cpu, unsigned mode, PbFilterRange w);

#endif
