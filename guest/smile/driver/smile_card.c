// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * smile.ko - the SMiLE hardware monitor on its H.O.T. II card (hw/smile/README.md is its manual).
 *
 * Each card is a /dev/smileN; what the device offers is in guest/smile/uapi.h.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/idr.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "smile.h"
#define CREATE_TRACE_POINTS
#include "smile_trace.h"
#include "../../linux/pci_card.h"
#include "../../linux/shared_irq.h"

static DEFINE_IDA(sm_indices);
static atomic_t sm_count = ATOMIC_INIT(0);

u32 sm_cards(void)
{
	return atomic_read(&sm_count);
}

static void sm_free_card(struct kref *ref)
{
	kfree(container_of(ref, struct sm_card, ref));
}

void sm_put_card(struct sm_card *card)
{
	kref_put(&card->ref, sm_free_card);
}

/* --- interrupt --- */

static irqreturn_t sm_interrupt(int irq, void *data)
{
	struct sm_card *card = data;
	bool ours;

	spin_lock(&card->lock);
	ours = !card->away && !(readl(card->regs + SMR_CCM_INTERRUPT) & SMR_CCM_INTERRUPT_NONE);
	if (ours) {
		card->interrupts++;
		trace_smile_interrupt(card->index, card->interrupts);
		sm_service(card);
	}
	spin_unlock(&card->lock);
	return IRQ_RETVAL(ours);
}

/* --- designs on a daughter board --- */

static const char *const sm_design_names[] = {
	[SMILE_DESIGN_NONE] = "no design",
	[SMILE_DESIGN_STATIC] = "the static design",
	[SMILE_DESIGN_DYNAMIC] = "the dynamic design",
};

bool sm_has_target(const struct sm_card *card)
{
	return card->daughter || card->design != SMILE_DESIGN_NONE;
}

static u32 sm_entries(struct sm_card *card)
{
	return card->design == SMILE_DESIGN_DYNAMIC
		       ? SMR_GET(MSR_ENTRIES, readl(card->regs + SMR_MSR))
		       : 0;
}

/* Plugged into an adapter, which may come after the driver, and another one in its place. */
static void sm_look_at_cable(struct sm_card *card)
{
	const u32 cable = sm_has_target(card) ? readl(card->regs + SMR_CABLE) : 0;
	const u32 node = cable & SMR_CABLE_PLUGGED ? SMR_GET(CABLE_NODE, cable) : SMILE_NO_NODE;

	if (node == card->node || cable == U32_MAX)
		return; /* or the card does not answer */
	card->node = node;
	if (node != SMILE_NO_NODE)
		writel(node, card->regs + SMR_NODE);
}

/*
 * It comes over the board's cable, whatever the driver does. The settings in PCI_Target are what
 * they were, and a monitor that ran runs on; the design's own are as after power-on.
 */
static void sm_look_at_daughter(struct sm_card *card)
{
	u32 msr;

	if (!card->daughter)
		return;
	msr = readl(card->regs + SMR_MSR);
	if (!(msr & SMR_MSR_EXCHANGED) || SMR_GET(MSR_DESIGN, msr) > SMILE_DESIGN_DYNAMIC)
		return; /* or all ones: the card does not answer */
	writel(SMR_MSR_EXCHANGED, card->regs + SMR_MSR);
	card->design = SMR_GET(MSR_DESIGN, readl(card->regs + SMR_MSR)) % SMR_DESIGN_TARGET;
	card->entries = sm_entries(card);
	spin_lock_irq(&card->lock);
	sm_clear_totals(card, U32_MAX);
	spin_unlock_irq(&card->lock);
	dev_info(card->misc.this_device, "%s is on the daughter board now\n",
		 sm_design_names[card->design]);
}

void sm_look(struct sm_card *card)
{
	sm_look_at_daughter(card);
	sm_look_at_cable(card);
}

/*
 * What a card needs that comes out of reset: its node's ID, its interrupts. PCI_Target is gone with
 * no design in the FPGA; the configuration cache manager is not.
 */
int sm_start(struct sm_card *card)
{
	const u32 design = readl(card->regs + SMR_CCM_DESIGN);

	card->design = SMILE_DESIGN_NONE;
	if (design > SMR_DESIGN_TARGET)
		return -EIO; /* all ones: the card does not answer */
	card->daughter = design == SMR_DESIGN_TARGET;
	card->design = design;
	if (card->daughter)
		card->design =
			SMR_GET(MSR_DESIGN, readl(card->regs + SMR_MSR)) % SMR_DESIGN_TARGET;
	card->node = SMILE_NO_NODE;
	card->entries = sm_entries(card);
	spin_lock_irq(&card->lock);
	card->mcr = 0;
	card->blocked = false;
	card->done = false;
	card->away = false;
	sm_clear_totals(card, U32_MAX);
	sm_look_at_cable(card);
	if (sm_has_target(card)) {
		writel(0, card->regs + SMR_CCM_CLEAR);
		sm_set_mcr(card, SMR_MCR_IEF | SMR_MCR_IED, 0, 0);
		writel(SMR_INTCSR_PCI | SMR_INTCSR_LOCAL, card->regs + SMR_INTCSR);
	}
	spin_unlock_irq(&card->lock);
	return 0;
}

