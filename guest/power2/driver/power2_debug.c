// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: /sys/kernel/debug/power2/registers, what each processor's monitor holds just now,
 * whoever it counts for.
 */
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/smp.h>

#include "power2.h"

static const u32 p2_dumped[] = { P2R_MMCR, P2R_IMR, P2R_SPE, P2R_MARK, P2R_STATE };

struct p2_dump {
	bool works;
	u32 reg[ARRAY_SIZE(p2_dumped)];
	u32 counter[P2_COUNTERS];
};

static void p2_dump_here(void *data)
{
	struct p2_dump *d = data;
	u32 i;

	d->works = this_cpu_ptr(&p2_cpus)->works;
	if (!d->works)
		return;
	for (i = 0; i < ARRAY_SIZE(p2_dumped); i++)
		d->reg[i] = p2_get(p2_dumped[i]);
	for (i = 0; i < P2_COUNTERS; i++)
		d->counter[i] = p2_get(P2R_COUNTER(i));
}

/* A line for each processor; none for those that are off. */
static int p2_dump_show(struct seq_file *file, void *unused)
{
	struct p2_dump d;
	u32 i;
	int cpu;

	for_each_online_cpu(cpu) {
		if (smp_call_function_single(cpu, p2_dump_here, &d, 1) || !d.works)
			continue;
		seq_printf(file, "cpu %d mmcr %08x imr %08x spe %x mark %x state %x counters", cpu,
			   d.reg[0], d.reg[1], d.reg[2], d.reg[3], d.reg[4]);
		for (i = 0; i < P2_COUNTERS; i++)
			seq_printf(file, " %u", d.counter[i]);
		seq_putc(file, '\n');
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(p2_dump);

static struct dentry *p2_debug;

void p2_debug_init(void)
{
	p2_debug = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("registers", 0400, p2_debug, NULL, &p2_dump_fops);
}

void p2_debug_exit(void)
{
	debugfs_remove(p2_debug);
}
