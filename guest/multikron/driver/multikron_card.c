// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * multikron.ko - NIST's MULTIKRON on a PCI card (hw/multikron/README.md is its manual).
 *
 * Each card is a /dev/multikronN; what the device offers is in guest/multikron/uapi.h.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/idr.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "multikron.h"
#include "../../linux/open_files.h"
#include "../../linux/pci_card.h"

static DEFINE_IDA(mk_indices);

/* --- the PCI device --- */

static void mk_free(struct kref *ref)
{
	kfree(container_of(ref, struct mk_card, ref));
}

void mk_put_card(struct mk_card *card)
{
	kref_put(&card->ref, mk_free);
}

static int mk_identify(struct mk_card *card)
{
	struct mk_info *info = &card->info;
	u32 line;

	if (readl(card->regs + MKR_CARD_MAGIC) != MKR_CARD_MAGIC_VALUE)
		return -ENODEV;
	info->version = readl(card->regs + MKR_CARD_VERSION);
	info->node_hz = readl(card->regs + MKR_CARD_NODE_HZ);
	info->timestamp_hz = readl(card->regs + MKR_CARD_TIMESTAMP_HZ);
	info->fifo_depth = readl(card->regs + MKR_CARD_FIFO_DEPTH);
	info->lines = readl(card->regs + MKR_CARD_LINES);
	info->cpus = num_possible_cpus();
	info->node = mk_source_node();
	for (line = 0; line < MK_INFO_LINES; line++)
		info->cpu[line] = readl(card->regs + MKR_CARD_CPU(line));
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

static int mk_register(struct mk_card *card)
{
	int err = ida_alloc(&mk_indices, GFP_KERNEL);

	if (err < 0)
		return err;
	card->info.index = err;
	snprintf(card->name, sizeof(card->name), "multikron%u", card->info.index);
	card->misc.minor = MISC_DYNAMIC_MINOR;
	card->misc.name = card->name;
	card->misc.fops = &mk_operations;
	card->misc.groups = mk_groups;
	card->misc.parent = &card->pci->dev;
	card->misc.mode = 0666; /* who may do what is decided here, not by the file's mode */
	err = misc_register(&card->misc);
	if (err)
		ida_free(&mk_indices, card->info.index);
	return err;
}

static int mk_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	struct mk_card *card;
	int err;

	if (pci_resource_len(pci, MKR_BAR_SAMPLE) < MKR_BAR_BYTES ||
	    offset_in_page(pci_resource_start(pci, MKR_BAR8)) ||
	    offset_in_page(pci_resource_start(pci, MKR_BAR_SAMPLE)))
		return -ENODEV;
	card = kzalloc(sizeof(*card), GFP_KERNEL);
	if (!card)
		return -ENOMEM;
	kref_init(&card->ref);
	init_rwsem(&card->life);
	INIT_LIST_HEAD(&card->files);
	card->pci = pci;
	card->registers = pci_resource_start(pci, MKR_BAR8);
	card->samples = pci_resource_start(pci, MKR_BAR_SAMPLE);
	card->regs = pci_card_map(pci, MKR_BAR8, MKR_BAR_BYTES);
	err = PTR_ERR_OR_ZERO((void __force *)card->regs);
	if (err)
		goto free;
	err = mk_identify(card);
	if (err)
		goto unmap;
	mk_put(card, MKR_RESET, 0); /* a known state; the Timestamp goes on */
	mk_source_add(card);
	pci_set_drvdata(pci, card);
	err = mk_register(card);
	if (err)
		goto remove;
	register_dump_add(&card->dump, card->name, card->regs, mk_dump, ARRAY_SIZE(mk_dump));
	dev_info(card->misc.this_device,
		 "node clock %u Hz, Timestamp %u Hz, FIFO of %u, %u CPU ID lines\n",
		 card->info.node_hz, card->info.timestamp_hz, card->info.fifo_depth,
		 card->info.lines);
	return 0;

remove:
	mk_source_remove(card);
unmap:
	pci_card_unmap(pci, card->regs);
free:
	dev_err(&pci->dev, "error %d\n", err);
	mk_put_card(card);
	return err;
}

/* A card can be removed while files are open and pages mapped; the module cannot. */
static void mk_remove(struct pci_dev *pci)
{
	struct mk_card *card = pci_get_drvdata(pci);
	void __iomem *regs = card->regs;

	register_dump_remove(&card->dump);
	misc_deregister(&card->misc);
	ida_free(&mk_indices, card->info.index);
	mk_source_remove(card);
	mk_put(card, MKR_CSR, MKR_CSR_SEOFF);
	down_write(&card->life);
	card->regs = NULL;
	open_files_unmap(&card->files);
	up_write(&card->life);
	pci_card_unmap(pci, regs);
	mk_put_card(card);
}

/* --- a sleep that takes the card's power --- */

static const u32 mk_kept[] = { MKR_FILTER, MKR_MUXSEL, MKR_ENABLE, MKR_CSR };
static_assert(ARRAY_SIZE(mk_kept) == ARRAY_SIZE(((struct mk_card *)0)->kept));

/*
 * Programs are frozen. Settings are kept; the counters' values are not, as nothing can write them.
 */
static int mk_suspend(struct device *dev)
{
	struct mk_card *card = dev_get_drvdata(dev);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(mk_kept); i++)
		card->kept[i] = mk_get(card, mk_kept[i]);
	mk_put(card, MKR_CSR, MKR_CSR_SEOFF);
	mk_put(card, MKR_DISABLE, MKR_COUNTERS_MASK);
	return 0;
}

static int mk_resume(struct device *dev)
{
	struct mk_card *card = dev_get_drvdata(dev);
	const u64 state = MKR_CSR_SE | MKR_CSR_WWAIT | MKR_CSR_RWAIT | MKR_CSR_SLOW10US;
	size_t i;

	mk_source_restore(card);
	for (i = 0; i < ARRAY_SIZE(mk_kept); i++)
		mk_put(card, mk_kept[i],
		       mk_kept[i] == MKR_CSR ? card->kept[i] & state : card->kept[i]);
	return 0;
}

static DEFINE_SIMPLE_DEV_PM_OPS(mk_power, mk_suspend, mk_resume);

static const struct pci_device_id mk_ids[] = {
	{ PCI_DEVICE(MKR_VENDOR, MKR_DEVICE) },
	{}
};
MODULE_DEVICE_TABLE(pci, mk_ids);

static struct pci_driver mk_driver = {
	.name = KBUILD_MODNAME,
	.id_table = mk_ids,
	.probe = mk_probe,
	.remove = mk_remove,
	.driver.pm = pm_sleep_ptr(&mk_power),
};

static int __init mk_init(void)
{
	return pci_register_driver(&mk_driver);
}

static void __exit mk_exit(void)
{
	pci_unregister_driver(&mk_driver);
	mk_source_exit();
	ida_destroy(&mk_indices);
}

module_init(mk_init);
module_exit(mk_exit);

MODULE_DESCRIPTION("MULTIKRON, performance instrumentation for MIMD computers");
MODULE_AUTHOR("The Perfboard project");
MODULE_LICENSE("GPL");
