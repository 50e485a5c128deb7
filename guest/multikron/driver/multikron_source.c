// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Source Address registers: "updated at each context switch", each by the processor that it
 * stands for. guest/linux/README.md, "multikron", says by which probes, and what that does to
 * others. Traced processes and threads are in a hash table by number. Registering and unregistering
 * a probe interrupts all processors, so the probes stay for MK_LINGER after the last traced thread.
 *
 * A change of the table interrupts only the processors that run threads of the calling process. To
 * find them, each processor has mk_running. The probe writes mk_running before it reads the table.
 * The caller writes the table before it reads mk_running. So either the probe finds the new entry,
 * or the caller finds the processor.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "multikron.h"
#include "../../linux/sched_probe.h"

#define MK_LINGER HZ

static ushort node;
module_param(node, ushort, 0444);
MODULE_PARM_DESC(node, "node number: the upper half of the sources that the driver makes");

struct mk_traced {
	struct hlist_node link, by_source;
	struct rcu_head rcu;
	pid_t number;  /* of the process (tgid) or the thread */
	pid_t process; /* whose it is */
	bool thread;
	u32 flags, source;
};

static DEFINE_HASHTABLE(mk_traced, 8);    /* by number; read under RCU */
static DEFINE_HASHTABLE(mk_by_source, 8); /* the same entries; under the lock */
static unsigned int mk_traced_count;
static DEFINE_RAW_SPINLOCK(mk_traced_lock); /* raw: taken in probes, where preemption is off */

static LIST_HEAD(mk_cards); /* read under RCU */
static DEFINE_MUTEX(mk_cards_mutex);

/* What the registers of this processor hold: the driver's last write. */
static DEFINE_PER_CPU(u32, mk_source_now);
/* The process whose thread this processor runs; right while there are probes. */
static DEFINE_PER_CPU(pid_t, mk_running);

/* --- the registers --- */

/* Of this processor, in one card or all. Preemption is off. */
static void mk_source_write(struct mk_card *only, u32 source)
{
	u32 cpu = smp_processor_id(), line;
	struct mk_card *card;

	rcu_read_lock();
	list_for_each_entry_rcu(card, &mk_cards, list) {
		if (only && card != only)
			continue;
		for (line = 0; line < MKR_SOURCES; line++)
			if (card->info.cpu[line] == cpu)
				mk_put(card, MKR_SOURCE(line), source);
	}
	rcu_read_unlock();
}

static struct mk_traced *mk_find(pid_t number, bool thread)
{
	struct mk_traced *t;

	hash_for_each_possible_rcu(mk_traced, t, link, number, lockdep_is_held(&mk_traced_lock))
		if (t->number == number && t->thread == thread)
			return t;
	return NULL;
}

static u32 mk_source_of(struct task_struct *task)
{
	struct mk_traced *t;
	u32 source;

	if (!READ_ONCE(mk_traced_count) || task->flags & PF_KTHREAD)
		return 0;
	rcu_read_lock();
	t = mk_find(task->pid, true);
	if (!t)
		t = mk_find(task->tgid, false);
	source = t ? t->source : 0;
	rcu_read_unlock();
	return source;
}

static void mk_source_run(struct task_struct *task)
{
	u32 source;

	WRITE_ONCE(*this_cpu_ptr(&mk_running), task->tgid);
	smp_mb(); /* before the table is read; pairs with mk_source_update() */
	source = mk_source_of(task);

	if (source != this_cpu_read(mk_source_now)) {
		this_cpu_write(mk_source_now, source);
		mk_source_write(NULL, source);
	}
}

/* On each processor, for what runs there. */
static void mk_source_refresh(void *card)
{
	mk_source_run(current);
	if (card && this_cpu_read(mk_source_now))
		mk_source_write(card, this_cpu_read(mk_source_now));
}

/*
 * The calling process's threads that run just now, on any processor, get the sources that the table
 * has for them.
 */
static void mk_source_update(void)
{
	int cpu;

	smp_mb(); /* after the table was written; pairs with mk_source_run() */
	cpus_read_lock();
	for_each_online_cpu(cpu)
		if (READ_ONCE(*per_cpu_ptr(&mk_running, cpu)) == current->tgid)
			smp_call_function_single(cpu, mk_source_refresh, NULL, 1);
	cpus_read_unlock();
}

/* --- the table; its lock is held --- */

