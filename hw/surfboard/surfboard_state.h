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

#include "hw/surfboard/has.h"

/* EPIR: "PRU", product 0x001, revision 0, as the little-endian word at nC80 (INFERRED letters). */
#define SURF_PRODUCT_ID 0x10005542u

#define SURF_FIFO_SLOTS 4096    /* 4096 x 9: README.md, facts; 1365 bin addresses */
#define SURF_PIPE_PACKETS 4     /* three are in the stages; one more may just be coming */
#define SURF_CATEGORY_HISTORY 8 /* PCLR.CAT changes remembered for packets under way */
#define SURF_EXT_HISTORY 32     /* changes of the external input remembered for packets under way */

/* What was last told to the world outside; not state, and never saved. */
typedef struct SurfLines {
    uint64_t armed; /* deadline asked of the host */
    uint8_t irq;
    uint8_t ext_low;
    uint8_t ext_busy; /* inside ext_drive() */
    uint8_t memory_free; /* accesses to the memories need not be announced */
#ifdef __cplusplus
    bool operator==(const SurfLines&) const = default;
#endif
} SurfLines;

#define STATE_LIST "hw/surfboard/state.def"
#include "hw/model/state_struct.h"

#endif
