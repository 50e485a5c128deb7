// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * smile.ko: PCI_Target's registers and /dev/smileN (guest/smile/uapi.h).
 */
#include <linux/module.h>
#include <linux/poll.h>

#include "smile.h"
#include "smile_trace.h"
#include "../../linux/ioctl_call.h"

atomic_t sm_cards = ATOMIC_INIT(0);

/* --- registers --- */

static bool sm_running(struct sm_card *card)
{
	return card->mcr & SMR_MCR_RUN;
}

void sm_get_info(struct sm_card *card, struct smile_info *info)
{
	sm_look(card);
	info->index = card->pci.index;
	info->cards = atomic_read(&sm_cards);
	info->design = card->design;
	info->node = card->node;
	info->entries = card->entries;
	info->running = sm_running(card);
	info->irq = card->irq;
	info->daughter = card->daughter;
}

void sm_get_stats(struct sm_card *card, struct smile_stats *stats)
{
	stats->loads = card->loads;
	stats->copies = card->copies;
	stats->swaps = card->swaps;
	spin_lock_irq(&card->lock);
	stats->records = card->records;
	stats->lost = card->lost;
	stats->interrupts = card->interrupts;
	stats->waiting = card->waiting;
	spin_unlock_irq(&card->lock);
	if (!sm_has_target(card))
		return;
	stats->packets = sm_get(card, SMR_PACKETS);
	stats->orphans = sm_get(card, SMR_ORPHANS);
	stats->clashes = sm_get(card, SMR_CLASHES);
	stats->queue = sm_get(card, SMR_QUEUE);
}

static void sm_run(struct sm_card *card, bool on)
{
	spin_lock_irq(&card->lock);
	sm_set_mcr(card, on ? SMR_MCR_RUN : 0, on ? 0 : SMR_MCR_RUN, 0);
	trace_smile_run(card->pci.index, on);
	spin_unlock_irq(&card->lock);
}

static int sm_reset(struct sm_card *card)
{
	spin_lock_irq(&card->lock);
	sm_set_mcr(card, 0, 0, SMR_MCR_RESET);
	spin_unlock_irq(&card->lock);
	sm_forget(card);
	spin_lock_irq(&card->lock);
	if (card->blocked) {
		card->blocked = false;
		sm_set_mcr(card, SMR_MCR_IEF, 0, 0);
	}
	spin_unlock_irq(&card->lock);
	return 0;
}

static int sm_dynamic(struct sm_card *card, const struct smile_dynamic *d)
{
	if (d->max_range & ~SMR_MAXR_MASK || d->mask & ~SMR_FILTER_ALL)
		return -EINVAL;
	sm_put(card, SMR_MAXR, d->max_range);
	sm_put(card, SMR_MASK, d->mask);
	return 0;
}

static int sm_page(struct sm_card *card, const struct smile_page *p)
{
	if (p->index >= SMR_PAGES || p->valid > 1 || p->page & ~SMR_PAGE_NUMBER_MASK ||
	    p->node > SMR_PAGE_NODE_MASK >> SMR_PAGE_NODE_SHIFT)
		return -EINVAL;
	sm_put(card, SMR_PAGE(p->index),
	       SMR_PUT(PAGE_NUMBER, p->page) | SMR_PUT(PAGE_NODE, p->node) |
		       (p->valid ? SMR_PAGE_VALID : 0));
	return 0;
}

/* While it is changed the event does not match: its range is in another register. */
static int sm_event(struct sm_card *card, const struct smile_event *e)
{
	const u32 most = SMR_EVENT_BOTTOM_MASK;

	if (e->index >= SMR_EVENTS || e->valid > 1 || e->page >= SMR_PAGES ||
	    e->filter & ~SMR_FILTER_ALL || e->bottom > most || e->top > most)
		return -EINVAL;
	sm_put(card, SMR_EVENT(e->index), 0);
	sm_put(card, SMR_EVENT_RANGE(e->index),
	       SMR_PUT(EVENT_BOTTOM, e->bottom) | SMR_PUT(EVENT_TOP, e->top));
	sm_put(card, SMR_EVENT(e->index),
	       SMR_PUT(EVENT_PAGE, e->page) | SMR_PUT(EVENT_FILTER, e->filter) |
		       (e->valid ? SMR_EVENT_VALID : 0));
	return 0;
}

static u32 sm_event_word(u32 event)
{
	return event == SMILE_NO_EVENT ? 0 : event | SMR_COUNTER_EVENT_VALID;
}

static bool sm_event_legal(u32 event)
{
	return event == SMILE_NO_EVENT || event < SMR_ALL_EVENTS;
}

/*
 * The counter begins at 0. What it has counted so far may still be in the ring as overflows, so
 * these are taken out while the monitor stands.
 */
static int sm_counter(struct sm_card *card, const struct smile_counter *c)
{
	const bool running = sm_running(card);
	int err;

	if (c->index >= SMR_COUNTERS || c->active > 1 || c->reserved || !sm_event_legal(c->start) ||
	    !sm_event_legal(c->stop) || !sm_event_legal(c->count))
		return -EINVAL;
	if (running)
		sm_run(card, false);
	err = sm_swap(card);
	if (!err) {
		sm_put(card, SMR_COUNTER_VALUE(c->index), 0);
		sm_put(card, SMR_COUNTER_START(c->index), sm_event_word(c->start));
		sm_put(card, SMR_COUNTER_STOP(c->index), sm_event_word(c->stop));
		sm_put(card, SMR_COUNTER_COUNT(c->index), sm_event_word(c->count));
		sm_put(card, SMR_CRST, 1u << c->index);
		if (c->active)
			sm_put(card, SMR_COUNTER_VALUE(c->index), SMR_COUNTER_ACTIVE);
		spin_lock_irq(&card->lock);
		sm_clear_totals(card, 1u << c->index);
		spin_unlock_irq(&card->lock);
	}
	if (running)
		sm_run(card, true);
	return err;
}

