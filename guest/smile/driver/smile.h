/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside smile.ko, each file above those that it calls: attributes (smile_sysfs.c) and the card's
 * life, interrupt and power (smile_card.c); registers and the character device (smile_file.c);
 * designs (smile_load.c); the ring and the buffer that it is saved into (smile_ring.c).
 *
 * Locks, in this order: life (pci_card.h's), set (whoever programs the card or loads a design),
 * lock (the ring, the buffer, MCR; the interrupt handler takes it).
 */
#ifndef PERFBOARD_SMILE_DRIVER_H
#define PERFBOARD_SMILE_DRIVER_H

#include <linux/atomic.h>
#include <linux/io.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../../linux/pci_card.h"
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
	struct pci_card pci;
	int irq;

	struct mutex set; /* what follows */
	bool gone;	  /* the card was removed, or did not come back from a load */
	bool daughter; /* the design is on a daughter board, whose cable exchanges it */
	u32 design, entries, node;
	struct sm_slot slot[SMR_SLOTS];
	u64 loads, copies, swaps;

	spinlock_t lock; /* what follows, and who touches the card */
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

static inline struct sm_card *sm_of(struct pci_card *pci)
{
	return container_of(pci, struct sm_card, pci);
}

static inline u32 sm_get(struct sm_card *card, u32 offset)
{
	return readl(card->pci.regs + offset);
}

static inline void sm_put(struct sm_card *card, u32 offset, u32 value)
{
	writel(value, card->pci.regs + offset);
}

/* smile_ring.c */
extern unsigned int sm_limit;
bool sm_service(struct sm_card *card); /* saves the ring: lock is held. False: some is left in it */
void sm_grow(struct work_struct *work);
int sm_swap(struct sm_card *card);     /* set is held */
void sm_forget(struct sm_card *card);  /* set is held: no record is left */
void sm_clear_totals(struct sm_card *card, u32 counters); /* lock is held */
ssize_t sm_read(struct file *file, char __user *to, size_t bytes, loff_t *at);
void sm_set_mcr(struct sm_card *card, u32 set, u32 clear, u32 command); /* lock is held */

/* smile_load.c: set is held */
bool sm_has_target(const struct sm_card *card); /* PCI_Target answers */
void sm_look(struct sm_card *card); /* at the daughter board's design and the cable */
int sm_start(struct sm_card *card); /* a card that was reset */
int sm_load(struct sm_card *card, struct smile_load *load);

/* smile_file.c */
extern const struct file_operations sm_operations;
extern atomic_t sm_cards;
void sm_get_info(struct sm_card *card, struct smile_info *info); /* set is held, here and below */
void sm_get_stats(struct sm_card *card, struct smile_stats *stats);

/* smile_sysfs.c */
extern const struct attribute_group *sm_groups[];

#endif
