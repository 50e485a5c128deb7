// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: a processor's monitor. Each processor has its own, at the same address, and a monitor
 * is touched by its processor only.
 *
 * "Each ... the illusion of operating the counter entirely by itself" (p. 6): when a process with
 * private counters stops running, MMCR and the counters are saved; when one starts, they are
 * loaded. Both are 32 bits wide, so the saved counters are the low halves of totals with 64 bits,
 * which are brought up to date when somebody asks, and at least each P2_GUARD while they are
 * loaded: "inspected at every real-time clock interrupt (... 10 milliseconds) and every task
 * switch, there is no risk of overflow ambiguity". A session of the whole machine is loaded once,
 * and stays.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

#include "power2.h"
#include "../../linux/kernels.h"

#define P2_GUARD (10 * NSEC_PER_MSEC)
/* Counted in shorter pieces, between which the timer goes off. */
#define P2_LOOSE (50 * NSEC_PER_MSEC)

static bool p2_awake; /* the card is there, and has power */

/* --- MMCR and 22 counters --- */

#ifdef CONFIG_64BIT
#define P2_PAIR(i) (p2_regs + P2R_OWN + 8 * (i))
#define p2_get_pair(r, i) ((r)->pair[i] = __raw_readq(P2_PAIR(i)))
#define p2_put_pair(r, i) __raw_writeq((r)->pair[i], P2_PAIR(i))
#else
#define p2_get_pair(r, i) \
	((r)->reg[2 * (i)] = p2_get(8 * (i)), (r)->reg[2 * (i) + 1] = p2_get(8 * (i) + 4))
#define p2_put_pair(r, i) \
	(p2_put(8 * (i), (r)->reg[2 * (i)]), p2_put(8 * (i) + 4, (r)->reg[2 * (i) + 1]))
#endif

/*
 * Both without a loop: tests/guest/linux/power2/switch-cost counts their instructions.
 * Stopped, so that all counters are of the same moment.
 */
static noinline notrace void p2_save_registers(union p2_registers *r)
{
	int i;

	p2_put(P2R_MMCR, P2_MMCR_DIS);
	mb(); /* the write has reached the monitor */
#pragma GCC unroll 16
	for (i = 0; i < P2_PAIRS; i++)
		p2_get_pair(r, i);
	r->reg[2 * P2_PAIRS] = p2_get(P2R_COUNTER(P2_ERRORS));
}

/* MMCR, and with it the first counter, last. */
static noinline notrace void p2_load_registers(const union p2_registers *r)
{
	int i;

#pragma GCC unroll 16
	for (i = 1; i < P2_PAIRS; i++)
		p2_put_pair(r, i);
	p2_put(P2R_COUNTER(P2_ERRORS), r->reg[2 * P2_PAIRS]);
	p2_put_pair(r, 0);
}

/*
 * MMCR's bits 6 to 15 are "always read as 0's": all ones are nobody's answer. What a monitor holds
 * that has been silent is not known: its counts since they were last read are left out, as
 * area->raw stays, and the caller writes what it should hold.
 */
static notrace bool p2_take(struct p2_cpu *c, struct p2_area *area)
{
	union p2_registers now;
	bool silent, was_silent = c->silent;

	p2_save_registers(&now);
	silent = now.reg[0] & P2_MMCR_RESERVED;
	c->silent = silent;
	if (unlikely(silent)) {
		c->unanswered++;
		area->unanswered++;
	}
	if (unlikely(silent || was_silent))
		return false;
	area->raw = now;
	return true;
}

/* --- an area --- */

static const struct p2_set *p2_set_of(const struct p2_area *area)
{
	return &area->session->set[area->set];
}

/*
 * Who reads an area of another processor may find a change half made, and looks again. Raw: trace
 * events' hooks come here, where lockdep, an event itself, may not.
 */
static void p2_change(struct p2_area *area)
{
	raw_write_seqcount_begin(&area->sequence);
}

static void p2_changed(struct p2_area *area)
{
	raw_write_seqcount_end(&area->sequence);
}

/* The 64-bit totals, from what was saved. */
static void p2_extend(struct p2_area *area)
{
	u64 *total = area->count[area->set].counter;
	int i;

	for (i = 0; i < P2_COUNTERS; i++)
		total[i] += (u32)(area->raw.reg[1 + i] - (u32)total[i]);
	area->loose_ns = 0;
}

static void p2_run_time(struct p2_area *area)
{
	const u64 now = ktime_get_mono_fast_ns();

	area->count[area->set].running_ns += now - area->since;
	area->slice_ns += now - area->since;
	area->loose_ns += now - area->since;
	area->since = now;
}

