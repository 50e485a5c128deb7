// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * smile.ko: the ring is saved into a buffer in the kernel's memory ("the complete save of all data
 * by the host system software"), which grows page by page. Read on the way: the overflows of the
 * static counters, so that these have 64 bits.
 *
 * The interrupt handler takes a page from what is free at once. If there is none, a work that may
 * wait for memory goes on; the card's swap queue takes what comes meanwhile, and if that is full,
 * the card counts what it loses.
 */
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>

#include "smile.h"
#include "smile_trace.h"

unsigned int sm_limit = SZ_16M / PAGE_SIZE; /* two million records */
module_param_named(limit, sm_limit, uint, 0644);
MODULE_PARM_DESC(limit, "Pages of memory that a card's records may take (16 MB); then the card "
			"keeps them, or loses them. 0: no limit");

/* Parts of the ring that one interrupt saves, so that it ends under any traffic. */
#define SM_ROUNDS 64

static_assert(sizeof(struct sm_page) <= PAGE_SIZE);

void sm_set_mcr(struct sm_card *card, u32 set, u32 clear, u32 command)
{
	card->mcr = (card->mcr & ~clear) | set;
	sm_put(card, SMR_MCR, card->mcr | command);
}

static struct sm_page *sm_alloc(gfp_t gfp)
{
	struct sm_page *page = (struct sm_page *)__get_free_page(gfp | __GFP_NOWARN);

	if (page)
		page->words = page->seen = page->read = page->reserved = 0;
	return page;
}

static void sm_free(struct sm_page *page)
{
	free_page((unsigned long)page);
}

static bool sm_at_limit(struct sm_card *card)
{
	const u32 limit = READ_ONCE(sm_limit);

	return limit && card->page_count >= limit;
}

/* The page that the next record goes to; NULL: there is no room. */
static struct sm_page *sm_tail(struct sm_card *card)
{
	struct sm_page *page = list_empty(&card->pages)
				       ? NULL
				       : list_last_entry(&card->pages, struct sm_page, list);

	if (page && page->words < 2 * SM_RECORDS)
		return page;
	if (sm_at_limit(card))
		return NULL;
	page = card->spare;
	card->spare = NULL;
	if (!page)
		page = sm_alloc(GFP_ATOMIC);
	if (page) {
		list_add_tail(&page->list, &card->pages);
		card->page_count++;
	}
	return page;
}

static void sm_note(struct sm_card *card, const struct smile_record *r)
{
	const u32 counter = SMR_GET(RECORD_INDEX, r->word0);

	card->records++;
	card->waiting++;
	switch (SMR_GET(RECORD_KIND, r->word0)) {
	case SMR_RECORD_COUNTER:
		if (r->word0 & SMR_RECORD_OVF)
			card->overflows[counter]++;
		else
			card->last[counter] = SMR_GET(RECORD_COUNT, r->word1);
		break;
	case SMR_RECORD_LOSS:
		card->lost += r->word1;
		break;
	}
}

static u32 sm_in_ring(struct sm_card *card)
{
	return (sm_get(card, SMR_WRP) - sm_get(card, SMR_RDP)) & SMR_RING_MASK;
}

/* False: there was no room for all. */
static bool sm_save(struct sm_card *card)
{
	struct sm_page *page;
	u32 rdp, first, words, round;

	for (round = 0; round < SM_ROUNDS && (words = sm_in_ring(card)); round++) {
		page = sm_tail(card);
		if (!page)
			return false;
		rdp = sm_get(card, SMR_RDP);
		first = (rdp + 1) & SMR_RING_MASK;
		words = min3(words, SMR_RING_WORDS - first, (u32)(2 * SM_RECORDS) - page->words);
		memcpy_fromio((u32 *)page->record + page->words,
			      card->pci.regs + SMR_RING + 4 * first, 4 * words);
		le32_to_cpu_array((u32 *)page->record + page->words, words);
		page->words += words;
		sm_put(card, SMR_RDP, (rdp + words) & SMR_RING_MASK);
		while (2 * page->seen + 1 < page->words)
			sm_note(card, &page->record[page->seen++]);
	}
	return true;
}

