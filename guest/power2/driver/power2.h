/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside power2.ko: the card and its power (power2_card.c), a processor's monitor (power2_cpu.c), attributes (power2_sysfs.c),
 * the character device (power2_file.c).
 *
 * There is one card, as there is one monitor in each processor, and what is here is the module's, not the card's: a
 * card that goes away leaves descriptors that answer ENODEV.
 */
#ifndef PERFBOARD_POWER2_DRIVER_H
#define PERFBOARD_POWER2_DRIVER_H

#include <linux/device.h>
#include <linux/io.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "../regs.h"
#include "../uapi.h"

/* The registers in the byte order of this kernel: no access needs a swap. */
#define P2_BAR (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? 2 : 0)

/* What is of one processor. Only it touches this, and its monitor, with interrupts off. */
struct p2_cpu {
	bool works; /* the monitor may be touched */
	u32 mmcr;   /* what MMCR holds */
};
DECLARE_PER_CPU(struct p2_cpu, p2_cpus);

/* power2_card.c */
extern struct p2_info p2_card; /* what it says of itself */
extern void __iomem *p2_regs;  /* of the processor that makes the access */
bool p2_there(void);	       /* the card is; the answer can be old when it is used */

static inline u32 p2_get(u32 reg)
{
	return __raw_readl(p2_regs + P2R_OWN + reg);
}

static inline void p2_put(u32 reg, u32 value)
{
	__raw_writel(value, p2_regs + P2R_OWN + reg);
}

/* power2_cpu.c */
int p2_cpu_init(void);
void p2_cpu_exit(void);
void p2_cpu_start(void); /* the card is there: all processors */
void p2_cpu_stop(void);	 /* it goes: no processor touches it after this */

/* power2_file.c */
extern const struct file_operations p2_operations;

/* power2_sysfs.c */
extern const struct attribute_group *p2_groups[];

#endif
