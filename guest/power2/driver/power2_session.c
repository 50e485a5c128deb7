// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: sessions. The monitor "is a serially reusable resource" (p. 7): one session of the machine, or private ones of
 * different processes, or the kernel's perf subsystem.
 */
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include "power2.h"

#define P2_LEAST_NS NSEC_PER_MSEC
#define P2_LONGEST_NS (3600 * NSEC_PER_SEC)
#define P2_MOST_RECORDS (1u << 20)
#define P2_LOG_FLAGS (P2_LOG_SWITCH | P2_LOG_TICK | P2_LOG_HOOK)
#define P2_OPEN_FLAGS (P2_CHILDREN | P2_GROUP | P2_STOPPED | P2_LOG_FLAGS | P2_ON_EXEC)

DEFINE_MUTEX(p2_mutex);
struct p2_session *p2_everybody;
unsigned int p2_sessions, p2_perf_events;
static LIST_HEAD(p2_list);

/* --- what may be asked for --- */

static int p2_check_set(const struct p2_session *s, const struct p2_set *set)
{
	if (set->mmcr & P2_MMCR_RESERVED)
		return -EINVAL;
	if (s->open.scope == P2_MARKED && !(set->mmcr & (P2_MMCR_DMR | P2_MMCR_DMS)))
		return -EINVAL;
	/* The kernel is not one's own, nor are those that are not marked. */
	if (!s->privileged && !(set->mmcr & P2_MMCR_DP))
		return -EACCES;
	if (!s->privileged && s->open.scope == P2_MARKED && !(set->mmcr & P2_MMCR_DMR))
		return -EACCES;
	return 0;
}

static int p2_check(const struct p2_session *s)
{
	const struct p2_open *o = &s->open;

	if (o->scope > P2_PRIVATE || o->flags & ~P2_OPEN_FLAGS || !o->sets || o->sets > P2_MOST_SETS ||
	    memchr_inv(o->reserved, 0, sizeof(o->reserved)))
		return -EINVAL;
	if (o->scope == P2_SYSTEM && o->flags & (P2_CHILDREN | P2_GROUP | P2_ON_EXEC))
		return -EINVAL;
	if (o->scope != P2_SYSTEM && o->pid < 0)
		return -EINVAL;
	if (o->sets > 1 ? o->period_ns < P2_LEAST_NS || o->period_ns > P2_LONGEST_NS : o->period_ns)
		return -EINVAL;
	if (o->flags & P2_LOG_TICK ? o->log_ns < P2_LEAST_NS || o->log_ns > P2_LONGEST_NS : o->log_ns)
		return -EINVAL;
	if (o->log_records > P2_MOST_RECORDS)
		return -EINVAL;
	return o->scope == P2_SYSTEM && !s->privileged ? -EACCES : 0;
}

/* --- a session --- */

static void p2_session_free(struct p2_session *s)
{
	int cpu;

	if (s->area) {
		p2_log_free(s);
		for_each_possible_cpu(cpu)
			kvfree(s->area[cpu]);
	}
	kfree(s->area);
	kfree(s->set);
	s->area = NULL;
	s->set = NULL;
}

static int p2_session_make(struct p2_session *s)
{
	u32 i;
	int cpu, err = 0;

	s->set = memdup_user(u64_to_user_ptr(s->open.set), array_size(s->open.sets, sizeof(*s->set)));
	if (IS_ERR(s->set)) {
		err = PTR_ERR(s->set);
		s->set = NULL;
		return err;
	}
	for (i = 0; !err && i < s->open.sets; i++)
		err = p2_check_set(s, &s->set[i]);
	if (err)
		return err;
	s->area = kcalloc(nr_cpu_ids, sizeof(*s->area), GFP_KERNEL_ACCOUNT);
	if (!s->area)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		s->area[cpu] = kvzalloc(struct_size(s->area[cpu], count, s->open.sets), GFP_KERNEL_ACCOUNT);
		if (!s->area[cpu])
			return -ENOMEM;
		s->area[cpu]->session = s;
	}
	return s->open.flags & P2_LOG_FLAGS ? p2_log_make(s) : 0;
}

static int p2_session_start(struct p2_session *s)
{
	const struct p2_open *o = &s->open;
	bool hooks = false;
	int err;

	if (p2_perf_events || p2_everybody || (o->scope != P2_PRIVATE && p2_sessions))
		return -EBUSY;
	err = p2_probes_get();
	if (err)
		return err;
	if (o->flags & P2_LOG_HOOK) {
		err = p2_hooks_get();
		hooks = !err;
	}
	if (!err && o->scope != P2_SYSTEM)
		err = p2_task_enter(s, o->pid, o->flags, o->scope == P2_MARKED, true);
	if (err) {
		p2_task_forget(s);
		if (hooks)
			p2_hooks_put();
		p2_probes_put();
		return err;
	}
	s->enabled = !(o->flags & P2_STOPPED);
	if (o->scope != P2_PRIVATE)
		WRITE_ONCE(p2_everybody, s);
	list_add(&s->list, &p2_list);
	p2_sessions++;
	smp_store_release(&s->opened, true);
	p2_refresh();
	return 0;
}

