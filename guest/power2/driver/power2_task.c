// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: which processes are counted and marked, and the probes on the scheduler's tracepoints that follow them.
 *
 * A hash table by process number holds an entry for each process of each session. A probe looks the next thread's process up when
 * the scheduler switches. Probes on fork, exec and exit add and remove entries.
 *
 * The mark on POWER is MSR(PM). In problem state it is the thread's saved MSR, which the kernel loads when it
 * returns to the program, so the probe sets it there. In the kernel it is the processor's MSR, which the scheduler does not switch: the
 * probe does. A thread that waits in a system call had its mark kept ("not altered by the execution of a supervisor
 * call"), so the kernel goes on marked on its behalf; one that an interrupt stopped had it cleared, until it returns to
 * the program. fork copies the saved MSR, exec makes a new one.
 * The mark on x86 is the register MARK, which the probe writes if it changes.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/stop_machine.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#ifdef CONFIG_PPC64
#include <asm/hw_irq.h>
#include <asm/irq_regs.h>
#include <asm/ptrace.h>
#include <asm/reg.h>
#endif

#include "power2.h"

struct p2_task {
	struct hlist_node link;
	struct rcu_head rcu;
	struct p2_session *session;
	pid_t tgid;
	bool mark;   /* and not: private counters */
	bool active; /* counts, or is marked: not before exec, or outside a segment */
	bool exec;   /* gets active at the next exec */
	bool children;
};

static DEFINE_HASHTABLE(p2_tasks, 8); /* by number; read under RCU */
static unsigned int p2_tasks_count;
static bool p2_marks; /* some thread was marked since the probes are there */
static DEFINE_RAW_SPINLOCK(p2_tasks_lock); /* raw: taken in probes, where preemption is off */

/* Entries of a process; under RCU or the lock. */
#define p2_each(t, number)                                                                                                     \
	hash_for_each_possible_rcu(p2_tasks, t, link, number, lockdep_is_held(&p2_tasks_lock))                                 \
		if ((t)->tgid == (number))

struct p2_who p2_look(struct task_struct *task)
{
	struct p2_who who = {};
	struct p2_task *t;

	if (!READ_ONCE(p2_tasks_count) || task->flags & PF_KTHREAD)
		return who;
	p2_each(t, task->tgid) {
		if (!READ_ONCE(t->active))
			continue;
		if (t->mark)
			who.mark = true;
		else
			who.session = t->session;
	}
	return who;
}

unsigned int p2_task_count(void)
{
	return READ_ONCE(p2_tasks_count);
}

bool p2_task_in(struct p2_session *s, pid_t tgid)
{
	struct p2_task *t;
	bool in = false;

	rcu_read_lock();
	p2_each(t, tgid)
		in |= t->session == s;
	rcu_read_unlock();
	return in;
}

/* --- the mark; interrupts are off. What it is now --- */

#ifdef CONFIG_PPC64
bool p2_mark_task(struct p2_cpu *c, struct task_struct *task, bool mark)
{
	struct pt_regs *regs = task->thread.regs; /* saved at its entry into the kernel; NULL: a thread of the kernel */
	struct pt_regs *interrupt = get_irq_regs();
	bool kernel = false;

	if (regs) {
		const unsigned long pm = mark ? MSR_PMM : 0;

		if ((regs->msr & MSR_PMM) != pm) {
			regs->msr = (regs->msr & ~MSR_PMM) | pm;
			if (task == current)
				set_return_regs_changed();
		}
		kernel = mark && (trap_is_syscall(regs));
	}
	/* An interrupt stopped the kernel, which is to go on so; the interrupt itself is not marked. */
	if (interrupt && interrupt != regs && task == current) {
		interrupt->msr = (interrupt->msr & ~MSR_PMM) | (kernel ? MSR_PMM : 0);
		set_return_regs_changed();
		kernel = false;
	} else if (interrupt && task == current) {
		kernel = false;
	}
	if (!(mfmsr() & MSR_PMM) != !kernel) {
		/* An interrupt between the two would come back with EE as it was. */
		hard_irq_disable();
		mtmsr((mfmsr() & ~MSR_PMM) | (kernel ? MSR_PMM : 0));
	}
	return mark;
}
#else
bool p2_mark_task(struct p2_cpu *c, struct task_struct *task, bool mark)
{
	p2_put(P2R_MARK, mark ? P2_MARK_PM : 0);
	return mark;
}
#endif

/* --- the table; its lock is held --- */

static void p2_drop(struct p2_task *t)
{
	struct p2_session *s = t->session;

	hash_del_rcu(&t->link);
	WRITE_ONCE(p2_tasks_count, p2_tasks_count - 1);
	s->processes--;
	kfree_rcu(t, rcu);
}

static void p2_add(struct p2_task *t)
{
	hash_add_rcu(p2_tasks, &t->link, t->tgid);
	p2_marks |= t->mark;
	WRITE_ONCE(p2_tasks_count, p2_tasks_count + 1);
	t->session->processes++;
}

static struct p2_task *p2_find(struct p2_session *s, pid_t tgid, bool mark)
{
	struct p2_task *t;

	p2_each(t, tgid)
		if (t->session == s && t->mark == mark)
			return t;
	return NULL;
}

/* Private counters of another session. */
static bool p2_taken(struct p2_session *s, pid_t tgid)
{
	struct p2_task *t;

	p2_each(t, tgid)
		if (t->session != s && !t->mark)
			return true;
	return false;
}

/* --- probes --- */

static bool p2_logs(const struct p2_area *area, u32 flag)
{
	return area && area->ring.room && area->session->open.flags & flag;
}

static void p2_on_switch(void *data, bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int prev_state)
{
	struct p2_cpu *c = this_cpu_ptr(&p2_cpus);

	if (p2_logs(c->area, P2_LOG_SWITCH)) {
		p2_cpu_settle(c->area);
		p2_log(c->area, P2_RECORD_SWITCH, prev, 0, 0, 0);
	}
	p2_cpu_run(next);
}

/* A record of the processor's log, if it logs switches: of forks, execs and exits. */
static void p2_note(u32 type, struct task_struct *task, u64 a)
{
	struct p2_cpu *c;
	unsigned long flags;

	local_irq_save(flags);
	c = this_cpu_ptr(&p2_cpus);
	if (c->works && p2_logs(c->area, P2_LOG_SWITCH)) {
		p2_cpu_settle(c->area);
		p2_log(c->area, type, task, 0, a, 0);
	}
	local_irq_restore(flags);
}

static void p2_on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct p2_task *t, *mine;
	unsigned long flags;

	if (child->tgid == parent->tgid)
		return;
	p2_note(P2_RECORD_FORK, parent, child->tgid);
	if (!READ_ONCE(p2_tasks_count))
		return;
	raw_spin_lock_irqsave(&p2_tasks_lock, flags);
	p2_each(t, parent->tgid) {
		if (!t->children)
			continue;
		mine = kmemdup(t, sizeof(*t), GFP_ATOMIC | __GFP_ACCOUNT | __GFP_NOWARN);
		if (!mine) {
			pr_warn_ratelimited("no memory to count process %d\n", child->tgid);
			continue;
		}
		mine->tgid = child->tgid;
		p2_add(mine);
	}
	raw_spin_unlock_irqrestore(&p2_tasks_lock, flags);
}

