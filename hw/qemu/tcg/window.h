/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Window - where the filter looks: of each vCPU and MMU mode the virtual addresses that may be marked (plugins/filter.h).
 */
#ifndef PB_WINDOW_H
#define PB_WINDOW_H

/* An access calls if high - address <= span, as unsigned numbers. */
typedef struct PbWindow {
    uint64_t high, span;
} PbWindow;

/* How far a mode's window lies from the vCPU's env, the same for each vCPU. False: there is no filter. */
bool pb_window_at(unsigned mode, intptr_t *from_env);

#endif
