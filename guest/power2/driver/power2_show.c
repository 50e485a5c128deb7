// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: attributes in /sys/class/misc/power2, and /sys/kernel/debug/power2/registers: what
 * each processor's monitor holds just now, whoever it counts for.
 */
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/sysfs.h>

#include "power2.h"

#define P2_SHOW(name, format, value) \
	static ssize_t name##_show(struct device *dev, struct device_attribute *attribute, \
				   char *text) \
	{ \
		return sysfs_emit(text, format "\n", value); \
	} \
	static DEVICE_ATTR_RO(name)

P2_SHOW(version, "%u", p2_card.version);
P2_SHOW(monitors, "%u", p2_card.monitors);
P2_SHOW(clock_hz, "%u", p2_card.clock_hz);
P2_SHOW(node, "%u", p2_card.node);
P2_SHOW(sessions, "%u", READ_ONCE(p2_sessions));
P2_SHOW(perf_events, "%u", READ_ONCE(p2_perf_events));
P2_SHOW(processes, "%u", p2_task_count()); /* entries: counted or marked */
P2_SHOW(probes, "%u", p2_probes_on());	   /* 1: the scheduler is probed */
P2_SHOW(unanswered, "%llu", p2_unanswered()); /* how often a monitor did not answer */

static struct attribute *p2_attributes[] = {
	&dev_attr_version.attr,	   &dev_attr_monitors.attr,
	&dev_attr_clock_hz.attr,   &dev_attr_node.attr,
	&dev_attr_sessions.attr,   &dev_attr_perf_events.attr,
	&dev_attr_processes.attr,  &dev_attr_probes.attr,
	&dev_attr_unanswered.attr, NULL,
};
static const struct attribute_group p2_group = { .attrs = p2_attributes };
const struct attribute_group *p2_groups[] = { &p2_group, NULL };

/* --- registers --- */

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
