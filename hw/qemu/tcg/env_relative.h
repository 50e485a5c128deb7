/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Near - memory of ours that translated code reaches as it reaches a vCPU's state (env): at a distance that is the same for all vCPUs,
 * since they share blocks, and that fits into the 31 bits of an operation.
 *
 *   if (!pb_env_span(&span)) return;            vCPUs could be added where there never were any, or are of several kinds
 *   distance = pb_env_place(&span, aside, bytes);      0: there is no room
 */
#ifndef PB_ENV_RELATIVE_H
#define PB_ENV_RELATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/core/cpu.h"

/* Where the states of the vCPUs are. */
typedef struct PbEnvSpan {
    uintptr_t first, last;
    size_t gap; /* the least distance between two; SIZE_MAX: there is one */
} PbEnvSpan;

static inline uintptr_t pb_env_of(CPUState *cpu)
{
    return (uintptr_t)cpu + sizeof(*cpu);
}

/* Where it is true no vCPU comes later: one that the guest ejects leaves a place, but QEMU 10.0 has as many contexts of TCG as the machine
 * has places, and gives none a second time (tcg_register_thread). */
bool pb_env_span(PbEnvSpan *span);
/* Zeroed memory from first + distance to last + distance + bytes. Within a page it lies `aside` bytes behind env: where translated code
 * writes often, that is not to be where guest registers are, nor what comes before env. Processors tell loads from stores before
 * them by the low 12 bits of their addresses first, and wait where these are equal. (Blocks ran at half the speed.) */
intptr_t pb_env_place(const PbEnvSpan *span, size_t aside, size_t bytes);

#endif
