/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * All that the adapters remember. Plain data: reset is one assignment, a snapshot is whole. */
#ifndef PERFBOARD_SCI_SCI_STATE_H
#define PERFBOARD_SCI_SCI_STATE_H

#include <stdint.h>

#include "hw/sci/packet.h"

#define SCI_MAX_PAGES 65536u
#define SCI_COUNTS 8    /* 64-bit values of a node's statistics: 1000+80n, +00 to +38 */
#define SCI_READERS 33  /* who latches the upper half of a 64-bit register: a node; the last one: anybody else */
#define SCI_OUTSTANDING 64
#define SCI_MAX_BUFFERS 16
#define SCI_HELD 16     /* accesses of a node that are to be made again; a locked load of 8 bytes at an odd address is 8 */
#define SCI_FLIGHTS 2048 /* SCI_OUTSTANDING of each node */
#define SCI_PIECES 8     /* of a locked instruction at most, as above */
#define SCI_LINE_BYTES 64 /* of a write-combining buffer */
#define SCI_LINKS 80    /* the largest ring has 75 */
#define SCI_LINES (SCI_LINKS + 32)
#define SCI_CALENDAR 4096 /* symbols: 20 us */
/* The B-Links that a request and its response pass: request out, request in, response out, response in. */
#define SCI_PASSES 4
/* Of an access that has been tried: none; it is to be made again; a locked load that is done, and whose store has not come yet. */
enum { SCI_HELD_NONE, SCI_HELD_WAITS, SCI_HELD_LOCKED };
enum { SCI_ASKED_NOT, SCI_ASKED_WAITS, SCI_ASKED_ANSWERED };

#define STATE_LIST "hw/sci/state.def"
#include "hw/model/state_struct.h"

#endif
