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

/* What is wrong with a sample on purpose: a set. */
#define MK_DAMAGE_BIT 1 /* bit 0 of its first byte of user data, but not that byte's parity */
#define MK_DAMAGE_OPEN 2 /* the last element lacks the end flag */

#define STATE_LIST "hw/multikron/state.def"
#include "hw/core/state_struct.h"

#endif
