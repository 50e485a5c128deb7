/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Passed - the window (window.h) from the other side, for accesses that are counted when they pass it (plugins/filter.h).
 *
 * What translated code asks of an access of 2^n bytes: is address - begin, turned right by n bits, below limit[n]? Then it passes. Of an address that
 * is not aligned the turn makes a number that no limit is above. Where nothing may pass, the limits are those of another table, all 0.
 */
#ifndef PB_PASSED_H
#define PB_PASSED_H

#include <stdbool.h>
#include <stdint.h>

#include "hw/core/cpu.h"
#include "hw/qemu/tcg/near.h"
#include "hw/qemu/tcg/window.h"

typedef struct PbPassedAt {
    intptr_t begin; /* how far the mode's `begin` lies from the vCPU's env */
    intptr_t table; /* how far the pointer to the table of limits lies from env */
    intptr_t limit; /* how far the access's limit lies from where that points to */
    intptr_t count; /* how far the access's count lies from env */
} PbPassedAt;
/* False: nothing ever passes. */
bool pb_passed_at(unsigned mode, unsigned log2_bytes, bool store, PbPassedAt *at);

/* Once, where there are windows. */
void pb_passed_start(const PbNearSpan *span);
/* A mode's window is another one now. In the vCPU's thread, or while it does not run. */
void pb_passed_window(CPUState *cpu, unsigned mode, PbWindow w);

#endif
