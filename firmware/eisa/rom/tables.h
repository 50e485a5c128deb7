/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the configuration ROM knows of boards: tables that eisacfg makes of their .CFG files. */
#ifndef PERFBOARD_EISA_TABLES_H
#define PERFBOARD_EISA_TABLES_H

#include <stdint.h>

struct memory {
	uint32_t base, bytes;
};

/* One alternative of a group: what it takes of the machine, and what the registers' bytes are then. */
struct choice {
	uint8_t function; /* of the board's; each has one choice made */
	uint8_t irq;      /* 0: none */
	uint8_t memories;
	struct memory memory[MOST_MEMORIES];
	uint8_t value[MOST_PORTS]; /* to be OR-ed, in the order of the board's ports */
};

struct board {
	uint32_t id; /* as at nC80 */
	char name[8];
	uint8_t functions;
	uint8_t ports;
	uint16_t port[MOST_PORTS]; /* offsets in the slot, in the order in which they are written */
	uint16_t first, end;       /* its choices */
};

#endif
