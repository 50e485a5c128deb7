// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sci.ko - the PCI-SCI adapter: global shared memory of the cluster's nodes (hw/sci/README.md is
 * its manual).
 *
 * The adapter is /dev/sci; what the device offers is in guest/sci/uapi.h.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/idr.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "sci.h"
#include "../../linux/open_files.h"
#include "../../linux/pci_card.h"

static DEFINE_IDA(sci_indices);

static void sci_free(struct kref *ref)
{
	struct sci_card *card = container_of(ref, struct sci_card, ref);

	bitmap_free(card->touched);
	vfree(card->kept);
	kvfree(card->owner);
	sci_free_groups(card);
	kfree(card);
}

void sci_put_card(struct sci_card *card)
{
	kref_put(&card->ref, sci_free);
}

static int sci_identify(struct sci_card *card)
{
	if (readl(card->regs + SCIR_ID) != SCIR_ID_VALUE ||
	    readl(card->regs + SCIR_VERSION) != SCIR_VERSION_VALUE)
		return -ENODEV;
	card->nodes = readl(card->regs + SCIR_NODES);
	card->pages = readl(card->regs + SCIR_PAGES);
	if (!card->nodes || card->nodes > SCIR_MAX_NODES || !card->pages ||
	    card->pages > SCIR_MAX_PAGES)
		return -EIO;
	return card->bytes == (u64)card->pages * SCIR_PAGE_BYTES ? 0 : -EIO;
}

static int sci_allocate(struct sci_card *card)
{
	u32 page;

	card->touched = bitmap_zalloc(DIV_ROUND_UP(card->pages, SCI_PAGES_OF_KERNEL), GFP_KERNEL);
	card->kept = vzalloc(card->pages);
	card->owner = kvmalloc_array(card->pages, sizeof(*card->owner), GFP_KERNEL);
	if (!card->touched || !card->kept || !card->owner)
		return -ENOMEM;
	for (page = 0; page < card->pages; page++)
		card->owner[page] = INVALID_UID;
	return sci_make_groups(card);
}

static const struct debugfs_reg32 sci_dump[] = {
	{ "ID", SCIR_ID },
	{ "VERSION", SCIR_VERSION },
	{ "NODES", SCIR_NODES },
	{ "PAGES", SCIR_PAGES },
	{ "CTRL", SCIR_CTRL },
	{ "STATUS", SCIR_STATUS },
};

static int sci_register(struct sci_card *card)
{
	int err;

	card->index = ida_alloc(&sci_indices, GFP_KERNEL);
	if (card->index < 0)
		return card->index;
	snprintf(card->name, sizeof(card->name), card->index ? "sci%d" : "sci", card->index);
	card->misc.minor = MISC_DYNAMIC_MINOR;
	card->misc.name = card->name;
	card->misc.fops = &sci_operations;
	card->misc.groups = card->groups;
	card->misc.parent = &card->pci->dev;
	card->misc.mode = 0666; /* it is memory that all share */
	err = misc_register(&card->misc);
	if (err)
		ida_free(&sci_indices, card->index);
	return err;
}

static int sci_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	struct sci_card *card;
	int err;

	if (offset_in_page(pci_resource_start(pci, SCIR_BAR_WINDOW)) ||
	    !(pci_resource_flags(pci, SCIR_BAR_WINDOW) & IORESOURCE_MEM))
		return -ENODEV;
	card = kzalloc(sizeof(*card), GFP_KERNEL);
	if (!card)
		return -ENOMEM;
	kref_init(&card->ref);
	init_rwsem(&card->life);
	mutex_init(&card->set);
	spin_lock_init(&card->latch);
	INIT_LIST_HEAD(&card->files);
	card->pci = pci;
	card->window = pci_resource_start(pci, SCIR_BAR_WINDOW);
	card->bytes = pci_resource_len(pci, SCIR_BAR_WINDOW);
	card->regs = pci_card_map(pci, SCIR_BAR, SCIR_BAR_BYTES);
	err = PTR_ERR_OR_ZERO((void __force *)card->regs);
	if (err)
		goto free;
	err = sci_identify(card);
	if (!err)
		err = sci_allocate(card);
	if (err)
		goto unmap;
	pci_set_drvdata(pci, card);
	writel(SCIR_CTRL_ENABLE | SCIR_CTRL_CLEAR, card->regs + SCIR_CTRL);
	err = sci_register(card);
	if (err)
		goto stop;
	register_dump_add(&card->dump, card->name, card->regs, sci_dump, ARRAY_SIZE(sci_dump));
	dev_info(card->misc.this_device, "%u nodes, %u pages\n", card->nodes, card->pages);
	return 0;

stop:
	writel(0, card->regs + SCIR_CTRL);
unmap:
	pci_card_unmap(pci, card->regs);
free:
	dev_err(&pci->dev, "error %d\n", err);
	sci_put_card(card);
	return err;
}

/* The adapter can be removed while files are open and pages mapped; the module cannot. */
static void sci_remove(struct pci_dev *pci)
{
	struct sci_card *card = pci_get_drvdata(pci);
	void __iomem *regs = card->regs;

	register_dump_remove(&card->dump);
	misc_deregister(&card->misc);
	ida_free(&sci_indices, card->index);
	down_write(&card->life);
	card->regs = NULL;
	open_files_unmap(&card->files);
	writel(0, regs + SCIR_CTRL);
	up_write(&card->life);
	pci_card_unmap(pci, regs);
	sci_put_card(card);
}

/* --- a sleep that takes the adapter's power; the window's memory is the platform's to keep --- */

static int sci_suspend(struct device *dev)
{
	struct sci_card *card = dev_get_drvdata(dev);
	u32 page;

	card->kept_ctrl = readl(card->regs + SCIR_CTRL) & SCIR_CTRL_ENABLE;
	for (page = 0; page < card->pages; page++)
		card->kept[page] = SCIR_GET(ATT_HOME, readl(card->regs + SCIR_ATT(page)));
	return 0;
}

static int sci_resume(struct device *dev)
{
	struct sci_card *card = dev_get_drvdata(dev);
	u32 page;

	for (page = 0; page < card->pages; page++)
		writel(card->kept[page], card->regs + SCIR_ATT(page));
	writel(card->kept_ctrl, card->regs + SCIR_CTRL);
	return 0;
}

static DEFINE_SIMPLE_DEV_PM_OPS(sci_power, sci_suspend, sci_resume);

static const struct pci_device_id sci_ids[] = {
	{ PCI_DEVICE(SCIR_VENDOR, SCIR_DEVICE) },
	{}
};
MODULE_DEVICE_TABLE(pci, sci_ids);

static struct pci_driver sci_driver = {
	.name = KBUILD_MODNAME,
	.id_table = sci_ids,
	.probe = sci_probe,
	.remove = sci_remove,
	.driver.pm = pm_sleep_ptr(&sci_power),
};

static int __init sci_init(void)
{
	return pci_register_driver(&sci_driver);
}

static void __exit sci_exit(void)
{
	pci_unregister_driver(&sci_driver);
	ida_destroy(&sci_indices);
}

module_init(sci_init);
module_exit(sci_exit);

MODULE_DESCRIPTION("PCI-SCI adapter: distributed shared memory");
MODULE_AUTHOR("The Perfboard project");
MODULE_LICENSE("GPL");
