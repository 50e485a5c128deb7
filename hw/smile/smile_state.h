/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All that a SMiLE monitor remembers, but for its memories. Plain data: reset is one assignment, a snapshot is whole.
 */
#ifndef PERFBOARD_SMILE_SMILE_STATE_H
#define PERFBOARD_SMILE_SMILE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#define SMILE_MAX_ENTRIES 64
#define SMILE_TRANSACTIONS 64
#define SMILE_TABLE_PAGES 32
#define SMILE_TABLE_EVENTS 16
#define SMILE_STATIC_COUNTERS 16
#define SMILE_BRIDGE_WORDS 29
#define SMILE_XCHECKER_COMMAND 258 /* bytes of the cable's longest command: xchecker.h */
#define SMILE_STEPS 1024 /* clocks: 20 us, what lies ahead of an access and what MSR looks back for */

#define STATE_LIST "hw/smile/state.def"
#include "hw/core/state_struct.h"

#endif
