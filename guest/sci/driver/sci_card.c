// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sci.ko - the PCI-SCI adapter: global shared memory of the cluster's nodes (hw/sci/README.md is
 * its manual).
 *
 * The adapter is /dev/sci; what the device offers is in guest/sci/uapi.h.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/vmalloc.h>

#include "sci.h"

static int sci_check(struct pci_dev *pci)
{
	if (offset_in_page(pci_resource_start(pci, SCIR_BAR_WINDOW)) ||
	    !(pci_resource_flags(pci, SCIR_BAR_WINDOW) & IORESOURCE_MEM))
		return -ENODEV;
	return 0;
}

static void sci_free(struct pci_card *pci)
{
	struct sci_card *card = sci_of(pci);

	bitmap_free(card->touched);
	vfree(card->kept);
	kvfree(card->owner);
	sci_free_groups(card);
}

static int sci_identify(struct sci_card *card)
{
	if (sci_get(card, SCIR_ID) != SCIR_ID_VALUE ||
	    sci_get(card, SCIR_VERSION) != SCIR_VERSION_VALUE)
		return -ENODEV;
	card->nodes = sci_get(card, SCIR_NODES);
	card->pages = sci_get(card, SCIR_PAGES);
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

static int sci_start(struct pci_card *pci)
{
	struct sci_card *card = sci_of(pci);
	int err;

	mutex_init(&card->set);
	spin_lock_init(&card->latch);
	card->window = pci_resource_start(pci->dev, SCIR_BAR_WINDOW);
	card->bytes = pci_resource_len(pci->dev, SCIR_BAR_WINDOW);
	err = sci_identify(card);
	if (!err)
		err = sci_allocate(card);
	if (err)
		return err;
	pci->misc.groups = card->groups;
	sci_put(card, SCIR_CTRL, SCIR_CTRL_ENABLE | SCIR_CTRL_CLEAR);
	return 0;
}

static void sci_ready(struct pci_card *pci)
{
	dev_info(pci->misc.this_device, "%u nodes, %u pages\n", sci_of(pci)->nodes,
		 sci_of(pci)->pages);
}

static void sci_stop(struct pci_card *pci)
{
	sci_put(sci_of(pci), SCIR_CTRL, 0);
}

static const struct pci_card_type sci_type = {
	.name = "sci",
	.bytes = sizeof(struct sci_card),
	.bar = SCIR_BAR,
	.bar_bytes = SCIR_BAR_BYTES,
	.mode = 0666, /* it is memory that all share */
	.fops = &sci_operations,
	.dump = sci_dump,
	.dumped = ARRAY_SIZE(sci_dump),
	.check = sci_check,
	.start = sci_start,
	.ready = sci_ready,
	.stop = sci_stop,
	.free = sci_free,
	.closed = sci_closed,
	.map = sci_map,
	.fault = sci_fault,
};

/* --- a sleep that takes the adapter's power; the window's memory is the platform's to keep --- */

static int sci_suspend(struct device *dev)
{
	struct sci_card *card = sci_of(dev_get_drvdata(dev));
	u32 page;

	card->kept_ctrl = sci_get(card, SCIR_CTRL) & SCIR_CTRL_ENABLE;
	for (page = 0; page < card->pages; page++)
		card->kept[page] = SCIR_GET(ATT_HOME, sci_get(card, SCIR_ATT(page)));
	return 0;
}

static int sci_resume(struct device *dev)
{
	struct sci_card *card = sci_of(dev_get_drvdata(dev));
	u32 page;

	for (page = 0; page < card->pages; page++)
		sci_put(card, SCIR_ATT(page), card->kept[page]);
	sci_put(card, SCIR_CTRL, card->kept_ctrl);
	return 0;
}

PCI_CARD_DRIVER(sci, SCIR_VENDOR, SCIR_DEVICE);
module_pci_driver(sci_driver);

MODULE_DESCRIPTION("PCI-SCI adapter: distributed shared memory");
MODULE_AUTHOR("The Perfboard project");
MODULE_LICENSE("GPL");
