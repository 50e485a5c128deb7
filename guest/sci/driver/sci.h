/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside sci.ko: the adapter and its power (sci_card.c), homes, pages and the character device
 * (sci_file.c), attributes (sci_sysfs.c).
 */
#ifndef PERFBOARD_SCI_DRIVER_H
#define PERFBOARD_SCI_DRIVER_H

#include <linux/bitmap.h>
#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>

#include "../../linux/pci_card.h"
#include "../regs.h"
#include "../uapi.h"

#define SCI_PAGES_OF_KERNEL (PAGE_SIZE / SCIR_PAGE_BYTES) /* window pages in one of the kernel's */

struct sci_node; /* the attributes of one */

struct sci_card {
	struct pci_card pci;
	phys_addr_t window;
	u64 bytes; /* of the window */
	u32 nodes, pages;

	/* Attributes: the card's own, then a folder for each node. */
	struct sci_node *node;
	const struct attribute_group **groups;

	spinlock_t latch; /* the two halves of a statistic belong together */
	struct mutex set; /* homes are set by one at a time, beside first touches; owners, too */
	kuid_t *owner;	  /* of each page of the window; INVALID_UID: nobody's */

	/* pci.life is for it: read by who touches pages, written by who takes them away. */
	u32 policy;
	unsigned long *touched; /* the kernel's pages that have got their home */

	u8 *kept; /* homes, while the machine sleeps */
	u32 kept_ctrl;
};

static inline struct sci_card *sci_of(struct pci_card *pci)
{
	return container_of(pci, struct sci_card, pci);
}

static inline u32 sci_get(struct sci_card *card, u32 offset)
{
	return readl(card->pci.regs + offset);
}

static inline void sci_put(struct sci_card *card, u32 offset, u32 value)
{
	writel(value, card->pci.regs + offset);
}

/* sci_file.c */
extern const struct file_operations sci_operations;
int sci_map(struct pci_card *pci, struct vm_area_struct *vma);
vm_fault_t sci_fault(struct pci_card *pci, struct vm_fault *vmf);
void sci_closed(struct pci_card *pci, kuid_t user);
int sci_set_policy(struct sci_card *card, u32 policy);
void sci_enable(struct sci_card *card, bool on);
u64 sci_statistic(struct sci_card *card, u32 node, u32 which); /* which: SCIR_STATS_* */

/* sci_sysfs.c */
int sci_make_groups(struct sci_card *card);
void sci_free_groups(struct sci_card *card);

#endif
