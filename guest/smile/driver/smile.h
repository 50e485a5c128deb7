/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside smile.ko: a card, its interrupt and its power (smile_card.c), the ring and the buffer that
 * it is saved into (smile_ring.c), designs (smile_load.c), registers and the character device
 * (smile_file.c), attributes (smile_sysfs.c).
 *
 * Locks, in this order: set (whoever programs the card or loads a design), lock (the ring, the
 * buffer, MCR; the interrupt handler takes it).
 */
#ifndef PERFBOARD_SMILE_DRIVER_H
#define PERFBOARD_SMILE_DRIVER_H

#include <linux/device.h>
#include <linux/io.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../../linux/register_dump.h"
#include "../regs.h"
#include "../uapi.h"

/* A page of the buffer. */
#define SM_RECORDS \
	((PAGE_SIZE - sizeof(struct list_head) - 2 * sizeof(u64)) / sizeof(struct smile_record))
struct sm_page {
	struct list_head list; /* of card->pages */
	u32 words;    /* saved from the ring: two for a record */
	u32 seen;     /* records of these that the totals have in them */
	u32 read;     /* records that a program has read */
	u32 reserved;
	struct smile_record record[SM_RECORDS];
};

struct sm_slot {
	char name[SMILE_NAME_BYTES]; /* of the design in it; empty: unknown */
	u64 used; /* number of the load that used it last */
};

struct sm_card {
	struct kref ref; /* one for the PCI device, one for each open file */
	struct pci_dev *pci;
	struct miscdevice misc;
	struct register_dump dump;
	char name[16];
	u32 index;
	int irq;

	struct mutex set; /* what follows */
	bool gone;	  /* the card was removed, or did not come back from a load */
	bool daughter; /* the design is on a daughter board, whose cable exchanges it */
	u32 design, entries, node;
	struct sm_slot slot[SMR_SLOTS];
	u64 loads, copies, swaps;

	spinlock_t lock; /* what follows */
	void __iomem *regs;
	bool away;    /* the card is not to be touched: it is being loaded, or is gone */
	bool blocked; /* there was no room for what is in the ring: no interrupt when it is full */
	bool done;    /* the demanded swap is over */
	u32 mcr;
	struct list_head pages; /* the buffer, oldest first */
	u32 page_count;
	struct sm_page *spare;  /* for when the interrupt handler gets none */
	u64 turn; /* changes when records are taken, or forgotten */
	u64 records, waiting, lost, interrupts;
	u64 overflows[SMILE_COUNTERS]; /* of the static counters */
	u32 last[SMILE_COUNTERS];      /* their values at the last swap */

	wait_queue_head_t wait; /* for records, or the end of a swap */
	struct delayed_work grow;
};

/* smile_card.c */
void sm_put_card(struct sm_card *card);
int sm_start(struct sm_card *card); /* a card that was reset: set is held */
u32 sm_cards(void);
void sm_look(struct sm_card *card); /* at the daughter board's design and the cable: set is held */
bool sm_has_target(const struct sm_card *card); /* PCI_Target answers */

/* smile_ring.c */
extern unsigned int sm_limit;
bool sm_service(struct sm_card *card); /* saves the ring: lock is held. False: some is left in it */
void sm_grow(struct work_struct *work);
int sm_swap(struct sm_card *card);     /* set is held */
void sm_forget(struct sm_card *card);  /* set is held: no record is left */
void sm_clear_totals(struct sm_card *card, u32 counters); /* lock is held */
ssize_t sm_read(struct file *file, char __user *to, size_t bytes, loff_t *at);

/* smile_load.c: set is held */
int sm_load(struct sm_card *card, struct smile_load *load);

/* smile_file.c */
extern const struct file_operations sm_operations;
void sm_set_mcr(struct sm_card *card, u32 set, u32 clear, u32 command); /* lock is held */
void sm_get_info(struct sm_card *card, struct smile_info *info); /* set is held, here and below */
void sm_get_stats(struct sm_card *card, struct smile_stats *stats);

/* smile_sysfs.c */
extern const struct attribute_group *sm_groups[];

#endif
