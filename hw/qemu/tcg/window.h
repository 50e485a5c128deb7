/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Window - where the filters look: of each vCPU and MMU mode the virtual addresses that may be marked, and the lines that are
 * still (plugins/filter.h).
 */
#ifndef PB_WINDOW_H
#define PB_WINDOW_H

/* An access calls if high - address <= span, as unsigned numbers. */
typedef struct PbWindow {
    uint64_t high, span;
} PbWindow;

typedef struct PbStillAt {
    unsigned bits;      /* log2 of a line's bytes */
    uintptr_t table;    /* a mode's table of still lines, if the block is of one vCPU and the table's address has 31 bits; else 0 */
    intptr_t from_env;  /* how far the pointer to it lies from env */
} PbStillAt;
/* For the block that is being translated. False: nothing is still. */
bool pb_still_at(unsigned mode, PbStillAt *at);
/* How far a mode's window lies from the vCPU's env, the same for each vCPU. False: there is no filter. */
bool pb_window_at(unsigned mode, intptr_t *from_env);

#endif
