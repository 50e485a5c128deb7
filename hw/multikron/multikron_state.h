/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All that a MULTIKRON remembers. Plain data: reset is one assignment, a snapshot is whole.
 * A cycle is one of the node clock since the hardware reset, a tick one of the timestamp clock.
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
    /* Clocks. */
    uint64_t reset_ns;       /* virtual time of the hardware reset */
    uint64_t timestamp;      /* the counter's value at timestamp_tick */
    uint64_t timestamp_tick;
    /* Registers (Table A-1); only the bits that exist. */
    uint32_t csr; /* control bits 0, 2, 4, 14 */
    uint32_t filter;
    uint32_t wait_count;
    uint32_t overrun_count;
    uint64_t mux_sel;
    uint64_t test; /* 48 bits */
    uint32_t source[MK_SOURCES];
    uint16_t enable;
    uint8_t fifo_overrun; /* samples were lost, and none has been taken since */
    uint8_t shadow_overrun;
    uint8_t test_mode; /* the pin */
    /* Resource counters as of a cycle and a tick, and what was copied out of them. */
    uint64_t counted_cycle;
    uint64_t counted_tick;
    uint32_t counter[MK_COUNTERS];
    uint32_t shadow[MK_COUNTERS];
    uint8_t shadow_busy;
    /* The card's, for hosts of 32 bits: 1 + the counter whose lower half this processor read last, if it was right; 0: none, or
     * it was wrong. By CPU ID line; the last one is of accesses without a line. */
    uint8_t right_half[MK_SOURCES + 1];
    /* FIFO: a ring; entry `head` is in the last level. */
    MkSample fifo[MK_FIFO_MAX];
    uint8_t head, count;
    /* Network output. */
    uint8_t sent;       /* elements of the last level's sample that are in the external FIFO */
    uint64_t next_edge; /* cycle before which no element leaves: even */
    uint8_t external_free;     /* the pin, if somebody drives it (MK_FREE_PIN) */
    uint32_t external_count;   /* bytes in the external FIFO at external_cycle (MK_FREE_FIFO) */
    uint64_t external_cycle;
    /* An access whose RDY is delayed. */
    uint8_t waiting;      /* 0: none */
    uint8_t wait_slot;    /* it waits for a free level of the FIFO */
    uint8_t wait_shadow;  /* for the shadow registers */
    uint64_t wait_cycle;  /* up to which wait_count has tallied */
} MkState;

#endif
