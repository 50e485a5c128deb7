// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko - the POWER2 performance monitor (hw/power2/README.md is its manual).
 *
 * /dev/power2; what the device offers is in guest/power2/uapi.h.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/pci.h>

#include "power2.h"
#include "../../linux/pci_card.h"

struct p2_info p2_card;
void __iomem *p2_regs;
static struct pci_dev *p2_pci; /* NULL: there is no card */
static atomic_t p2_taken;      /* by a card: there is one device for one */

bool p2_there(void)
{
	return READ_ONCE(p2_pci);
}

static struct miscdevice p2_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "power2",
	.fops = &p2_operations,
	.groups = p2_groups,
	/* A session of the machine can keep all others out: for a group's members. */
	.mode = 0660,
};

/* --- the PCI device --- */

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

static int p2_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	int err;

	if (atomic_cmpxchg(&p2_taken, 0, 1))
		return -EBUSY;
	p2_regs = pci_card_map(pci, P2_BAR, P2_BAR_BYTES);
	err = PTR_ERR_OR_ZERO((void __force *)p2_regs);
	if (err)
		goto give;
	err = p2_identify();
	if (err)
		goto unmap;
	p2_misc.parent = &pci->dev;
	/* That of an earlier registration may be another's by now. */
	p2_misc.minor = MISC_DYNAMIC_MINOR;
	err = misc_register(&p2_misc);
	if (err)
		goto unmap;
	WRITE_ONCE(p2_pci, pci);
	p2_cpu_start();
	dev_info(p2_misc.this_device, "%u monitors, %u Hz\n", p2_card.monitors, p2_card.clock_hz);
	return 0;

unmap:
	pci_card_unmap(pci, p2_regs);
give:
	atomic_set(&p2_taken, 0);
	dev_err(&pci->dev, "error %d\n", err);
	return err;
}

/* A card can be removed while files are open; the module cannot. */
static void p2_remove(struct pci_dev *pci)
{
	misc_deregister(&p2_misc);
	WRITE_ONCE(p2_pci, NULL);
	p2_sessions_wake();
	p2_cpu_stop();
	pci_card_unmap(pci, p2_regs);
	atomic_set(&p2_taken, 0);
}

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

static DEFINE_SIMPLE_DEV_PM_OPS(p2_power, p2_suspend, p2_resume);

static const struct pci_device_id p2_ids[] = {
	{ PCI_DEVICE(P2_PCI_VENDOR, P2_PCI_DEVICE) },
	{}
};
MODULE_DEVICE_TABLE(pci, p2_ids);

static struct pci_driver p2_driver = {
	.name = KBUILD_MODNAME,
	.id_table = p2_ids,
	.probe = p2_probe,
	.remove = p2_remove,
	.driver.pm = pm_sleep_ptr(&p2_power),
};

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
