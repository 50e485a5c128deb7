/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * SurfState - everything that a SurfBoard remembers (surfboard.h has its functions).
 *
 * A snapshot saves every member except `lines`, which surf_post_load() works out again.
 * Registers whose bits are all made from other state (FCCR's status, ISCR's levels) have
 * no member; the rest are here under their names. Times are virtual ns.
 *
 * Usable from C and C++.
 */
#ifndef PERFBOARD_SURFBOARD_STATE_H
#define PERFBOARD_SURFBOARD_STATE_H

#include <stdint.h>

#include "hw/surfboard/has_state.h"

/* EPIR: "PRU", product 0x001, revision 0, as the little-endian word at nC80 (INFERRED letters). */
#define SURF_PRODUCT_ID 0x10005542u

#define SURF_FIFO_SLOTS 4096    /* 4096 x 9: README.md, facts; 1365 bin addresses */
#define SURF_PIPE_PACKETS 4     /* three are in the stages; one more may just be coming */
#define SURF_CATEGORY_HISTORY 8 /* PCLR.CAT changes remembered for packets under way */
#define SURF_EXT_HISTORY 32     /* changes of the external input remembered for packets under way */

/* A packet in the pipeline: what Stage 1 has sampled of it. */
typedef struct SurfPipePacket {
    uint64_t start_ns;     /* first word came */
    uint64_t stage2_ns;    /* end of data: leaves Stage 1 */
    uint64_t stage3_ns;    /* leaves Stage 2 */
    uint64_t done_ns;      /* leaves Stage 3: its effects are visible from here */
    uint64_t receive_time; /* 44 bits */
    uint64_t timestamp;    /* 44 bits */
    uint32_t address;
    uint16_t sender;
    uint16_t words;        /* the 10-bit size counter: 0 is 1024 */
    uint8_t color;
    uint8_t interrupt;
    uint8_t byte_enables;
    uint8_t category;        /* PCLR.CAT when it came */
    uint8_t remote_category; /* upper four bits of the first payload word */
    uint8_t ext_input;       /* external input when it came: 1 TRUE, 0 FALSE */
} SurfPipePacket;

typedef struct SurfFifo {
    uint16_t slot[SURF_FIFO_SLOTS]; /* bits 7..0 data, 8 LSB flag */
    uint16_t head;                  /* oldest */
    uint16_t count;
    uint16_t empty_offset; /* 12 bits */
    uint16_t full_offset;  /* 12 bits */
    uint8_t pointer;       /* offset byte that HFCR shows: 0 Empty LSB .. 3 Full MSB */
} SurfFifo;

/* What was last told to the world outside; not state, and never saved. */
typedef struct SurfLines {
    uint64_t armed; /* deadline asked of the host */
    uint8_t irq;
    uint8_t ext_low;
    uint8_t ext_busy; /* inside ext_drive() */
    uint8_t memory_free; /* accesses to the memories need not be announced */
} SurfLines;

typedef struct SurfState {
    /* registers */
    uint32_t ebcr;
    uint32_t acdr; /* the 28-bit shift register */
    uint32_t ttcr;
    uint32_t ecdr;
    uint32_t pclr;
    uint32_t iscr; /* the conditions that are latched: w1c bits and RTV */
    uint32_t iemr;
    uint32_t htcr;
    uint32_t wcdr;
    uint32_t ticr; /* 22 bits; TSIZE hides the upper ones */
    uint32_t tecr;
    uint32_t tpir;

    HasState has;
    SurfFifo fifo;

    /* pipeline */
    SurfPipePacket pipe[SURF_PIPE_PACKETS]; /* complete packets, oldest first */
    SurfPipePacket open;    /* a packet that no end of data has ended, if open_valid */
    uint8_t pipe_count;
    uint8_t open_valid;
    uint64_t ready_ns;       /* when PRS or the disabled state ended; packets that started before are not seen */
    uint64_t stage1_free_ns; /* packets that start before are dropped: PV */
    uint64_t stage3_free_ns; /* the packet in Stage 3 leaves it */

    /* The last changes of PCLR.CAT, newest first: when, and what it was before. */
    uint64_t category_until_ns[SURF_CATEGORY_HISTORY];
    uint8_t category_before[SURF_CATEGORY_HISTORY];

    int64_t clock_base_ns; /* when the receive clock was 0 */
    uint8_t ext_high;      /* level of the external wire: 1 high, 0 low */
    /* When the external input last went from FALSE to TRUE or back, newest first; never increasing. 0: not yet. */
    uint64_t ext_changed_ns[SURF_EXT_HISTORY];

    /* Until when an LED shines whose event is too short to be seen: */
    uint64_t led_reset_until_ns;
    uint64_t led_access_until_ns;
    uint64_t led_stage1_until_ns;
    uint64_t led_stage2_until_ns;

    SurfLines lines;
} SurfState;

#endif
