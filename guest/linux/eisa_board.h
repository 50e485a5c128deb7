/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eisa_board.h - what every part of a driver may know of its EISA board; eisa_slot.h fills it in.
 */
#ifndef PERFBOARD_EISA_BOARD_H
#define PERFBOARD_EISA_BOARD_H

#include <linux/device.h>
#include <linux/io.h>
#include <linux/miscdevice.h>
#include <linux/types.h>

#include "register_dump.h"

#define EISA_SLOT_LAST 15
#define EISA_ID_PORT(slot) ((slot) * 0x1000 + 0xC80)
#define EISA_CONFIG_PORT(slot) (EISA_ID_PORT(slot) + 4)

/* A driver's structure of a board begins with it. */
struct eisa_board {
	struct device *dev;
	int index; /* in slot order, of those that work */
	char name[8];
	int slot;
	u32 product;
	u32 config; /* of the control register */
	bool ours;  /* the driver configured the board, not firmware */
	int irq;    /* 0: none */
	void __iomem *regs;
	struct miscdevice misc;
	struct register_dump dump;
};

/* After a sleep that took the slot's power. */
static inline void eisa_board_restore(struct eisa_board *b)
{
	outl(b->config, EISA_CONFIG_PORT(b->slot));
}

static inline void eisa_board_deregister(void *board)
{
	struct eisa_board *b = board;

	register_dump_remove(&b->dump);
	misc_deregister(&b->misc);
}

/* The character device, until the board loses its driver. */
static inline int eisa_board_register(struct eisa_board *b, const struct file_operations *fops,
				      const struct attribute_group **groups,
				      const struct debugfs_reg32 *dump, int dumped)
{
	int err;

	b->misc.minor = MISC_DYNAMIC_MINOR;
	b->misc.name = b->name;
	b->misc.fops = fops;
	b->misc.groups = groups;
	b->misc.parent = b->dev;
	err = misc_register(&b->misc);
	if (err)
		return err;
	register_dump_add(&b->dump, b->name, b->regs, dump, dumped);
	return devm_add_action_or_reset(b->dev, eisa_board_deregister, b);
}

#endif