static void p2_on_exec(void *data, struct task_struct *task, pid_t old_number, struct linux_binprm *binary)
{
	struct p2_task *t;

	p2_note(P2_RECORD_EXEC, task, 0);
	if (!READ_ONCE(p2_tasks_count))
		return;
	rcu_read_lock();
	p2_each(t, task->tgid)
		if (t->exec) {
			t->exec = false;
			WRITE_ONCE(t->active, true);
		}
	rcu_read_unlock();
	p2_refresh_here(); /* on POWER also because it has a new saved MSR */
}

/* What a process does when it exits is its own up to here. */
static void p2_on_exit(void *data, struct task_struct *task)
{
	struct p2_task *t;
	struct hlist_node *next;
	unsigned long flags;

	p2_note(P2_RECORD_EXIT, task, 0);
	if (!READ_ONCE(p2_tasks_count) || atomic_read(&task->signal->live))
		return;
	raw_spin_lock_irqsave(&p2_tasks_lock, flags);
	hlist_for_each_entry_safe(t, next, &p2_tasks[hash_min(task->tgid, HASH_BITS(p2_tasks))], link)
		if (t->tgid == task->tgid) {
			struct p2_session *s = t->session;

			p2_drop(t);
			if (!s->processes)
				irq_work_queue(&s->wake);
		}
	raw_spin_unlock_irqrestore(&p2_tasks_lock, flags);
	p2_refresh_here();
}

static struct p2_probe {
	const char *name;
	void *function;
	struct tracepoint *tracepoint; /* once it is registered */
} p2_probes[] = {
	{ "sched_switch", p2_on_switch },
	{ "sched_process_fork", p2_on_fork },
	{ "sched_process_exec", p2_on_exec },
	{ "sched_process_exit", p2_on_exit },
};
static unsigned int p2_probes_users;

