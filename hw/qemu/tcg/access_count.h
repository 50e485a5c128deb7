/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Access count - the range (filter_range.h) from the other side, for accesses that are counted when they pass it (plugins/filter.h).
 *
 * What translated code asks of an access of 2^n bytes: is address - begin, turned right by n bits, below limit[n]? Then it passes. Of an address that
 * is not aligned the turn makes a number that no limit is above. Where nothing may pass, the limits are those of another table, all 0.
 */
#ifndef PB_ACCESS_COUNT_H
#define PB_ACCESS_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "hw/core/cpu.h"
#include "hw/qemu/tcg/env_relative.h"
#include "hw/qemu/tcg/filter_range.h"

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
