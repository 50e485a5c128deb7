// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: the log of a session, "the process id, the MMCR, the counter values, and the real-time
 * clock at the time that the counters are read" (p. 6). Each processor writes into a ring of its
 * own. A reader takes the oldest record of all rings first. What finds no room is counted as lost.
 *
 * Readers are woken by an interrupt of the processor's own (irq_work), since a probe cannot wake up
 * anybody: when a ring is half full, and at each tick of the timer that finds new records.
 */
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "power2.h"

/* A log of the usual length: of all processors together, and at most and at least of one. */
#define P2_LOG_BYTES (4u << 20)
#define P2_LOG_DEFAULT 4096u
#define P2_LOG_SHORT 256u

static struct p2_record *p2_record_at(const struct p2_ring *ring, u64 n)
{
	return &ring->record[n & (ring->room - 1)];
}

u32 p2_log_room(const struct p2_open *o)
{
	const u32 share = P2_LOG_BYTES / sizeof(struct p2_record) / num_possible_cpus();

	if (!(o->flags & P2_LOG_FLAGS))
		return 0;
	return o->log_records ?
		       roundup_pow_of_two(o->log_records) :
		       clamp(rounddown_pow_of_two(share | 1), P2_LOG_SHORT, P2_LOG_DEFAULT);
}

int p2_log_make(struct p2_session *s)
{
	const u32 room = p2_log_room(&s->open);
	int cpu;

	if (!room)
		return 0;
	for_each_possible_cpu(cpu) {
		struct p2_ring *ring = &s->area[cpu]->ring;

		ring->record = __vmalloc(array_size(room, sizeof(*ring->record)),
					 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!ring->record)
			return -ENOMEM;
		ring->room = room;
	}
	return 0;
}

void p2_log_free(struct p2_session *s)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (s->area[cpu])
			vfree(s->area[cpu]->ring.record);
}

/* The counters are those of the area's totals: who wants them as they are now settles before. */
void p2_log(struct p2_area *area, u32 type, struct task_struct *task, u32 id, u64 a, u64 b)
{
	struct p2_ring *ring = &area->ring;
	struct p2_record *r;

	if (ring->head - smp_load_acquire(&ring->tail) >= ring->room) {
		WRITE_ONCE(ring->lost, ring->lost + 1);
		return;
	}
	r = p2_record_at(ring, ring->head);
	r->type = type;
	r->cpu = smp_processor_id();
	r->pid = task->pid;
	r->tgid = task->tgid;
	r->clock_ns = ktime_get_mono_fast_ns();
	r->mmcr = area->session->set[area->set].mmcr;
	r->id = id;
	r->data[0] = a;
	r->data[1] = b;
	memcpy(r->comm, task->comm, sizeof(r->comm));
	memcpy(r->counter, area->count[area->set].counter, sizeof(r->counter));
	smp_store_release(&ring->head, ring->head + 1);
	if (ring->head - ring->told >= ring->room / 2)
		p2_log_wake(area);
}

void p2_log_wake(struct p2_area *area)
{
	struct p2_ring *ring = &area->ring;

	if (ring->told == ring->head)
		return;
	ring->told = ring->head;
	irq_work_queue(&area->session->wake);
}

void p2_log_woken(struct irq_work *work)
{
	wake_up_interruptible(&container_of(work, struct p2_session, wake)->wait);
}

u64 p2_log_lost(struct p2_session *s)
{
	u64 lost = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		lost += READ_ONCE(s->area[cpu]->ring.lost);
	return lost;
}

/* --- the reader --- */

static bool p2_holds(const struct p2_ring *ring)
{
	return ring->room && smp_load_acquire(&ring->head) != READ_ONCE(ring->tail);
}

static bool p2_any(struct p2_session *s)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (p2_holds(&s->area[cpu]->ring))
			return true;
	return false;
}

/* s->reader is held. */
static struct p2_ring *p2_oldest(struct p2_session *s)
{
	struct p2_ring *oldest = NULL;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct p2_ring *ring = &s->area[cpu]->ring;

		if (p2_holds(ring) &&
		    (!oldest || p2_record_at(ring, ring->tail)->clock_ns <
				p2_record_at(oldest, oldest->tail)->clock_ns))
			oldest = ring;
	}
	return oldest;
}

/* The oldest record, and where it lies: it is the reader's when p2_taken() says so. */
static struct p2_ring *p2_peek(struct p2_session *s, struct p2_record *r, u64 *tail)
{
	struct p2_ring *ring;

	spin_lock(&s->reader);
	ring = p2_oldest(s);
	if (ring) {
		*tail = ring->tail;
		*r = *p2_record_at(ring, *tail);
	}
	spin_unlock(&s->reader);
	return ring;
}

/* False: another reader was faster. */
static bool p2_taken(struct p2_session *s, struct p2_ring *ring, u64 tail)
{
	bool taken;

	spin_lock(&s->reader);
	taken = ring->tail == tail;
	if (taken)
		smp_store_release(&ring->tail, tail + 1);
	spin_unlock(&s->reader);
	return taken;
}

/* Nothing more can come: all processes are gone, or the card. */
static bool p2_log_over(struct p2_session *s)
{
	return !p2_there() || (s->open.scope != P2_SYSTEM && !READ_ONCE(s->processes));
}

/* The program's memory is touched without a lock held: it may take its time. */
ssize_t p2_log_read(struct file *file, char __user *to, size_t bytes, loff_t *at)
{
	struct p2_session *s = p2_session_of(file);
	struct p2_record record;
	struct p2_ring *ring;
	size_t done = 0;
	ssize_t err = 0;
	u64 tail;

	if (!READ_ONCE(s->opened))
		return -EINVAL;
	if (bytes < sizeof(record))
		return -EINVAL;
	while (!err && bytes - done >= sizeof(record)) {
		const bool over = p2_log_over(s); /* before the look: what came before it is seen */

		smp_rmb();
		ring = p2_peek(s, &record, &tail);
		if (ring) {
			if (copy_to_user(to + done, &record, sizeof(record)))
				err = -EFAULT;
			else if (p2_taken(s, ring, tail))
				done += sizeof(record);
		} else if (done || over) {
			break;
		} else if (file->f_flags & O_NONBLOCK) {
			err = -EAGAIN;
		} else {
			err = wait_event_interruptible(s->wait, p2_any(s) || p2_log_over(s));
		}
	}
	return done ? done : err;
}

__poll_t p2_log_poll(struct file *file, struct poll_table_struct *table)
{
	struct p2_session *s = p2_session_of(file);
	__poll_t events = 0;

	poll_wait(file, &s->wait, table);
	if (!smp_load_acquire(&s->opened))
		return p2_there() ? 0 : EPOLLERR | EPOLLHUP;
	if (p2_any(s))
		events |= EPOLLIN | EPOLLRDNORM;
	if (p2_log_over(s))
		events |= EPOLLHUP;
	return p2_there() ? events : events | EPOLLERR;
}