/* While there is no room, the full ring must not interrupt: nothing would end that. */
bool sm_service(struct sm_card *card)
{
	const u64 before = card->records;
	const bool room = sm_save(card);

	if (sm_get(card, SMR_MSR) & SMR_MSR_DONE) {
		sm_put(card, SMR_MSR, SMR_MSR_DONE);
		card->done = true;
	}
	if (room == card->blocked) {
		card->blocked = !room;
		sm_set_mcr(card, room ? SMR_MCR_IEF : 0, room ? 0 : SMR_MCR_IEF, 0);
	}
	sm_put(card, SMR_CCM_CLEAR, 0);
	if (card->records != before)
		trace_smile_save(card->pci.index, card->records - before);
	if (card->done || card->records != before)
		wake_up_all(&card->wait);
	if (!room && !sm_at_limit(card))
		schedule_delayed_work(&card->grow, 0);
	return room;
}

/* As sm_service(), but waits for memory. At the limit there is nothing to wait for. */
static bool sm_service_waiting(struct sm_card *card)
{
	struct sm_page *page = sm_alloc(GFP_KERNEL);
	bool room;

	spin_lock_irq(&card->lock);
	if (!card->spare)
		swap(card->spare, page);
	room = card->away || sm_service(card);
	spin_unlock_irq(&card->lock);
	if (page)
		sm_free(page);
	return room;
}

void sm_grow(struct work_struct *work)
{
	struct sm_card *card = container_of(to_delayed_work(work), struct sm_card, grow);

	if (!sm_service_waiting(card) && !sm_at_limit(card))
		schedule_delayed_work(&card->grow, 1);
}

/* --- swaps --- */

#define SM_SWAP_TIMEOUT (10 * HZ)

static bool sm_swap_done(struct sm_card *card)
{
	bool done;

	spin_lock_irq(&card->lock);
	done = card->done;
	spin_unlock_irq(&card->lock);
	return done;
}

/* 0, or ENOBUFS: the rest stays in the card until the buffer has room. */
static int sm_demand(struct sm_card *card)
{
	const unsigned long end = jiffies + SM_SWAP_TIMEOUT;
	u64 target;

	spin_lock_irq(&card->lock);
	sm_put(card, SMR_MSR, SMR_MSR_DONE);
	card->done = false;
	sm_set_mcr(card, 0, 0, SMR_MCR_SWAP);
	spin_unlock_irq(&card->lock);
	while (!wait_event_timeout(card->wait, sm_swap_done(card), HZ / 20 + 1)) {
		if (time_after(jiffies, end))
			return -EIO;
		sm_service_waiting(card); /* in case an interrupt went astray */
	}
	card->swaps++;

	/*
	 * The swap's records are in the ring and the queue, behind those before. What comes later
	 * is not waited for.
	 */
	spin_lock_irq(&card->lock);
	card->done = false;
	target = card->records + sm_in_ring(card) / 2 + sm_get(card, SMR_QUEUE);
	spin_unlock_irq(&card->lock);
	while (card->records < target) {
		if (sm_service_waiting(card)) {
			if (!sm_in_ring(card))
				break; /* it lost some */
		} else if (sm_at_limit(card)) {
			return -ENOBUFS;
		} else {
			schedule_timeout_uninterruptible(1);
		}
	}
	return 0;
}

int sm_swap(struct sm_card *card)
{
	const u64 before = card->records;
	int err;

	trace_smile_swap_begin(card->pci.index, card->waiting);
	err = sm_demand(card);
	trace_smile_swap_end(card->pci.index, card->records - before);
	return err;
}

void sm_clear_totals(struct sm_card *card, u32 counters)
{
	u32 i;

	for (i = 0; i < SMILE_COUNTERS; i++)
		if (counters >> i & 1)
			card->overflows[i] = card->last[i] = 0;
}

