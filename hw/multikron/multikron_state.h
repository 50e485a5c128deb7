/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All that a MULTIKRON remembers. Plain data: reset is one assignment, a snapshot is whole.
 * Times are node clock cycles since the hardware reset, unless they say ns.
 */
#ifndef PERFBOARD_MULTIKRON_MULTIKRON_STATE_H
#define PERFBOARD_MULTIKRON_MULTIKRON_STATE_H

#include <stdint.h>

#define MK_FIFO_MAX 64
#define MK_COUNTERS 16
#define MK_SOURCES 8

typedef struct MkSample {
    uint64_t high, low; /* FIFO bits 64-127, 0-63 */
    uint8_t resource;   /* bit 128 */
} MkSample;

typedef struct MkState {
    uint64_t reset_ns; /* when the hardware reset was, virtual ns */
    /* ... the model's author fills this in ... */
} MkState;

#endif
