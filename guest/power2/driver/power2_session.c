// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: sessions, from opening to closing.
 */
#include <linux/bitops.h>
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "power2.h"

#define P2_LEAST_NS NSEC_PER_MSEC
#define P2_LONGEST_NS (3600 * NSEC_PER_SEC)
#define P2_MOST_RECORDS (1u << 20)
#define P2_OPEN_FLAGS (P2_CHILDREN | P2_ALONE | P2_STOPPED | P2_LOG_FLAGS | P2_ON_EXEC | \
		       P2_KEEP | P2_HOOK_OTHERS)

static LIST_HEAD(p2_list); /* of those that count */

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

	if (o->scope > P2_PRIVATE || o->flags & ~P2_OPEN_FLAGS || !o->sets ||
	    o->sets > P2_MOST_SETS || memchr_inv(o->reserved, 0, sizeof(o->reserved)))
		return -EINVAL;
	if (o->scope == P2_SYSTEM && o->flags & (P2_CHILDREN | P2_ON_EXEC))
		return -EINVAL;
	if (o->flags & P2_ALONE && (o->scope != P2_MARKED || o->flags & P2_CHILDREN))
		return -EINVAL;
	if (o->flags & P2_KEEP && (o->scope == P2_PRIVATE || o->flags & P2_LOG_FLAGS))
		return -EINVAL;
	if (o->flags & P2_HOOK_OTHERS && !(o->flags & P2_LOG_HOOK))
		return -EINVAL;
	if (o->scope != P2_SYSTEM && o->pid < 0)
		return -EINVAL;
	if (o->sets > 1 ? o->period_ns < P2_LEAST_NS || o->period_ns > P2_LONGEST_NS : o->period_ns)
		return -EINVAL;
	if (o->flags & P2_LOG_TICK ? o->log_ns < P2_LEAST_NS || o->log_ns > P2_LONGEST_NS :
				     o->log_ns)
		return -EINVAL;
	if (o->log_records > P2_MOST_RECORDS)
		return -EINVAL;
	return (o->scope == P2_SYSTEM || o->flags & P2_KEEP) && !s->privileged ? -EACCES : 0;
}

/* --- a session --- */

static void p2_session_free(struct p2_session *s)
{
	int cpu;

	if (s->area && s->since) {
		p2_log_free(s);
		for_each_possible_cpu(cpu) {
			kvfree(s->area[cpu]);
			kvfree(s->since[cpu]);
		}
	}
	kfree(s->area);
	kfree(s->since);
	kfree(s->set);
	kfree(s->rules);
	put_pid(s->collector);
	s->area = NULL;
	s->since = NULL;
	s->set = NULL;
	s->rules = NULL;
	s->collector = NULL;
	p2_uncharge(s);
}

static int p2_area_make(struct p2_session *s, int cpu)
{
	const size_t bytes = struct_size(s->area[cpu], count, s->open.sets);

	s->area[cpu] = kvzalloc(bytes, GFP_KERNEL_ACCOUNT);
	s->since[cpu] = kvcalloc(s->open.sets, sizeof(*s->since[cpu]), GFP_KERNEL_ACCOUNT);
	if (!s->area[cpu] || !s->since[cpu])
		return -ENOMEM;
	seqcount_init(&s->area[cpu]->sequence);
	s->area[cpu]->session = s;
	return 0;
}

static int p2_session_make(struct p2_session *s, struct p2_set **set)
{
	const u64 bytes = struct_size(s->area[0], count, s->open.sets) +
			  array_size(s->open.sets, sizeof(*s->since[0])) +
			  array_size(p2_log_room(&s->open), sizeof(struct p2_record));
	u32 i;
	int cpu, err = 0;

	swap(s->set, *set);
	for (i = 0; !err && i < s->open.sets; i++)
		err = p2_check_set(s, &s->set[i]);
	if (!err)
		err = p2_charge(s, num_possible_cpus() * bytes);
	if (err)
		return err;
	s->area = kcalloc(nr_cpu_ids, sizeof(*s->area), GFP_KERNEL_ACCOUNT);
	s->since = kcalloc(nr_cpu_ids, sizeof(*s->since), GFP_KERNEL_ACCOUNT);
	if (!s->area || !s->since)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		err = p2_area_make(s, cpu);
		if (err)
			return err;
	}
	return p2_log_make(s);
}

/* p2_mutex. No processor has the session loaded, or one of its processes marked, after this. */
static void p2_session_stop(struct p2_session *s)
{
	if (p2_everybody == s)
		WRITE_ONCE(p2_everybody, NULL);
	p2_task_rest(s);
	p2_refresh(s);
	p2_task_forget(s);
}

static int p2_session_start(struct p2_session *s)
{
	const struct p2_open *o = &s->open;
	bool hooks = false;
	int err = p2_hold(o->scope != P2_PRIVATE);

	if (err)
		return err;
	err = p2_probes_get();
	if (err)
		goto release;
	if (o->flags & P2_LOG_HOOK && s->privileged) {
		if (o->flags & P2_HOOK_OTHERS)
			s->collector = get_pid(task_tgid(current));
		err = p2_hooks_get();
		hooks = !err;
	}
	if (!err && o->scope != P2_SYSTEM)
		err = p2_task_enter(s, o->pid, o->flags, o->scope == P2_MARKED);
	if (err)
		goto stop;
	s->hooks = hooks;
	s->enabled = !(o->flags & P2_STOPPED);
	if (o->scope != P2_PRIVATE)
		WRITE_ONCE(p2_everybody, s);
	list_add(&s->list, &p2_list);
	smp_store_release(&s->opened, true);
	p2_refresh(s);
	return 0;

stop:
	p2_session_stop(s);
	synchronize_rcu(); /* its areas go */
	if (hooks)
		p2_hooks_put();
	p2_probes_put();
release:
	p2_release();
	return err;
}

