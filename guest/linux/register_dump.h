/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * register_dump.h - a card's registers in debugfs, as lines "NAME = 0xVALUE", for root alone:
 * /sys/kernel/debug/NAME/registers.
 *
 *   static const struct debugfs_reg32 regs[] = { { "CSR", 0x10 }, ... };
 *   register_dump_add(&card->dump, card->name, card->regs, regs, ARRAY_SIZE(regs));
 *   register_dump_remove(&card->dump);     before the registers are unmapped: waits for who reads
 *
 * The list has names and offsets, and no register whose reading changes anything.
 * Without debugfs both do nothing.
 */
#ifndef PERFBOARD_REGISTER_DUMP_H
#define PERFBOARD_REGISTER_DUMP_H

#include <linux/debugfs.h>
#include <linux/io.h>

struct register_dump {
	struct debugfs_regset32 set;
	struct dentry *folder;
};

static inline void register_dump_add(struct register_dump *dump, const char *name,
				     void __iomem *base, const struct debugfs_reg32 *regs,
				     int count)
{
	dump->set = (struct debugfs_regset32){ .regs = regs, .nregs = count, .base = base };
	dump->folder = debugfs_create_dir(name, NULL);
	debugfs_create_regset32("registers", 0400, dump->folder, &dump->set);
}

static inline void register_dump_remove(struct register_dump *dump)
{
	debugfs_remove_recursive(dump->folder);
	dump->folder = NULL;
}

#endif