/* Not called: the compiler compares the probes with what this kernel's tracepoints pass. */
static inline void __maybe_unused p2_check_probes(void)
{
	check_trace_callback_type_sched_switch(p2_on_switch);
	check_trace_callback_type_sched_process_fork(p2_on_fork);
	check_trace_callback_type_sched_process_exec(p2_on_exec);
	check_trace_callback_type_sched_process_exit(p2_on_exit);
}

/* Not every kernel exports each of them by name, but all let modules look at the list. */
static void p2_match(struct tracepoint *tracepoint, void *found)
{
	struct tracepoint **at = found;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(p2_probes); i++)
		if (!strcmp(tracepoint->name, p2_probes[i].name))
			at[i] = tracepoint;
}

#ifdef CONFIG_PPC64
/* All other processors wait meanwhile, and no thread but those of the stop itself runs. */
static int p2_unmark_all(void *unused)
{
	struct task_struct *process, *thread;

	for_each_process_thread(process, thread)
		if (thread->thread.regs)
			thread->thread.regs->msr &= ~MSR_PMM;
	return 0;
}

/* With no probe left nobody would take the mark from a thread that sleeps. */
static void p2_unmark(void)
{
	stop_machine(p2_unmark_all, NULL, NULL);
}
#else
static void p2_unmark(void)
{
}
#endif

static void p2_probes_off(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(p2_probes); i++) {
		struct p2_probe *p = &p2_probes[i];

		if (p->tracepoint)
			tracepoint_probe_unregister(p->tracepoint, p->function, NULL);
		p->tracepoint = NULL;
	}
	tracepoint_synchronize_unregister();
}

int p2_probes_get(void)
{
	struct tracepoint *found[ARRAY_SIZE(p2_probes)] = {};
	int err = 0;
	size_t i;

	lockdep_assert_held(&p2_mutex);
	if (p2_probes_users++)
		return 0;
	for_each_kernel_tracepoint(p2_match, found);
	for (i = 0; !err && i < ARRAY_SIZE(p2_probes); i++) {
		err = found[i] ? tracepoint_probe_register(found[i], p2_probes[i].function, NULL) : -EOPNOTSUPP;
		if (!err)
			p2_probes[i].tracepoint = found[i];
		else
			pr_err("tracepoint %s: error %d\n", p2_probes[i].name, err);
	}
	if (err) {
		p2_probes_off();
		p2_probes_users = 0;
	}
	return err;
}

void p2_probes_put(void)
{
	lockdep_assert_held(&p2_mutex);
	if (--p2_probes_users)
		return;
	p2_probes_off();
	p2_refresh(); /* nobody runs marked */
	if (p2_marks)
		p2_unmark();
	p2_marks = false;
}

bool p2_probes_on(void)
{
	return READ_ONCE(p2_probes_users);
}

/* --- for the rest of the driver --- */

/* One's own: the process itself, and what the same user runs with the same rights. */
static bool p2_own(struct task_struct *task)
{
	const struct cred *mine = current_cred(), *his = get_task_cred(task);
	const bool own = task->tgid == current->tgid ||
			 (uid_eq(mine->uid, his->euid) && uid_eq(mine->uid, his->suid) && uid_eq(mine->uid, his->uid) &&
			  gid_eq(mine->gid, his->egid) && gid_eq(mine->gid, his->sgid) && gid_eq(mine->gid, his->gid) &&
			  cap_issubset(his->cap_permitted, mine->cap_permitted));

	put_cred(his);
	return own;
}

struct p2_list {
	pid_t *tgid;
	unsigned int count, room;
};

/* RCU. */
static int p2_list_add(struct p2_list *list, struct task_struct *task)
{
	unsigned int i;

	if (task->flags & PF_KTHREAD)
		return -EINVAL;
	if (!perfmon_capable() && !p2_own(task))
		return -EPERM;
	for (i = 0; i < list->count; i++)
		if (list->tgid[i] == task->tgid)
			return 0;
	if (list->count == list->room)
		return -EAGAIN;
	list->tgid[list->count++] = task->tgid;
	return 0;
}

/* The processes that a call names, as the caller numbers them. */
static int p2_list_fill(struct p2_list *list, s32 number, bool group)
{
	struct pid *pid = number ? find_vpid(number) : group ? task_pgrp(current) : task_tgid(current);
	struct task_struct *task;
	int err = -ESRCH;

	if (!pid)
		return -ESRCH;
	if (!group) {
		task = pid_task(pid, PIDTYPE_TGID);
		return task ? p2_list_add(list, task) : -ESRCH;
	}
	do_each_pid_task(pid, PIDTYPE_PGID, task) {
		err = p2_list_add(list, task);
		if (err)
			return err;
	} while_each_pid_task(pid, PIDTYPE_PGID, task);
	return err;
}