/* *set: as many as there may be, or NULL. They are the session's if it comes to them. */
int p2_session_open(struct p2_session *s, const struct p2_open *o, struct p2_set **set)
{
	int err;

	if (s->opened)
		return -EBUSY;
	s->open = *o;
	s->privileged = perfmon_capable();
	err = p2_check(s);
	if (!err)
		err = p2_session_make(s, set);
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
	p2_refresh(s);
	return 0;
}

static void p2_settle(void *data)
{
	struct p2_area *area = data;

	if (this_cpu_ptr(&p2_cpus)->area == area)
		p2_cpu_settle(area);
}

/* Only a processor that has the area loaded is asked: what another has counted lies there. */
static const struct p2_area *p2_look_up(struct p2_session *s, int cpu)
{
	struct p2_area *area = s->area[cpu];

	if (smp_load_acquire(&per_cpu_ptr(&p2_cpus, cpu)->area) == area)
		smp_call_function_single(cpu, p2_settle, area, 1);
	return area;
}

/* Counts go on in the areas, which are their processors' alone. */
int p2_session_reset(struct p2_session *s)
{
	u32 set;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct p2_area *area = p2_look_up(s, cpu);

		for (set = 0; set < s->open.sets; set++)
			p2_area_view(area, set, &s->since[cpu][set]);
	}
	return 0;
}

static void p2_read_add(struct p2_session *s, int cpu, struct p2_read *r)
{
	const struct p2_area *area = p2_look_up(s, cpu);
	const struct p2_view *since = s->since[cpu];
	struct p2_view now;
	u32 i, set;

	for (set = 0; set < s->open.sets; set++) {
		p2_area_view(area, set, &now);
		r->enabled_ns += now.count.running_ns - since[set].count.running_ns;
		if (set != r->set)
			continue;
		for (i = 0; i < P2_COUNTERS; i++)
			r->counter[i] += now.count.counter[i] - since[set].count.counter[i];
		r->running_ns += now.count.running_ns - since[set].count.running_ns;
		r->switches += now.switches - since[set].switches;
		r->unanswered += now.unanswered - since[set].unanswered;
	}
}

int p2_session_read(struct p2_session *s, struct p2_read *r)
{
	const u32 set = r->set;
	const s32 one = r->cpu;
	int cpu;

	if (set >= s->open.sets || one < -1 ||
	    (one >= 0 && (s->open.scope == P2_PRIVATE || one >= nr_cpu_ids || !cpu_possible(one))))
		return -EINVAL;
	memset(r, 0, sizeof(*r));
	r->set = set;
	r->cpu = one;
	r->lost = p2_log_lost(s);
	for_each_possible_cpu(cpu)
		if (one < 0 || cpu == one)
			p2_read_add(s, cpu, r);
	return 0;
}

/* Marks beside what is counted. Somebody else's session may count the marked, or leave them out. */
int p2_session_mark(struct p2_session *s, const struct p2_mark *m)
{
	int err;

	if (m->flags & ~(P2_CHILDREN | P2_ALONE | P2_MARK_OFF) || m->pid < 0 ||
	    hweight32(m->flags) > 1)
		return -EINVAL;
	if (!perfmon_capable() && p2_everybody != s)
		return -EPERM;
	if (m->flags & P2_MARK_OFF) {
		const pid_t tgid = p2_task_end(s, m->pid);

		if (tgid < 0)
			return tgid;
		p2_refresh(s);
		p2_task_drop(s, tgid);
		return 0;
	}
	if (!s->marks) {
		err = p2_probes_get();
		if (err)
			return err;
		s->marks = true;
	}
	err = p2_task_enter(s, m->pid, m->flags, true);
	p2_refresh(s);
	return err;
}

/* From the first segment on processes count inside them only, and need no P2_IOC_ENABLE. s->own. */
int p2_session_segment(struct p2_session *s, const struct p2_segment *g)
{
	if (s->open.scope == P2_SYSTEM)
		return -EINVAL;
	/* A trap is in the file, whoever runs it. */
	if (!perfmon_capable())
		return -EPERM;
	mutex_lock(&p2_mutex);
	if (list_empty(&s->segments)) {
		p2_task_rest(s);
		WRITE_ONCE(s->enabled, true);
		p2_refresh(s);
	}
	mutex_unlock(&p2_mutex);
	return p2_segment_add(s, g);
}

static void p2_no_spe(void *unused)
{
	if (this_cpu_ptr(&p2_cpus)->works)
		p2_put(P2R_SPE, 0);
}

void p2_session_close(struct p2_session *s)
{
	p2_segments_remove(s);
	mutex_lock(&p2_mutex);
	if (s->spe)
		on_each_cpu(p2_no_spe, NULL, 1);
	p2_session_stop(s);
	if (s->opened) {
		list_del(&s->list);
		p2_release();
		if (s->hooks)
			p2_hooks_put();
		p2_probes_put();
	}
	if (s->marks)
		p2_probes_put();
	mutex_unlock(&p2_mutex);
	/* A processor that was left in peace may have had a look at it. */
	if (s->opened || s->entered)
		synchronize_rcu();
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
