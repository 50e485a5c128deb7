// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * multikron.ko - NIST's MULTIKRON on a PCI card (hw/multikron/README.md is its manual).
 *
 * Each card is a /dev/multikronN; what the device offers is in guest/multikron/uapi.h.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "multikron.h"

static int mk_check(struct pci_dev *pci)
{
	if (pci_resource_len(pci, MKR_BAR_SAMPLE) < MKR_BAR_BYTES ||
	    offset_in_page(pci_resource_start(pci, MKR_BAR8)) ||
	    offset_in_page(pci_resource_start(pci, MKR_BAR_SAMPLE)))
		return -ENODEV;
	return 0;
}

static int mk_identify(struct mk_card *card)
{
	void __iomem *regs = card->pci.regs;
	struct mk_info *info = &card->info;
	u32 line;

	if (readl(regs + MKR_CARD_MAGIC) != MKR_CARD_MAGIC_VALUE)
		return -ENODEV;
	info->index = card->pci.index;
	info->version = readl(regs + MKR_CARD_VERSION);
	info->node_hz = readl(regs + MKR_CARD_NODE_HZ);
	info->timestamp_hz = readl(regs + MKR_CARD_TIMESTAMP_HZ);
	info->fifo_depth = readl(regs + MKR_CARD_FIFO_DEPTH);
	info->lines = readl(regs + MKR_CARD_LINES);
	info->cpus = num_possible_cpus();
	info->node = mk_source_node();
	for (line = 0; line < MK_INFO_LINES; line++)
		info->cpu[line] = readl(regs + MKR_CARD_CPU(line));
	return info->node_hz && info->timestamp_hz && info->lines <= MK_INFO_LINES ? 0 : -EIO;
}

/*
 * The lower halves; MUX SEL has two. Counters and the Timestamp are read as a whole, or not at all
 * (mk_get()).
 */
static const struct debugfs_reg32 mk_dump[] = {
	{ "CSR", MKR_AT8(MKR_CSR) },
	{ "FILTER", MKR_AT8(MKR_FILTER) },
	{ "WAIT", MKR_AT8(MKR_WAIT) },
	{ "OVERRUN", MKR_AT8(MKR_OVERRUN) },
	{ "MUX_SEL_LSB", MKR_AT8(MKR_MUXSEL) },
	{ "MUX_SEL_MSB", MKR_AT8(MKR_MUXSEL) + 4 },
	{ "ENABLE", MKR_AT8(MKR_ENABLE) },
	{ "SOURCE0", MKR_AT8(MKR_SOURCE(0)) },
	{ "SOURCE1", MKR_AT8(MKR_SOURCE(1)) },
	{ "SOURCE2", MKR_AT8(MKR_SOURCE(2)) },
	{ "SOURCE3", MKR_AT8(MKR_SOURCE(3)) },
	{ "SOURCE4", MKR_AT8(MKR_SOURCE(4)) },
	{ "SOURCE5", MKR_AT8(MKR_SOURCE(5)) },
	{ "SOURCE6", MKR_AT8(MKR_SOURCE(6)) },
	{ "SOURCE7", MKR_AT8(MKR_SOURCE(7)) },
};

static int mk_start(struct pci_card *pci)
{
	struct mk_card *card = mk_of(pci);
	int err = mk_identify(card);

	if (err)
		return err;
	mk_put(card, MKR_RESET, 0); /* a known state; the Timestamp goes on */
	mk_source_add(card);
	return 0;
}

static void mk_ready(struct pci_card *pci)
{
	const struct mk_info *info = &mk_of(pci)->info;

	dev_info(pci->misc.this_device,
		 "node clock %u Hz, Timestamp %u Hz, FIFO of %u, %u CPU ID lines\n", info->node_hz,
		 info->timestamp_hz, info->fifo_depth, info->lines);
}

static void mk_stop(struct pci_card *pci)
{
	mk_source_remove(mk_of(pci));
	mk_put(mk_of(pci), MKR_CSR, MKR_CSR_SEOFF);
}

static const struct pci_card_type mk_type = {
	.name = "multikron%d",
	.bytes = sizeof(struct mk_card),
	.bar = MKR_BAR8,
	.bar_bytes = MKR_BAR_BYTES,
	.mode = 0666, /* who may do what is decided here, not by the file's mode */
	.fops = &mk_operations,
	.groups = mk_groups,
	.dump = mk_dump,
	.dumped = ARRAY_SIZE(mk_dump),
	.check = mk_check,
	.start = mk_start,
	.ready = mk_ready,
	.stop = mk_stop,
	.map = mk_map,
	.fault = mk_fault,
};

/* --- a sleep that takes the card's power --- */

static const u32 mk_kept[] = { MKR_FILTER, MKR_MUXSEL, MKR_ENABLE, MKR_CSR };
static_assert(ARRAY_SIZE(mk_kept) == ARRAY_SIZE(((struct mk_card *)0)->kept));

/*
 * Programs are frozen. Settings are kept; the counters' values are not, as nothing can write them.
 */
static int mk_suspend(struct device *dev)
{
	struct mk_card *card = mk_of(dev_get_drvdata(dev));
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mk_kept); i++)
		card->kept[i] = mk_get(card, mk_kept[i]);
	mk_put(card, MKR_CSR, MKR_CSR_SEOFF);
	mk_put(card, MKR_DISABLE, MKR_COUNTERS_MASK);
	return 0;
}

static int mk_resume(struct device *dev)
{
	struct mk_card *card = mk_of(dev_get_drvdata(dev));
	const u64 state = MKR_CSR_SE | MKR_CSR_WWAIT | MKR_CSR_RWAIT | MKR_CSR_SLOW10US;
	size_t i;

	mk_source_restore(card);
	for (i = 0; i < ARRAY_SIZE(mk_kept); i++)
		mk_put(card, mk_kept[i],
		       mk_kept[i] == MKR_CSR ? card->kept[i] & state : card->kept[i]);
	return 0;
}

PCI_CARD_DRIVER(mk, MKR_VENDOR, MKR_DEVICE);

static int __init mk_init(void)
{
	return pci_register_driver(&mk_driver);
}

static void __exit mk_exit(void)
{
	pci_unregister_driver(&mk_driver);
	mk_source_exit();
}

module_init(mk_init);
module_exit(mk_exit);

MODULE_DESCRIPTION("MULTIKRON, performance instrumentation for MIMD computers");
MODULE_AUTHOR("The Perfboard project");
MODULE_LICENSE("GPL");
