// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * smile.ko - the SMiLE hardware monitor on its H.O.T. II card (hw/smile/README.md is its manual).
 *
 * Each card is a /dev/smileN; what the device offers is in guest/smile/uapi.h.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/interrupt.h>
#include <linux/module.h>

#include "smile.h"
#define CREATE_TRACE_POINTS
#include "smile_trace.h"
#include "../../linux/shared_irq.h"

/* --- interrupt --- */

static irqreturn_t sm_interrupt(int irq, void *data)
{
	struct sm_card *card = data;
	bool ours;

	spin_lock(&card->lock);
	ours = !card->away && !(sm_get(card, SMR_CCM_INTERRUPT) & SMR_CCM_INTERRUPT_NONE);
	if (ours) {
		card->interrupts++;
		trace_smile_interrupt(card->pci.index, card->interrupts);
		sm_service(card);
	}
	spin_unlock(&card->lock);
	return IRQ_RETVAL(ours);
}

/* --- its life --- */

/* The handler leaves the card alone; nobody waits for it any longer. */
static void sm_stop(struct sm_card *card)
{
	spin_lock_irq(&card->lock);
	if (!card->away && sm_has_target(card)) {
		sm_put(card, SMR_INTCSR, 0);
		sm_set_mcr(card, 0, SMR_MCR_RUN | SMR_MCR_IEF | SMR_MCR_IED, 0);
	}
	card->away = true;
	spin_unlock_irq(&card->lock);
}

/*
 * After sm_stop(), or before the first sm_start(): what the interrupt handler has left behind is
 * gone, too.
 */
static void sm_quiet(struct sm_card *card)
{
	free_irq(card->irq, card);
	cancel_delayed_work_sync(&card->grow);
	mutex_lock(&card->set);
	sm_forget(card);
	mutex_unlock(&card->set);
}

/* What both designs have, and the card. */
static const struct debugfs_reg32 sm_dump[] = {
	{ "MCR", SMR_MCR },
	{ "MSR", SMR_MSR },
	{ "NODE", SMR_NODE },
	{ "RDP", SMR_RDP },
	{ "WRP", SMR_WRP },
	{ "LOSTN", SMR_LOSTN },
	{ "QUEUE", SMR_QUEUE },
	{ "PACKETS", SMR_PACKETS },
	{ "ORPHANS", SMR_ORPHANS },
	{ "CLASHES", SMR_CLASHES },
	{ "CABLE", SMR_CABLE },
	{ "INTCSR", SMR_INTCSR },
	{ "CCM_INTERRUPT", SMR_CCM_INTERRUPT },
	{ "CCM_STATUS", SMR_CCM_STATUS },
	{ "CCM_DESIGN", SMR_CCM_DESIGN },
};

static int sm_begin(struct pci_card *pci)
{
	struct sm_card *card = sm_of(pci);
	int err;

	mutex_init(&card->set);
	spin_lock_init(&card->lock);
	INIT_LIST_HEAD(&card->pages);
	init_waitqueue_head(&card->wait);
	INIT_DELAYED_WORK(&card->grow, sm_grow);
	card->away = true;
	err = pci_alloc_irq_vectors(pci->dev, 1, 1, PCI_IRQ_ALL_TYPES);
	if (err < 0) /* nobody would save the ring */
		return err;
	card->irq = pci_irq_vector(pci->dev, 0);
	sm_put(card, SMR_INTCSR, 0); /* of a kernel that crashed: nobody would answer yet */
	err = request_irq(card->irq, sm_interrupt, SHARED_IRQ, KBUILD_MODNAME, card);
	if (err)
		goto vectors;
	err = sm_start(card);
	if (err)
		goto irq;
	atomic_inc(&sm_cards);
	return 0;

irq:
	sm_quiet(card);
vectors:
	pci_free_irq_vectors(pci->dev);
	return err;
}

static void sm_ready(struct pci_card *pci)
{
	const u32 node = sm_of(pci)->node;

	if (node == SMILE_NO_NODE)
		dev_info(pci->misc.this_device, "no cable, or no design\n");
	else
		dev_info(pci->misc.this_device, "listens to node %u\n", node);
}

/*
 * For good. Without it the interrupt of a full ring would be the next kernel's, whose driver has
 * not come yet.
 */
static void sm_shutdown(struct pci_card *pci)
{
	struct sm_card *card = sm_of(pci);

	mutex_lock(&card->set);
	sm_stop(card);
	card->gone = true;
	wake_up_all(&card->wait);
	mutex_unlock(&card->set);
}

static void sm_end(struct pci_card *pci)
{
	atomic_dec(&sm_cards);
	sm_shutdown(pci);
	sm_quiet(sm_of(pci));
	pci_free_irq_vectors(pci->dev);
}

static const struct pci_card_type sm_type = {
	.name = "smile%d",
	.bytes = sizeof(struct sm_card),
	.bar = SMR_BAR,
	.bar_bytes = SMR_BAR_BYTES,
	.fops = &sm_operations,
	.groups = sm_groups,
	.dump = sm_dump,
	.dumped = ARRAY_SIZE(sm_dump),
	.start = sm_begin,
	.ready = sm_ready,
	.stop = sm_end,
	.shutdown = sm_shutdown,
};

/* --- a sleep that takes the card's power: what was counted is saved before, the rest is not --- */

static int sm_suspend(struct device *dev)
{
	struct sm_card *card = sm_of(dev_get_drvdata(dev));

	mutex_lock(&card->set);
	if (!card->gone && sm_has_target(card))
		sm_swap(card);
	sm_stop(card);
	mutex_unlock(&card->set);
	return 0;
}

static int sm_resume(struct device *dev)
{
	struct sm_card *card = sm_of(dev_get_drvdata(dev));
	int err = 0;

	mutex_lock(&card->set);
	memset(card->slot, 0, sizeof(card->slot));
	if (!card->gone)
		err = sm_start(card);
	mutex_unlock(&card->set);
	return err;
}

PCI_CARD_DRIVER(sm, SMR_VENDOR, SMR_DEVICE);
module_pci_driver(sm_driver);

MODULE_DESCRIPTION("SMiLE hardware monitor: SCI traffic of a node");
MODULE_AUTHOR("The Perfboard project");
MODULE_LICENSE("GPL");
MODULE_FIRMWARE("smile/dynamic.bit");
MODULE_FIRMWARE("smile/static.bit");
