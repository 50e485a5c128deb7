// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * smile.ko: PCI_Target's registers and /dev/smileN (guest/smile/uapi.h).
 */
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "smile.h"
#include "smile_trace.h"

/* --- registers --- */

void sm_set_mcr(struct sm_card *card, u32 set, u32 clear, u32 command)
{
	card->mcr = (card->mcr & ~clear) | set;
	writel(card->mcr | command, card->regs + SMR_MCR);
}

static bool sm_running(struct sm_card *card)
{
	return card->mcr & SMR_MCR_RUN;
}

void sm_get_info(struct sm_card *card, struct smile_info *info)
{
	sm_look(card);
	info->index = card->index;
	info->cards = sm_cards();
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
	stats->packets = readl(card->regs + SMR_PACKETS);
	stats->orphans = readl(card->regs + SMR_ORPHANS);
	stats->clashes = readl(card->regs + SMR_CLASHES);
	stats->queue = readl(card->regs + SMR_QUEUE);
}

static void sm_run(struct sm_card *card, bool on)
{
	spin_lock_irq(&card->lock);
	sm_set_mcr(card, on ? SMR_MCR_RUN : 0, on ? 0 : SMR_MCR_RUN, 0);
	trace_smile_run(card->index, on);
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
	writel(d->max_range, card->regs + SMR_MAXR);
	writel(d->mask, card->regs + SMR_MASK);
	return 0;
}

static int sm_page(struct sm_card *card, const struct smile_page *p)
{
	if (p->index >= SMR_PAGES || p->valid > 1 || p->page & ~SMR_PAGE_NUMBER_MASK ||
	    p->node > SMR_PAGE_NODE_MASK >> SMR_PAGE_NODE_SHIFT)
		return -EINVAL;
	writel(SMR_PUT(PAGE_NUMBER, p->page) | SMR_PUT(PAGE_NODE, p->node) |
		       (p->valid ? SMR_PAGE_VALID : 0),
	       card->regs + SMR_PAGE(p->index));
	return 0;
}

/* While it is changed the event does not match: its range is in another register. */
static int sm_event(struct sm_card *card, const struct smile_event *e)
{
	const u32 most = SMR_EVENT_BOTTOM_MASK;

	if (e->index >= SMR_EVENTS || e->valid > 1 || e->page >= SMR_PAGES ||
	    e->filter & ~SMR_FILTER_ALL || e->bottom > most || e->top > most)
		return -EINVAL;
	writel(0, card->regs + SMR_EVENT(e->index));
	writel(SMR_PUT(EVENT_BOTTOM, e->bottom) | SMR_PUT(EVENT_TOP, e->top),
	       card->regs + SMR_EVENT_RANGE(e->index));
	writel(SMR_PUT(EVENT_PAGE, e->page) | SMR_PUT(EVENT_FILTER, e->filter) |
		       (e->valid ? SMR_EVENT_VALID : 0),
	       card->regs + SMR_EVENT(e->index));
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
		writel(0, card->regs + SMR_COUNTER_VALUE(c->index));
		writel(sm_event_word(c->start), card->regs + SMR_COUNTER_START(c->index));
		writel(sm_event_word(c->stop), card->regs + SMR_COUNTER_STOP(c->index));
		writel(sm_event_word(c->count), card->regs + SMR_COUNTER_COUNT(c->index));
		writel(1u << c->index, card->regs + SMR_CRST);
		if (c->active)
			writel(SMR_COUNTER_ACTIVE, card->regs + SMR_COUNTER_VALUE(c->index));
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
	c->lost = readl(card->regs + SMR_LOSTN);
	return 0;
}

/* --- the character device --- */

/* misc's lock is held, so the device is not being removed meanwhile. */
static int sm_open(struct inode *inode, struct file *file)
{
	struct sm_card *card = container_of(file->private_data, struct sm_card, misc);

	file->private_data = card;
	kref_get(&card->ref);
	return stream_open(inode, file);
}

static int sm_release(struct inode *inode, struct file *file)
{
	sm_put_card(file->private_data);
	return 0;
}

static __poll_t sm_poll(struct file *file, struct poll_table_struct *table)
{
	struct sm_card *card = file->private_data;
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
		writel(a->number, card->regs + SMR_TIMER);
		return 0;
	case SMILE_IOC_GLOBAL_EVENT:
		if (a->number <= SMR_TIMER_EVENT || a->number >= SMR_ALL_EVENTS)
			return -EINVAL;
		writel(a->number - SMR_GLOBAL_EVENT, card->regs + SMR_GEVENT);
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

/* What one can ask with a descriptor that may not write. */
static bool sm_allowed(struct file *file, unsigned int command)
{
	return file->f_mode & FMODE_WRITE || command == SMILE_IOC_INFO ||
	       command == SMILE_IOC_STATS;
}

static long sm_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct sm_card *card = file->private_data;
	void __user *user = (void __user *)argument;
	union sm_argument a;
	int err;

	memset(&a, 0, sizeof(a));
	if (_IOC_TYPE(command) != SMILE_IOC_MAGIC || _IOC_SIZE(command) > sizeof(a))
		return -ENOTTY;
	if (!sm_allowed(file, command))
		return -EBADF;
	if (_IOC_DIR(command) & _IOC_WRITE && copy_from_user(&a, user, _IOC_SIZE(command)))
		return -EFAULT;
	if (mutex_lock_interruptible(&card->set))
		return -ERESTARTSYS;
	err = card->gone ? -ENODEV : sm_do(card, command, &a);
	mutex_unlock(&card->set);
	if (!err && _IOC_DIR(command) & _IOC_READ && copy_to_user(user, &a, _IOC_SIZE(command)))
		return -EFAULT;
	return err;
}

const struct file_operations sm_operations = {
	.owner = THIS_MODULE,
	.open = sm_open,
	.release = sm_release,
	.read = sm_read,
	.poll = sm_poll,
	.unlocked_ioctl = sm_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};