/* When the timer is to look at an area again that is loaded now. */
static u64 p2_due(const struct p2_area *area)
{
	const struct p2_open *o = &area->session->open;
	u64 due = area->since + P2_GUARD;

	if (o->sets > 1)
		due = min(due, area->since + (o->period_ns > area->slice_ns ?
						      o->period_ns - area->slice_ns : 0));
	if (o->flags & P2_LOG_TICK)
		due = min(due, area->next_log);
	return due;
}

/* The monitor holds what the area says, and counts. */
static void p2_put_area(struct p2_area *area)
{
	area->raw.reg[0] = p2_set_of(area)->mmcr;
	p2_put(P2R_IMR, p2_set_of(area)->imr);
	p2_load_registers(&area->raw);
}

static void p2_load(struct p2_cpu *c, struct p2_area *area)
{
	const struct p2_open *o = &area->session->open;
	u64 due;

	area->since = ktime_get_mono_fast_ns();
	if (o->flags & P2_LOG_TICK && area->next_log <= area->since)
		area->next_log = area->since + o->log_ns;
	due = p2_due(area);
	if (!hrtimer_active(&c->timer) || due < (u64)ktime_to_ns(hrtimer_get_expires(&c->timer)))
		hrtimer_start(&c->timer, ns_to_ktime(due), HRTIMER_MODE_ABS_PINNED_HARD);
	/* Starting a timer is a trace event, whose hook must not find half an area. */
	WRITE_ONCE(c->area, area);
	p2_put_area(area);
}

static void p2_save(struct p2_cpu *c)
{
	struct p2_area *area = c->area;

	p2_change(area);
	p2_take(c, area);
	area->switches++;
	p2_run_time(area);
	if (area->loose_ns > P2_LOOSE)
		p2_extend(area);
	p2_changed(area);
	smp_store_release(&c->area, NULL); /* who sees this finds the counts */
}

void p2_cpu_settle(struct p2_area *area)
{
	struct p2_cpu *c = this_cpu_ptr(&p2_cpus);

	p2_change(area);
	if (c->area == area) {
		if (likely(p2_take(c, area)))
			p2_put(P2R_MMCR, p2_set_of(area)->mmcr);
		else
			p2_put_area(area);
		p2_run_time(area);
	}
	p2_extend(area);
	p2_changed(area);
}

void p2_area_view(const struct p2_area *area, u32 set, struct p2_view *view)
{
	unsigned int sequence;
	int i;

	do {
		sequence = read_seqcount_begin(&area->sequence);
		view->count = area->count[set];
		view->switches = area->switches;
		view->unanswered = area->unanswered;
		for (i = 0; set == area->set && i < P2_COUNTERS; i++) /* as p2_extend() will */
			view->count.counter[i] +=
				(u32)(area->raw.reg[1 + i] - (u32)view->count.counter[i]);
	} while (read_seqcount_retry(&area->sequence, sequence));
}

/* --- the timer: roll-over, the next set, the log --- */

static void p2_next_set(struct p2_cpu *c, struct p2_area *area)
{
	int i;

	p2_change(area);
	p2_take(c, area);
	p2_extend(area);
	area->set = area->set + 1 < area->session->open.sets ? area->set + 1 : 0;
	area->slice_ns = 0;
	for (i = 0; i < P2_COUNTERS; i++)
		area->raw.reg[1 + i] = (u32)area->count[area->set].counter[i];
	p2_changed(area);
	p2_put_area(area);
	if (area->ring.room)
		p2_log(area, P2_RECORD_SET, current, area->set, 0, 0);
}

static enum hrtimer_restart p2_tick(struct hrtimer *timer)
{
	struct p2_cpu *c = container_of(timer, struct p2_cpu, timer);
	struct p2_area *area = c->area;
	const struct p2_open *o;

	if (!c->works || !area)
		return HRTIMER_NORESTART;
	o = &area->session->open;
	p2_cpu_settle(area);
	if (o->flags & P2_LOG_TICK && area->since >= area->next_log) {
		p2_log(area, P2_RECORD_TICK, current, 0, 0, 0);
		area->next_log += o->log_ns;
		if (area->next_log <= area->since)
			area->next_log = area->since + o->log_ns;
	}
	if (o->sets > 1 && area->slice_ns >= o->period_ns)
		p2_next_set(c, area);
	if (area->ring.room)
		p2_log_wake(area);
	hrtimer_set_expires(timer, ns_to_ktime(p2_due(area)));
	return HRTIMER_RESTART;
}

/* --- who runs --- */