/* The handler leaves the card alone; nobody waits for it any longer. */
static void sm_stop(struct sm_card *card)
{
	spin_lock_irq(&card->lock);
	if (!card->away && sm_has_target(card)) {
		writel(0, card->regs + SMR_INTCSR);
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

/* --- the PCI device --- */

static struct sm_card *sm_make(struct pci_dev *pci)
{
	struct sm_card *card = kzalloc(sizeof(*card), GFP_KERNEL);

	if (!card)
		return NULL;
	kref_init(&card->ref);
	mutex_init(&card->set);
	spin_lock_init(&card->lock);
	INIT_LIST_HEAD(&card->pages);
	init_waitqueue_head(&card->wait);
	INIT_DELAYED_WORK(&card->grow, sm_grow);
	card->pci = pci;
	card->away = true;
	return card;
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

static int sm_register(struct sm_card *card)
{
	int err = ida_alloc(&sm_indices, GFP_KERNEL);

	if (err < 0)
		return err;
	card->index = err;
	snprintf(card->name, sizeof(card->name), "smile%u", card->index);
	card->misc.minor = MISC_DYNAMIC_MINOR;
	card->misc.name = card->name;
	card->misc.fops = &sm_operations;
	card->misc.groups = sm_groups;
	card->misc.parent = &card->pci->dev;
	err = misc_register(&card->misc);
	if (err)
		ida_free(&sm_indices, card->index);
	else
		atomic_inc(&sm_count);
	return err;
}

static int sm_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	struct sm_card *card;
	int err;

	card = sm_make(pci);
	if (!card)
		return -ENOMEM;
	card->regs = pci_card_map(pci, SMR_BAR, SMR_BAR_BYTES);
	err = PTR_ERR_OR_ZERO((void __force *)card->regs);
	if (err)
		goto free;
	err = pci_alloc_irq_vectors(pci, 1, 1, PCI_IRQ_ALL_TYPES);
	if (err < 0) /* nobody would save the ring */
		goto unmap;
	card->irq = pci_irq_vector(pci, 0);
	writel(0, card->regs + SMR_INTCSR); /* of a kernel that crashed: nobody would answer yet */
	pci_set_drvdata(pci, card);
	err = request_irq(card->irq, sm_interrupt, SHARED_IRQ, KBUILD_MODNAME, card);
	if (err)
		goto vectors;
	err = sm_start(card);
	if (err)
		goto irq;
	err = sm_register(card);
	if (err)
		goto stop;
	register_dump_add(&card->dump, card->name, card->regs, sm_dump, ARRAY_SIZE(sm_dump));
	if (card->node == SMILE_NO_NODE)
		dev_info(card->misc.this_device, "no cable, or no design\n");
	else
		dev_info(card->misc.this_device, "listens to node %u\n", card->node);
	return 0;

stop:
	sm_stop(card);
irq:
	sm_quiet(card);
vectors:
	pci_free_irq_vectors(pci);
unmap:
	pci_card_unmap(pci, card->regs);
free:
	dev_err(&pci->dev, "error %d\n", err);
	sm_put_card(card);
	return err;
}

/*
 * For good. Without it the interrupt of a full ring would be the next kernel's, whose driver has
 * not come yet.
 */
static void sm_end(struct sm_card *card)
{
	mutex_lock(&card->set);
	sm_stop(card);
	card->gone = true;
	wake_up_all(&card->wait);
	mutex_unlock(&card->set);
}

static void sm_shutdown(struct pci_dev *pci)
{
	sm_end(pci_get_drvdata(pci));
}

/* A card can be removed while files are open; the module cannot. */
static void sm_remove(struct pci_dev *pci)
{
	struct sm_card *card = pci_get_drvdata(pci);

	register_dump_remove(&card->dump);
	misc_deregister(&card->misc);
	atomic_dec(&sm_count);
	ida_free(&sm_indices, card->index);
	sm_end(card);
	sm_quiet(card);
	pci_free_irq_vectors(pci);
	pci_card_unmap(pci, card->regs);
	sm_put_card(card);
}

/* --- a sleep that takes the card's power: what was counted is saved before, the rest is not --- */

static int sm_suspend(struct device *dev)
{
	struct sm_card *card = dev_get_drvdata(dev);

	mutex_lock(&card->set);
	if (!card->gone && sm_has_target(card))
		sm_swap(card);
	sm_stop(card);
	mutex_unlock(&card->set);
	return 0;
}

static int sm_resume(struct device *dev)
{
	struct sm_card *card = dev_get_drvdata(dev);
	int err = 0;

	mutex_lock(&card->set);
	memset(card->slot, 0, sizeof(card->slot));
	if (!card->gone)
		err = sm_start(card);
	mutex_unlock(&card->set);
	return err;
}

static DEFINE_SIMPLE_DEV_PM_OPS(sm_power, sm_suspend, sm_resume);

static const struct pci_device_id sm_ids[] = {
	{ PCI_DEVICE(SMR_VENDOR, SMR_DEVICE) },
	{}
};
MODULE_DEVICE_TABLE(pci, sm_ids);

static struct pci_driver sm_driver = {
	.name = KBUILD_MODNAME,
	.id_table = sm_ids,
	.probe = sm_probe,
	.remove = sm_remove,
	.shutdown = sm_shutdown,
	.driver.pm = pm_sleep_ptr(&sm_power),
};

static int __init sm_init(void)
{
	return pci_register_driver(&sm_driver);
}

static void __exit sm_exit(void)
{
	pci_unregister_driver(&sm_driver);
	ida_destroy(&sm_indices);
}

module_init(sm_init);
module_exit(sm_exit);

MODULE_DESCRIPTION("SMiLE hardware monitor: SCI traffic of a node");
MODULE_AUTHOR("The Perfboard project");
MODULE_LICENSE("GPL");
MODULE_FIRMWARE("smile/dynamic.bit");
MODULE_FIRMWARE("smile/static.bit");
