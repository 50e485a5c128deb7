/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All that a POWER2 performance monitor remembers. Plain data: reset is one assignment, a snapshot is whole.
 */
#ifndef PERFBOARD_POWER2_POWER2_STATE_H
#define PERFBOARD_POWER2_POWER2_STATE_H

#include <stdint.h>

#define P2_STATE_COUNTERS 22

#define STATE_LIST "hw/power2/state.def"
#include "hw/core/state_struct.h"

#endif