int p2_session_open(struct p2_session *s, const struct p2_open *o)
{
	int err;

	if (s->opened)
		return -EBUSY;
	s->open = *o;
	s->privileged = perfmon_capable();
	err = p2_check(s);
	if (!err)
		err = p2_session_make(s);
	if (!err) {
		mutex_lock(&p2_mutex);
		err = p2_there() ? p2_session_start(s) : -ENODEV;
		mutex_unlock(&p2_mutex);
	}
	if (err)
		p2_session_free(s);
	return err;
}

int p2_session_enable(struct p2_session *s, bool on)
{
	WRITE_ONCE(s->enabled, on);
	p2_refresh();
	return 0;
}

struct p2_request {
	struct p2_area *area;
	struct p2_read *read;
};

/* An area is its processor's. One that is off has nothing loaded, and another may look. */
static void p2_ask(struct p2_session *s, int cpu, void (*function)(void *), struct p2_read *read)
{
	struct p2_request request = { s->area[cpu], read };
	unsigned long flags;

	cpus_read_lock();
	if (smp_call_function_single(cpu, function, &request, 1)) {
		local_irq_save(flags);
		function(&request);
		local_irq_restore(flags);
	}
	cpus_read_unlock();
}

static void p2_reset_area(void *data)
{
	p2_cpu_zero(((struct p2_request *)data)->area);
}

int p2_session_reset(struct p2_session *s)
{
	int cpu;

	for_each_possible_cpu(cpu)
		p2_ask(s, cpu, p2_reset_area, NULL);
	return 0;
}

static void p2_read_area(void *data)
{
	struct p2_area *area = ((struct p2_request *)data)->area;
	struct p2_read *r = ((struct p2_request *)data)->read;
	const struct p2_count *count = &area->count[r->set];
	u32 i;

	p2_cpu_settle(area);
	for (i = 0; i < P2_COUNTERS; i++)
		r->counter[i] += count->counter[i];
	for (i = 0; i < area->session->open.sets; i++)
		r->enabled_ns += area->count[i].running_ns;
	r->running_ns += count->running_ns;
	r->switches += area->switches;
	r->unanswered += area->unanswered;
}

int p2_session_read(struct p2_session *s, struct p2_read *r)
{
	const u32 set = r->set;
	const s32 one = r->cpu;
	int cpu;

	if (set >= s->open.sets || one < -1 || (one >= 0 && (s->open.scope == P2_PRIVATE || one >= nr_cpu_ids || !cpu_possible(one))))
		return -EINVAL;
	memset(r, 0, sizeof(*r));
	r->set = set;
	r->cpu = one;
	r->lost = p2_log_lost(s);
	for_each_possible_cpu(cpu)
		if (one < 0 || cpu == one)
			p2_ask(s, cpu, p2_read_area, r);
	return 0;
}

/* Marks beside what is counted. A session of somebody else may count the marked, or leave them out. */
int p2_session_mark(struct p2_session *s, const struct p2_mark *m)
{
	int err;

	if (m->flags & ~(P2_CHILDREN | P2_GROUP | P2_MARK_OFF) || m->pid < 0 || (m->flags & P2_MARK_OFF && m->flags & P2_CHILDREN))
		return -EINVAL;
	if (!perfmon_capable() && p2_everybody != s)
		return -EPERM;
	if (m->flags & P2_MARK_OFF) {
		p2_task_leave(s, m->pid, m->flags, &err);
	} else {
		if (!s->marks) {
			err = p2_probes_get();
			if (err)
				return err;
			s->marks = true;
		}
		err = p2_task_enter(s, m->pid, m->flags & (P2_CHILDREN | P2_GROUP), true, true);
	}
	p2_refresh();
	return err;
}

/* From the first segment on processes count inside them only, and need no P2_IOC_ENABLE. */
int p2_session_segment(struct p2_session *s, const struct p2_segment *g)
{
	if (s->open.scope == P2_SYSTEM)
		return -EINVAL;
	if (list_empty(&s->segments)) {
		p2_task_segmented(s);
		WRITE_ONCE(s->enabled, true);
		p2_refresh();
	}
	return p2_segment_add(s, g);
}

static void p2_no_spe(void *unused)
{
	if (this_cpu_ptr(&p2_cpus)->works)
		p2_put(P2R_SPE, 0);
}

void p2_session_close(struct p2_session *s)
{
	if (s->spe)
		on_each_cpu(p2_no_spe, NULL, 1);
	if (s->opened)
		p2_segments_remove(s);
	if (p2_everybody == s)
		WRITE_ONCE(p2_everybody, NULL);
	p2_task_forget(s);
	p2_refresh();
	if (s->opened) {
		list_del(&s->list);
		p2_sessions--;
		if (s->open.flags & P2_LOG_HOOK)
			p2_hooks_put();
		p2_probes_put();
	}
	if (s->marks)
		p2_probes_put();
	irq_work_sync(&s->wake);
	p2_session_free(s);
}

void p2_sessions_wake(void)
{
	struct p2_session *s;

	mutex_lock(&p2_mutex);
	list_for_each_entry(s, &p2_list, list)
		wake_up_all(&s->wait);
	mutex_unlock(&p2_mutex);
}