static void mk_probes_idle(struct work_struct *work);
static DECLARE_DELAYED_WORK(mk_idle, mk_probes_idle);

static void mk_forget(pid_t number, bool thread)
{
	struct mk_traced *t = mk_find(number, thread);

	if (!t)
		return;
	hash_del_rcu(&t->link);
	hash_del(&t->by_source);
	WRITE_ONCE(mk_traced_count, mk_traced_count - 1);
	if (!mk_traced_count)
		mod_delayed_work(system_percpu_wq, &mk_idle, MK_LINGER);
	kfree_rcu(t, rcu);
}

static void mk_enter(struct mk_traced *t)
{
	mk_forget(t->number, t->thread);
	hash_add_rcu(mk_traced, &t->link, t->number);
	hash_add(mk_by_source, &t->by_source, t->source);
	WRITE_ONCE(mk_traced_count, mk_traced_count + 1);
}

/* A source holds 16 bits of a process number, so two processes can have the same. */
static bool mk_taken(u32 source, pid_t process)
{
	struct mk_traced *t;

	hash_for_each_possible(mk_by_source, t, by_source, source)
		if (t->source == source && t->process != process)
			return true;
	return false;
}

static u32 mk_source_made(pid_t number)
{
	return MKR_PUT(SOURCE_NODE, (u32)node) | MKR_PUT(SOURCE_PROCESS, (u32)number);
}

/* --- probes --- */

static void mk_on_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
{
	mk_source_run(next);
}

static void mk_on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct mk_traced *t, *mine;
	unsigned long flags;

	if (!READ_ONCE(mk_traced_count) || child->tgid == parent->tgid)
		return;
	mine = kzalloc(sizeof(*mine), GFP_ATOMIC | __GFP_ACCOUNT | __GFP_NOWARN);
	raw_spin_lock_irqsave(&mk_traced_lock, flags);
	t = mk_find(parent->tgid, false);
	if (t && t->flags & MK_TRACE_CHILDREN) {
		if (mine) {
			const bool named = t->flags & MK_TRACE_SOURCE;

			mine->number = child->tgid;
			mine->process = child->tgid;
			mine->flags = t->flags;
			mine->source = named ? t->source : mk_source_made(child->tgid);
			if (named || !mk_taken(mine->source, mine->process)) {
				mk_enter(mine);
				mine = NULL;
			} else {
				pr_warn_ratelimited(
					"source %08x is taken: process %d is not traced\n",
					mine->source, child->tgid);
			}
		} else {
			pr_warn_ratelimited("no memory to trace process %d\n", child->tgid);
		}
	}
	raw_spin_unlock_irqrestore(&mk_traced_lock, flags);
	kfree(mine);
}

/* A thread that is not the first one takes the first one's number when it execs. */
static void mk_on_exec(void *data, struct task_struct *task, pid_t old_number,
		       struct linux_binprm *binary)
{
	unsigned long flags;

	if (!READ_ONCE(mk_traced_count) || old_number == task->pid)
		return;
	raw_spin_lock_irqsave(&mk_traced_lock, flags);
	mk_forget(old_number, true);
	raw_spin_unlock_irqrestore(&mk_traced_lock, flags);
}

static void mk_on_exit(void *data, struct task_struct *task SCHED_EXIT_MORE)
{
	unsigned long flags;

	if (!READ_ONCE(mk_traced_count))
		return;
	raw_spin_lock_irqsave(&mk_traced_lock, flags);
	mk_forget(task->pid, true);
	if (!atomic_read(&task->signal->live))
		mk_forget(task->tgid, false);
	raw_spin_unlock_irqrestore(&mk_traced_lock, flags);
}

static struct sched_probe mk_probes[] = SCHED_PROBES(mk);
SCHED_PROBES_CHECK(mk);
static DEFINE_MUTEX(mk_probes_mutex);

/* mk_probes_mutex is held. */
static int mk_probes_on(void)
{
	int err;

	if (mk_probes[0].tracepoint)
		return 0;
	err = sched_probes_on(mk_probes);
	if (!err)
		on_each_cpu(mk_source_refresh, NULL, 1); /* each says who runs there now */
	return err;
}

static void mk_probes_idle(struct work_struct *work)
{
	mutex_lock(&mk_probes_mutex);
	if (!READ_ONCE(mk_traced_count)) {
		sched_probes_off(mk_probes);
		on_each_cpu(mk_source_refresh, NULL, 1); /* nobody is traced: 0 */
	}
	mutex_unlock(&mk_probes_mutex);
}

