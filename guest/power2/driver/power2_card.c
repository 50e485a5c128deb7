// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko - the POWER2 performance monitor (hw/power2/README.md is its manual).
 *
 * /dev/power2; what the device offers is in guest/power2/uapi.h.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "power2.h"
#include "../../linux/pci_card.h"

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
