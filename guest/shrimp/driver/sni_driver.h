/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside sni.ko: the board, its interrupt and its power (sni_board.c), the pages that programs
 * map (sni_pages.c) and their proxies (sni_proxy.c), their entries in the board's tables:
 * exports and imports (sni_entry.c), notifications (sni_notify.c), the character device and the
 * attributes (sni_file.c).
 */
#ifndef PERFBOARD_SNI_DRIVER_H
#define PERFBOARD_SNI_DRIVER_H

#include <linux/completion.h>
#include <linux/dma-mapping.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "../regs.h"
#include "../uapi.h"
#include "../../linux/eisa_board.h"

struct sni {
	struct eisa_board board;
	char proxies_name[16];
	struct resource window;
	struct resource proxies; /* the board's proxy window; start 0: there was no room */
	u32 udcr; /* as it is while no ioctl's update runs */
	u32 nodes, node, width, height, fifo_words;

	struct mutex du_mutex; /* one deliberate update at a time, and what follows */
	struct completion du_done;
	u32 du_status; /* SISR bits of the last one */
	struct sni_area *du_area; /* of the one that runs: the board reads its page so long */
	bool du_late; /* nobody waits for it any more */
	struct work_struct du_work; /* a late one is done */

	struct mutex entries_mutex; /* what follows, and entries and owners of all pages */
	u16 *keys; /* of each page frame: the last one that an export of it had */

	struct mutex areas_mutex; /* what follows */
	struct list_head areas;

	spinlock_t lock; /* what follows */
	bool asleep; /* the slot has no power: all reads are ones */
	struct sni_stats stats;
	u32 received; /* receive interrupts, as stats.receive: one word, for the waits */
	wait_queue_head_t wait;
	struct list_head notices; /* pages that are exported with an interrupt */
	u32 notice_count;

	u32 kept[4]; /* registers, while the machine sleeps */
};

static inline struct sni *sni_of(struct eisa_board *board)
{
	return container_of(board, struct sni, board);
}

/* The process that has made an export or an import, and by which open file. mm NULL: there is
 * none. */
struct sni_owner {
	struct mm_struct *mm;
	struct file *file;
	fl_owner_t files;
};

/* The process that hears of packets by an open file. mm NULL: there is none. */
struct sni_armed {
	struct mm_struct *mm; /* held */
	struct pid *pid; /* held */
	const struct cred *cred; /* held: of who armed it */
	fl_owner_t files;
	int signal; /* 0: notifications wait */
};

/* An open file. */
struct sni_file {
	struct sni *sni;
	u32 seen; /* receive interrupts that SNI_IOC_WAIT has reported */

	/* sni->lock is for what follows */
	struct sni_armed armed;
};

/* Of a page that is exported with an interrupt. sni->lock is for it. */
struct sni_notice {
	struct list_head list; /* of sni->notices */
	u64 addr; /* as the export named the page */
	u32 counted; /* the board's count of its packets, when the driver looked last */
	u32 waiting; /* packets that nobody has taken notice of */
};

/* One page of an area, and its entries in the board's tables. */
struct sni_page {
	struct page *page;
	dma_addr_t bus; /* where the board finds it */
	u32 opt[2], ipt;
	struct sni_owner exporter, importer;
	struct sni_notice notice;
	bool left; /* the process that mapped the area has unmapped it */
};

/* One mmap. Its pages live until the last part of it is unmapped. */
struct sni_area {
	struct list_head list; /* of sni->areas */
	struct sni *sni;
	struct mm_struct *mm; /* whose pinned memory it is; NULL: nobody's */
	struct kref ref;
	unsigned long count, charged;
	u32 context; /* of that process in user-level updates; 0: it has asked for none */
	unsigned long mapped; /* the first so many pages have their bus address */
	struct sni_page pages[];
};

/* A page's number on the bus: the index of its table entries. */
static inline u32 sni_frame(const struct sni_page *p)
{
	return p->bus >> PAGE_SHIFT;
}

/* Ordered, not relaxed: guest/linux/README.md, "Accesses to registers". */
static inline u32 sni_get(struct sni *s, u32 offset)
{
	return readl(s->board.regs + offset);
}

static inline void sni_put(struct sni *s, u32 offset, u32 value)
{
	writel(value, s->board.regs + offset);
}

/* sni_pages.c */
int sni_map_pages(struct sni *s, struct vm_area_struct *vma);
struct sni_page *sni_page_find(struct sni *s, u64 addr, struct sni_area **area);
struct sni_area *sni_area_find(struct sni *s, u64 addr, u32 *frame); /* then sni_area_put() */
void sni_area_get(struct sni_area *area);
void sni_area_put(struct sni_area *area);
void sni_fill_stock(struct sni *s);
void sni_empty_stock(void);

/* sni_entry.c */
int sni_tables_init(struct sni *s); /* nothing is exported or imported */
void sni_restore_tables(struct sni *s); /* after a sleep */
u32 sni_coordinate(struct sni *s, u32 node);
int sni_export(struct sni *s, struct file *file, const struct sni_export *e);
int sni_export_to(struct sni *s, struct file *file, struct sni_export_to *e);
int sni_import(struct sni *s, struct file *file, const struct sni_import *m);
int sni_import_from(struct sni *s, struct file *file, struct sni_import_from *m);
int sni_import_of(struct sni *s, u64 addr, u32 *node, u32 *pfn, u32 *key); /* where it leads */
void sni_end_entries(struct sni *s, struct file *file, fl_owner_t files);
void sni_end_part(struct sni_area *area, struct mm_struct *mm, unsigned long first,
		  unsigned long count);
void sni_end_all(struct sni_area *area);
bool sni_worn(struct sni *s, const struct sni_page *p); /* it has had all keys */

void sni_set_context(struct sni *s, struct sni_page *p, u32 context); /* entries_mutex is held */

/* sni_notify.c */
void sni_look(struct sni *s); /* what has come: lock is held */
void sni_look_anew(struct sni *s); /* the board has lost its counts: lock is held */
/* Of exports with an interrupt: entries_mutex is held. */
bool sni_notice_room(struct sni *s);
void sni_notice_begin(struct sni *s, struct sni_page *p, u64 addr);
void sni_notice_end(struct sni *s, struct sni_page *p);
int sni_notify(struct sni_file *f, const struct sni_notify *n);
int sni_notified(struct sni_file *f, struct sni_notified *n);
void sni_notify_end(struct sni_file *f, fl_owner_t files); /* NULL: whoever has armed it */

/* sni_proxy.c */
int sni_map_proxy(struct sni *s, struct vm_area_struct *vma);
void sni_end_context(struct sni_area *area); /* areas_mutex is held, and the area is on no list */

/* sni_file.c */
void sni_update_init(struct sni *s);
void sni_update_done(struct sni *s, u32 status); /* of interrupts, too */
void sni_update_end(void *board);
int sni_file_register(struct sni *s);

#endif