/* --- for the rest of the driver --- */

static int mk_source_insert(struct mk_traced *t)
{
	const bool made = !(t->flags & MK_TRACE_SOURCE);
	int err = 0;

	raw_spin_lock_irq(&mk_traced_lock);
	if (made && mk_taken(t->source, t->process))
		err = -EBUSY;
	else
		mk_enter(t);
	raw_spin_unlock_irq(&mk_traced_lock);
	return err;
}

int mk_source_trace(struct mk_trace *trace)
{
	bool thread = trace->flags & MK_TRACE_THREAD;
	struct mk_traced *t;
	int err;

	if (trace->flags & ~(MK_TRACE_SOURCE | MK_TRACE_THREAD | MK_TRACE_CHILDREN) ||
	    (thread && trace->flags & MK_TRACE_CHILDREN))
		return -EINVAL;
	/* A named source can be another's. */
	if (trace->flags & MK_TRACE_SOURCE && !perfmon_capable())
		return -EPERM;
	t = kzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);
	if (!t)
		return -ENOMEM;
	t->thread = thread;
	t->number = thread ? current->pid : current->tgid;
	t->process = current->tgid;
	t->flags = trace->flags;
	t->source = trace->flags & MK_TRACE_SOURCE ? trace->source : mk_source_made(t->number);
	trace->source = t->source;
	/* With the mutex, so that nobody takes the probes away before the table has its entry. */
	mutex_lock(&mk_probes_mutex);
	err = mk_probes_on();
	if (!err)
		err = mk_source_insert(t);
	if (err && !READ_ONCE(mk_traced_count))
		mod_delayed_work(system_percpu_wq, &mk_idle, MK_LINGER);
	mutex_unlock(&mk_probes_mutex);
	if (err) {
		kfree(t);
		return err;
	}
	mk_source_update();
	return 0;
}

int mk_source_untrace(u32 flags)
{
	bool thread = flags & MK_TRACE_THREAD;
	pid_t number = thread ? current->pid : current->tgid;
	bool was;

	if (flags & ~MK_TRACE_THREAD)
		return -EINVAL;
	raw_spin_lock_irq(&mk_traced_lock);
	was = mk_find(number, thread);
	mk_forget(number, thread);
	raw_spin_unlock_irq(&mk_traced_lock);
	if (!was)
		return -ESRCH;
	mk_source_update();
	return 0;
}

void mk_source_restore(struct mk_card *card)
{
	on_each_cpu(mk_source_refresh, card, 1);
}

void mk_source_add(struct mk_card *card)
{
	mutex_lock(&mk_cards_mutex);
	list_add_tail_rcu(&card->list, &mk_cards);
	mutex_unlock(&mk_cards_mutex);
	mk_source_restore(card);
}

/* No processor writes to the card after this. */
void mk_source_remove(struct mk_card *card)
{
	u32 line;

	mutex_lock(&mk_cards_mutex);
	list_del_rcu(&card->list);
	mutex_unlock(&mk_cards_mutex);
	synchronize_rcu();
	for (line = 0; line < MKR_SOURCES; line++)
		mk_put(card, MKR_SOURCE(line), 0);
}

u32 mk_source_cards(void)
{
	struct list_head *at;
	u32 n = 0;

	mutex_lock(&mk_cards_mutex);
	list_for_each(at, &mk_cards)
		n++;
	mutex_unlock(&mk_cards_mutex);
	return n;
}

u32 mk_source_node(void)
{
	return node;
}

unsigned int mk_source_traced(void)
{
	return READ_ONCE(mk_traced_count);
}

bool mk_source_probes(void)
{
	return READ_ONCE(mk_probes[0].tracepoint);
}

/* After the last card is gone: no file is open any more. */
void mk_source_exit(void)
{
	struct mk_traced *t;
	struct hlist_node *next;
	int i;

	mutex_lock(&mk_probes_mutex);
	sched_probes_off(mk_probes);
	mutex_unlock(&mk_probes_mutex);
	cancel_delayed_work_sync(&mk_idle); /* after the probes, which can start it */
	hash_for_each_safe(mk_traced, i, next, t, link) {
		hash_del(&t->link);
		kfree(t);
	}
}