void sm_forget(struct sm_card *card)
{
	struct sm_page *page, *next;
	LIST_HEAD(pages);

	spin_lock_irq(&card->lock);
	list_splice_init(&card->pages, &pages);
	card->page_count = 0;
	card->waiting = 0;
	card->turn++;
	sm_clear_totals(card, U32_MAX);
	if (card->spare)
		list_add(&card->spare->list, &pages);
	card->spare = NULL;
	spin_unlock_irq(&card->lock);
	list_for_each_entry_safe(page, next, &pages, list)
		sm_free(page);
}

/* --- read() --- */

/* How many records of the oldest page were copied. */
static u32 sm_peek(struct sm_card *card, struct smile_record *to, size_t most, u64 *turn)
{
	struct sm_page *page;
	u32 count;

	spin_lock_irq(&card->lock);
	page = list_first_entry_or_null(&card->pages, struct sm_page, list);
	count = page ? min_t(size_t, page->seen - page->read, most) : 0;
	if (count)
		memcpy(to, &page->record[page->read], count * sizeof(*to));
	*turn = card->turn;
	spin_unlock_irq(&card->lock);
	return count;
}

/* False: another reader has them since, or they were forgotten. */
static bool sm_take(struct sm_card *card, u32 count, u64 turn)
{
	struct sm_page *page = NULL;
	bool taken;

	spin_lock_irq(&card->lock);
	taken = card->turn == turn;
	if (taken) {
		page = list_first_entry(&card->pages, struct sm_page, list);
		page->read += count;
		card->waiting -= count;
		card->turn++;
	}
	if (page && page->read == SM_RECORDS) {
		list_del(&page->list);
		card->page_count--;
		/* The card could not interrupt, and who polls has not read yet what is in it. */
		if (card->blocked && !card->away)
			sm_service(card);
	} else {
		page = NULL;
	}
	spin_unlock_irq(&card->lock);
	if (page)
		sm_free(page);
	return taken;
}

/*
 * The program's memory is touched without a lock held: another program can let it wait as long as
 * it likes. So the records are the reader's only if they are the oldest still when he has them.
 */
static ssize_t sm_give(struct sm_card *card, struct smile_record *buffer, char __user *to,
		       size_t most)
{
	u32 count;
	u64 turn;

	do {
		count = sm_peek(card, buffer, most, &turn);
		if (count && copy_to_user(to, buffer, count * sizeof(*buffer)))
			return -EFAULT;
	} while (count && !sm_take(card, count, turn));
	return count;
}

static bool sm_any(struct sm_card *card)
{
	bool any;

	spin_lock_irq(&card->lock);
	any = card->waiting || card->gone;
	spin_unlock_irq(&card->lock);
	return any;
}

ssize_t sm_read(struct file *file, char __user *to, size_t bytes, loff_t *at)
{
	struct sm_card *card = sm_of(pci_card_of(file));
	const size_t most = min_t(size_t, bytes, MAX_RW_COUNT) / sizeof(struct smile_record);
	struct smile_record *buffer;
	size_t done = 0;
	ssize_t got, err = 0;

	if (!most)
		return bytes ? -EINVAL : 0;
	buffer = (struct smile_record *)__get_free_page(GFP_KERNEL_ACCOUNT);
	if (!buffer)
		return -ENOMEM;
	while (!done && !err) {
		spin_lock_irq(&card->lock);
		if (!card->away)
			sm_service(card);
		spin_unlock_irq(&card->lock);
		while (done < most &&
		       (got = sm_give(card, buffer, to + done * sizeof(*buffer), most - done)) > 0)
			done += got;
		if (done)
			break;
		if (got < 0)
			err = got;
		else if (READ_ONCE(card->gone))
			err = -ENODEV;
		else if (file->f_flags & O_NONBLOCK)
			err = -EAGAIN;
		else
			err = wait_event_interruptible(card->wait, sm_any(card));
	}
	free_page((unsigned long)buffer);
	return done ? done * sizeof(*buffer) : err;
}
