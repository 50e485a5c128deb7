/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside sci.ko: the adapter and its power (sci_card.c), homes, pages and the character device
 * (sci_file.c), whose pages are (sci_owner.c), attributes (sci_sysfs.c).
 */
#ifndef PERFBOARD_SCI_DRIVER_H
#define PERFBOARD_SCI_DRIVER_H

#include <linux/bitmap.h>
#include <linux/device.h>
#include <linux/io.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>

#include "../../linux/register_dump.h"
#include "../regs.h"
#include "../uapi.h"

#define SCI_PAGES_OF_KERNEL (PAGE_SIZE / SCIR_PAGE_BYTES) /* window pages in one of the kernel's */

struct sci_node; /* the attributes of one */

struct sci_card {
	struct kref ref; /* one for the PCI device, one for each open file */
	struct pci_dev *pci;
	struct miscdevice misc;
	struct register_dump dump;
	int index;
	char name[16];
	phys_addr_t window;
	u64 bytes; /* of the window */
	u32 nodes, pages;

	/* Attributes: the card's own, then a folder for each node. */
	struct sci_node *node;
	const struct attribute_group **groups;

	spinlock_t latch; /* the two halves of a statistic belong together */
	struct mutex set; /* homes are set by one at a time, beside first touches; owners, too */
	kuid_t *owner;	  /* of each page of the window; INVALID_UID: nobody's */

	struct rw_semaphore life; /* what follows; read by who touches pages, written by who takes
				     them away */
	void __iomem *regs;	  /* NULL: the card is gone */
	struct list_head files;	  /* open ones: where pages are mapped */
	u32 policy;
	unsigned long *touched;	  /* the kernel's pages that have got their home */

	u8 *kept; /* homes, while the machine sleeps */
	u32 kept_ctrl;
};

/* sci_card.c */
void sci_put_card(struct sci_card *card);

/* sci_owner.c: whose a page is; set is held */
void sci_own(struct sci_card *card, u32 first, u32 count, kuid_t user);
bool sci_may_move(struct sci_card *card, u32 first, u32 count, kuid_t user);
void sci_disown(struct sci_card *card, kuid_t user); /* a user without open files has no pages */

/* sci_file.c */
extern const struct file_operations sci_operations;
int sci_set_policy(struct sci_card *card, u32 policy);
void sci_enable(struct sci_card *card, bool on);
u64 sci_statistic(struct sci_card *card, u32 node, u32 which); /* which: SCIR_STATS_* */

/* sci_sysfs.c */
int sci_make_groups(struct sci_card *card);
void sci_free_groups(struct sci_card *card);

#endif
