/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * HasState - everything that the histogram address selector remembers (has.h).
 *
 * A snapshot saves every member as it is; nothing here is derived from another member.
 *
 * Usable from C and C++.
 */
#ifndef PERFBOARD_SURFBOARD_HAS_STATE_H
#define PERFBOARD_SURFBOARD_HAS_STATE_H

#include <stdint.h>

#define HAS_INPUTS 50  /* packet bits (A.1) */
#define HAS_OUTPUTS 24 /* histogram address bits */

#define STATE_LIST "hw/surfboard/has_state.def"
#include "hw/core/state_struct.h"

#endif
