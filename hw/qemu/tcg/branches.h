/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Branches - what translated code asks in front of an access's callback (filter.c), of the address that the access has: one of these leaves the
 * callback out.
 */
#ifndef PB_BRANCHES_H
#define PB_BRANCHES_H

#include "hw/qemu/tcg/ops.h"

/* Both emit, where operations are added now. */
typedef struct PbQuestion {
    void (*branch)(const TCGOp *op, TCGv_i64 addr, TCGLabel *out); /* to `out` if the access at op, of that address, needs no callback */
    void (*left_out)(const TCGOp *op);                             /* there: counts the access. NULL: nothing is counted */
} PbQuestion;

extern const PbQuestion pb_unless_in_range; /* no page there is marked (filter_range.h) */
extern const PbQuestion pb_if_passes;        /* nor does it cross pages (access_count.h) */
extern const PbQuestion pb_if_hit;         /* it would change nothing in the models (filter_range.h) */

#endif