/* Interrupts are off; the task runs here, or is the next one that does. */
void p2_cpu_run(struct task_struct *task)
{
	struct p2_cpu *c = this_cpu_ptr(&p2_cpus);
	struct p2_session *everybody;
	struct p2_area *want = NULL;
	struct p2_who who;

	WRITE_ONCE(c->running, task->tgid);
	smp_mb(); /* before anything is looked at; pairs with p2_refresh() */
	if (!c->works)
		return;
	rcu_read_lock();
	everybody = READ_ONCE(p2_everybody);
	who = p2_look(task, everybody);
	/* One without rights neither learns of other processes nor costs them anything. */
	if (everybody && everybody->privileged)
		who.session = everybody;
	if (who.session && READ_ONCE(who.session->enabled))
		want = who.session->area[smp_processor_id()];
	if (want != c->area) {
		if (c->area)
			p2_save(c);
		if (want)
			p2_load(c, want);
	}
	if (who.mark != c->marked || IS_ENABLED(CONFIG_PPC64))
		p2_mark_task(task, who.mark);
	c->marked = who.mark;
	rcu_read_unlock();
}

void p2_refresh_here(void)
{
	unsigned long flags;

	local_irq_save(flags);
	p2_cpu_run(current);
	local_irq_restore(flags);
}

static void p2_refresh_cpu(void *unused)
{
	p2_cpu_run(current);
}

void p2_refresh_all(void)
{
	on_each_cpu(p2_refresh_cpu, NULL, 1);
}

static bool p2_concerns(struct p2_session *s, int cpu)
{
	const struct p2_cpu *c = per_cpu_ptr(&p2_cpus, cpu);

	if (s->opened && s->privileged && s->open.scope != P2_PRIVATE)
		return true;
	return (s->area && READ_ONCE(c->area) == s->area[cpu]) ||
	       p2_task_in(s, READ_ONCE(c->running));
}

/*
 * Either a processor that begins to run one of the session's processes finds the change, or it is
 * found here: so a process is left in the session, inactive, until its processor has obeyed.
 */
void p2_refresh(struct p2_session *s)
{
	int cpu;

	smp_mb(); /* after the change; pairs with p2_cpu_run() */
	for_each_online_cpu(cpu)
		if (p2_concerns(s, cpu)) /* one that is off by now has nothing loaded */
			smp_call_function_single(cpu, p2_refresh_cpu, NULL, 1);
}

u64 p2_unanswered(void)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(&p2_cpus, cpu)->unanswered);
	return sum;
}

/* --- the card and processors that come and go --- */

/* Both on the processor itself, interrupts off. */
static void p2_cpu_on(void *unused)
{
	struct p2_cpu *c = this_cpu_ptr(&p2_cpus);

	if (!READ_ONCE(p2_awake) || c->works)
		return;
	p2_put(P2R_MMCR, P2_MMCR_DIS);
	p2_put(P2R_IMR, 0);
	p2_put(P2R_SPE, 0);
	c->works = true;
	c->marked = false;
	p2_mark_task(current, false);
	p2_cpu_run(current);
	p2_perf_load();
}

static void p2_cpu_off(void *unused)
{
	struct p2_cpu *c = this_cpu_ptr(&p2_cpus);

	if (!c->works)
		return;
	if (c->area)
		p2_save(c);
	p2_put(P2R_MMCR, P2_MMCR_DIS);
	p2_perf_save();
	c->works = false;
}

void p2_cpu_start(void)
{
	WRITE_ONCE(p2_awake, true);
	on_each_cpu(p2_cpu_on, NULL, 1);
}

void p2_cpu_stop(void)
{
	WRITE_ONCE(p2_awake, false);
	on_each_cpu(p2_cpu_off, NULL, 1);
}

static int p2_hotplug;

static int p2_cpu_online(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	p2_cpu_on(NULL);
	local_irq_restore(flags);
	return 0;
}

/* What still runs on the processor until it is off is not counted. */
static int p2_cpu_offline(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	p2_cpu_off(NULL);
	local_irq_restore(flags);
	hrtimer_cancel(&per_cpu(p2_cpus, cpu).timer);
	return 0;
}

int p2_cpu_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct p2_cpu *c = per_cpu_ptr(&p2_cpus, cpu);

		hrtimer_setup(&c->timer, p2_tick, CLOCK_MONOTONIC,
			      HRTIMER_MODE_ABS_PINNED_HARD);
	}
	p2_hotplug = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "power2:online", p2_cpu_online,
				       p2_cpu_offline);
	return p2_hotplug < 0 ? p2_hotplug : 0;
}

void p2_cpu_exit(void)
{
	int cpu;

	cpuhp_remove_state(p2_hotplug);
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu(p2_cpus, cpu).timer);
}
