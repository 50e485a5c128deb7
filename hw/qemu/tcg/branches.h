/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Branches - what translated code asks in front of an access's callback (filter.c), of the address that the access has: one of these leaves the
 * callback out.
 */
#ifndef PB_BRANCHES_H
#define PB_BRANCHES_H

#include "hw/qemu/tcg/ops.h"

/* Emits, where operations are added now, a branch to `out` that leaves the access at op, of that address, without a callback. */
typedef void PbBranch(const TCGOp *op, TCGv_i64 addr, TCGLabel *out);

PbBranch pb_unless_in_window; /* no page there is marked (window.h) */
PbBranch pb_if_passes;        /* nor does it cross pages (passed.h) */
PbBranch pb_if_still;         /* it would change nothing in the models (window.h) */
/* Counts the access at op, which has passed. */
void pb_count_passed(const TCGOp *op);

#endif
