// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko - the POWER2 performance monitor (hw/power2/README.md is its manual).
 *
 * /dev/power2; what the device offers is in guest/power2/uapi.h.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/sysfs.h>

#include "power2.h"
#include "../../linux/pci_card.h"

/*
 * Attributes in /sys/class/misc/power2, and /sys/kernel/debug/power2/registers: what each
 * processor's monitor holds just now, whoever it counts for.
 */

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
static const struct attribute_group *p2_groups[] = { &p2_group, NULL };

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

static void p2_debug_init(void)
{
	p2_debug = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("registers", 0400, p2_debug, NULL, &p2_dump_fops);
}

static void p2_debug_exit(void)
{
	debugfs_remove(p2_debug);
}

/* --- the card --- */

static u32 p2_card_get(u32 reg)
{
	return __raw_readl(p2_regs + P2R_CARD + reg);
}

static int p2_identify(void)
{
	const bool own_mark = p2_card_get(P2R_CARD_FLAGS) & P2_CARD_OWN_MARK;

	if (p2_card_get(P2R_CARD_MAGIC) != P2_CARD_MAGIC || p2_card_get(P2R_CARD_VERSION) != 1)
		return -ENODEV;
	if (own_mark == IS_ENABLED(CONFIG_PPC64))
		return -EIO;
	p2_card = (struct p2_info){
		.version = p2_card_get(P2R_CARD_VERSION),
		.monitors = p2_card_get(P2R_CARD_MONITORS),
		.clock_hz = p2_card_get(P2R_CARD_CLOCK),
		.node = p2_card_get(P2R_CARD_NODE),
		.dcache_bytes = p2_card_get(P2R_CARD_DCACHE),
		.dcache_line = p2_card_get(P2R_CARD_DCACHE_LINE),
		.icache_bytes = p2_card_get(P2R_CARD_ICACHE),
		.dcache_penalty = p2_card_get(P2R_CARD_DCACHE_PENALTY),
		.tlb_penalty = p2_card_get(P2R_CARD_TLB_PENALTY),
		.icache_penalty = p2_card_get(P2R_CARD_ICACHE_PENALTY),
		.flags = own_mark ? 0 : P2_INFO_POWER,
	};
	return p2_card.monitors >= num_present_cpus() ? 0 : -EIO;
}

static int p2_start(struct pci_card *pci)
{
	int err;

	p2_regs = pci->regs;
	err = p2_identify();
	if (err)
		return err;
	p2_set_there(true);
	p2_cpu_start();
	return 0;
}

static void p2_ready(struct pci_card *pci)
{
	dev_info(pci->misc.this_device, "%u monitors, %u Hz\n", p2_card.monitors,
		 p2_card.clock_hz);
}

/* Descriptors are the module's sessions, which live on. */
static void p2_stop(struct pci_card *pci)
{
	p2_set_there(false);
	p2_sessions_wake();
	p2_cpu_stop();
}

static const struct pci_card_type p2_type = {
	.name = "power2",
	.most = 1,
	.bytes = sizeof(struct pci_card),
	.bar = P2_BAR,
	.bar_bytes = P2_BAR_BYTES,
	/* A session of the machine can keep all others out: for a group's members. */
	.mode = 0660,
	.fops = &p2_operations,
	.groups = p2_groups,
	.start = p2_start,
	.ready = p2_ready,
	.stop = p2_stop,
};

/* --- a sleep that takes the card's power: the counts are in memory meanwhile --- */

static int p2_suspend(struct device *dev)
{
	p2_cpu_stop();
	return 0;
}

static int p2_resume(struct device *dev)
{
	p2_cpu_start();
	return 0;
}

PCI_CARD_DRIVER(p2, P2_PCI_VENDOR, P2_PCI_DEVICE);

static int __init p2_init(void)
{
	int err = p2_cpu_init();

	if (err)
		return err;
	err = p2_perf_init();
	if (err)
		goto cpu;
	err = pci_register_driver(&p2_driver);
	if (err)
		goto perf;
	p2_debug_init();
	return 0;

perf:
	p2_perf_exit();
cpu:
	p2_cpu_exit();
	return err;
}

static void __exit p2_exit(void)
{
	p2_debug_exit();
	pci_unregister_driver(&p2_driver);
	p2_keep_exit();
	p2_probes_exit();
	p2_perf_exit();
	p2_cpu_exit();
}

module_init(p2_init);
module_exit(p2_exit);

MODULE_DESCRIPTION("POWER2 performance monitor");
MODULE_AUTHOR("The Perfboard project");
MODULE_LICENSE("GPL");
