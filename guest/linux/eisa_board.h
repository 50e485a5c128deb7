/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eisa_board.h - what every part of a driver may know of its EISA board; eisa_slot.h fills it in.
 */
#ifndef PERFBOARD_EISA_BOARD_H
#define PERFBOARD_EISA_BOARD_H

#include <linux/device.h>
#include <linux/io.h>
#include <linux/types.h>

#define EISA_SLOT_LAST 15
#define EISA_ID_PORT(slot) ((slot) * 0x1000 + 0xC80)
#define EISA_CONFIG_PORT(slot) (EISA_ID_PORT(slot) + 4)

struct eisa_board {
	struct device *dev;
	int slot;
	u32 product;
	u32 config; /* of the control register */
	bool ours;  /* the driver configured the board, not firmware */
	int irq;    /* 0: none */
	void __iomem *regs;
};

/* After a sleep that took the slot's power. */
static inline void eisa_board_restore(struct eisa_board *b)
{
	outl(b->config, EISA_CONFIG_PORT(b->slot));
}

#endif