static int sm_counters_of(struct sm_card *card, struct smile_counters *c)
{
	int i, err = sm_swap(card);

	if (err)
		return err;
	spin_lock_irq(&card->lock);
	for (i = 0; i < SMILE_COUNTERS; i++)
		c->value[i] = card->overflows[i] * SMR_OVERFLOW_VALUE + card->last[i];
	spin_unlock_irq(&card->lock);
	c->lost = sm_get(card, SMR_LOSTN);
	return 0;
}

/* --- the character device --- */

static int sm_open(struct inode *inode, struct file *file)
{
	return pci_card_open(inode, file) ?: stream_open(inode, file);
}

static __poll_t sm_poll(struct file *file, struct poll_table_struct *table)
{
	struct sm_card *card = sm_of(pci_card_of(file));
	__poll_t events = 0;

	poll_wait(file, &card->wait, table);
	spin_lock_irq(&card->lock);
	if (card->waiting)
		events = EPOLLIN | EPOLLRDNORM;
	spin_unlock_irq(&card->lock);
	return READ_ONCE(card->gone) ? EPOLLIN | EPOLLERR | EPOLLHUP : events;
}

union sm_argument {
	struct smile_info info;
	struct smile_stats stats;
	struct smile_load load;
	struct smile_dynamic dynamic;
	struct smile_page page;
	struct smile_event event;
	struct smile_counter counter;
	struct smile_counters counters;
	u32 number;
};

/*
 * Which design a command is for; SMILE_DESIGN_NONE: any, as long as there is one. -1: none is
 * needed.
 */
static int sm_design_of(unsigned int command)
{
	switch (command) {
	case SMILE_IOC_INFO:
	case SMILE_IOC_STATS:
	case SMILE_IOC_LOAD:
		return -1;
	case SMILE_IOC_DYNAMIC:
		return SMILE_DESIGN_DYNAMIC;
	case SMILE_IOC_PAGE:
	case SMILE_IOC_EVENT:
	case SMILE_IOC_COUNTER:
	case SMILE_IOC_COUNTERS:
	case SMILE_IOC_TIMER:
	case SMILE_IOC_GLOBAL_EVENT:
		return SMILE_DESIGN_STATIC;
	default:
		return SMILE_DESIGN_NONE;
	}
}

static int sm_do(struct sm_card *card, unsigned int command, union sm_argument *a)
{
	const int design = sm_design_of(command);

	sm_look(card);
	if (design >= 0 && (card->design == SMILE_DESIGN_NONE ||
			    (design != SMILE_DESIGN_NONE && (u32)design != card->design)))
		return -ENOMEDIUM;
	switch (command) {
	case SMILE_IOC_INFO:
		sm_get_info(card, &a->info);
		return 0;
	case SMILE_IOC_STATS:
		sm_get_stats(card, &a->stats);
		return 0;
	case SMILE_IOC_LOAD:
		return sm_load(card, &a->load);
	case SMILE_IOC_DYNAMIC:
		return sm_dynamic(card, &a->dynamic);
	case SMILE_IOC_PAGE:
		return sm_page(card, &a->page);
	case SMILE_IOC_EVENT:
		return sm_event(card, &a->event);
	case SMILE_IOC_COUNTER:
		return sm_counter(card, &a->counter);
	case SMILE_IOC_TIMER:
		sm_put(card, SMR_TIMER, a->number);
		return 0;
	case SMILE_IOC_GLOBAL_EVENT:
		if (a->number <= SMR_TIMER_EVENT || a->number >= SMR_ALL_EVENTS)
			return -EINVAL;
		sm_put(card, SMR_GEVENT, a->number - SMR_GLOBAL_EVENT);
		return 0;
	case SMILE_IOC_RUN:
		if (a->number > 1)
			return -EINVAL;
		sm_run(card, a->number);
		return 0;
	case SMILE_IOC_RESET:
		return sm_reset(card);
	case SMILE_IOC_SWAP:
		return sm_swap(card);
	case SMILE_IOC_COUNTERS:
		return sm_counters_of(card, &a->counters);
	default:
		return -ENOTTY;
	}
}

static bool sm_changes(unsigned int command)
{
	return command != SMILE_IOC_INFO && command != SMILE_IOC_STATS;
}

static int sm_call(struct file *file, unsigned int command, void *argument)
{
	struct sm_card *card = sm_of(pci_card_of(file));
	int err;

	if (mutex_lock_interruptible(&card->set))
		return -ERESTARTSYS;
	err = card->gone ? -ENODEV : sm_do(card, command, argument);
	mutex_unlock(&card->set);
	return err;
}

static const struct ioctl_calls sm_calls = {
	.magic = SMILE_IOC_MAGIC, .changes = sm_changes, .call = sm_call,
};

static long sm_ioctl(struct file *file, unsigned int command, unsigned long user)
{
	union sm_argument a;

	return ioctl_call(&sm_calls, file, command, user, &a, sizeof(a));
}

const struct file_operations sm_operations = {
	.owner = THIS_MODULE,
	.open = sm_open,
	.release = pci_card_release,
	.read = sm_read,
	.poll = sm_poll,
	.unlocked_ioctl = sm_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};