static int p2_list_make(struct p2_list *list, s32 number, bool group)
{
	int err = -EAGAIN;

	for (list->room = 16; err == -EAGAIN; list->room *= 4) {
		list->count = 0;
		list->tgid = kmalloc_array(list->room, sizeof(*list->tgid), GFP_KERNEL);
		if (!list->tgid)
			return -ENOMEM;
		rcu_read_lock();
		err = p2_list_fill(list, number, group);
		rcu_read_unlock();
		if (err)
			kfree(list->tgid);
	}
	return err;
}

static struct p2_task *p2_task_make(struct p2_session *s, pid_t tgid, u32 flags, bool mark, bool active)
{
	struct p2_task *t = kzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);

	if (!t)
		return NULL;
	t->session = s;
	t->tgid = tgid;
	t->mark = mark;
	t->active = active && !(flags & P2_ON_EXEC);
	t->exec = flags & P2_ON_EXEC;
	t->children = flags & P2_CHILDREN;
	return t;
}

static int p2_task_enter_one(struct p2_session *s, pid_t tgid, u32 flags, bool mark, bool active)
{
	struct p2_task *t = p2_task_make(s, tgid, flags, mark, active), *old;
	struct task_struct *task;
	int err = -ESRCH;

	if (!t)
		return -ENOMEM;
	rcu_read_lock();
	raw_spin_lock_irq(&p2_tasks_lock);
	/* Who has passed the probe on exit would never leave. */
	task = pid_task(find_pid_ns(tgid, &init_pid_ns), PIDTYPE_TGID);
	if (task && atomic_read(&task->signal->live))
		err = !mark && p2_taken(s, tgid) ? -EBUSY : 0;
	if (!err) {
		old = p2_find(s, tgid, mark);
		if (old)
			p2_drop(old);
		p2_add(t);
	}
	raw_spin_unlock_irq(&p2_tasks_lock);
	rcu_read_unlock();
	if (err)
		kfree(t);
	return err;
}

int p2_task_enter(struct p2_session *s, s32 pid, u32 flags, bool mark, bool active)
{
	struct p2_list list;
	unsigned int i;
	int err = p2_list_make(&list, pid, flags & P2_GROUP);

	if (err)
		return err;
	for (i = 0; !err && i < list.count; i++) {
		err = p2_task_enter_one(s, list.tgid[i], flags, mark, active);
		if (err == -ESRCH && flags & P2_GROUP) /* it has just gone */
			err = 0;
	}
	kfree(list.tgid);
	return err;
}

void p2_task_leave(struct p2_session *s, s32 pid, u32 flags, int *err)
{
	struct p2_list list;
	struct p2_task *t;
	unsigned int i;

	*err = p2_list_make(&list, pid, flags & P2_GROUP);
	if (*err)
		return;
	*err = -ESRCH;
	for (i = 0; i < list.count; i++) {
		raw_spin_lock_irq(&p2_tasks_lock);
		t = p2_find(s, list.tgid[i], true);
		if (t) {
			p2_drop(t);
			*err = 0;
		}
		raw_spin_unlock_irq(&p2_tasks_lock);
	}
	kfree(list.tgid);
}

void p2_task_forget(struct p2_session *s)
{
	struct p2_task *t;
	struct hlist_node *next;
	int i;

	raw_spin_lock_irq(&p2_tasks_lock);
	hash_for_each_safe(p2_tasks, i, next, t, link)
		if (t->session == s)
			p2_drop(t);
	raw_spin_unlock_irq(&p2_tasks_lock);
}

bool p2_task_switch(struct p2_session *s, struct task_struct *task, bool active)
{
	struct p2_task *t;
	bool in = false;

	rcu_read_lock();
	p2_each(t, task->tgid)
		if (t->session == s) {
			WRITE_ONCE(t->active, active);
			in = true;
		}
	rcu_read_unlock();
	return in;
}

/* Nobody is inside a segment yet. */
void p2_task_segmented(struct p2_session *s)
{
	struct p2_task *t;
	int i;

	raw_spin_lock_irq(&p2_tasks_lock);
	hash_for_each(p2_tasks, i, t, link)
		if (t->session == s) {
			t->exec = false;
			WRITE_ONCE(t->active, false);
		}
	raw_spin_unlock_irq(&p2_tasks_lock);
}
