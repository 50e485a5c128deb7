// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: which processes are counted and marked. A hash table by process number holds an entry
 * for each process of each session. Probes (power2_probe.c) look the next thread's process up when
 * the scheduler switches, and add and remove entries.
 *
 * Whose counts: who may read another's with ptrace() may count him, and a process that gains rights
 * by an exec leaves the sessions of those who have none, as perf has it. An entry stands in the
 * table before its process is judged, and counts only afterwards: so an exec in between is either
 * seen by who judges, or finds the entry.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "power2.h"
#include "../../linux/kernels.h"

struct p2_task {
	struct hlist_node link;
	struct rcu_head rcu;
	struct p2_session *session;
	pid_t tgid;
	bool mark;   /* and not: private counters */
	bool active; /* counts, or is marked: not before exec, or outside a segment */
	bool exec;   /* gets active at the next exec */
	bool children;
	bool privileged; /* who named it may count anybody */
	bool gone;	 /* not in the table any more */
};

static DEFINE_HASHTABLE(p2_tasks, 8); /* by number; read under RCU */
static unsigned int p2_tasks_count;
static DEFINE_RAW_SPINLOCK(p2_tasks_lock); /* raw: taken in probes, where preemption is off */

/* Entries of a process; under RCU or the lock. */
#define p2_each(t, number) \
	hash_for_each_possible_rcu(p2_tasks, t, link, number, lockdep_is_held(&p2_tasks_lock)) \
		if ((t)->tgid == (number))

/* The same under the lock, if entries are dropped meanwhile. */
#define p2_each_safe(t, next, number) \
	hlist_for_each_entry_safe(t, next, &p2_tasks[hash_min(number, HASH_BITS(p2_tasks))], link) \
		if ((t)->tgid == (number))

struct p2_who p2_look(struct task_struct *task, struct p2_session *everybody)
{
	struct p2_who who = {};
	struct p2_task *t;

	if (!READ_ONCE(p2_tasks_count) || task->flags & PF_KTHREAD)
		return who;
	p2_each(t, task->tgid) {
		if (!READ_ONCE(t->active))
			continue;
		who.mark |= t->mark;
		/* Whom others have marked is not in the counts of a user without rights. */
		if (!t->mark || t->session == everybody)
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

/* --- the table; its lock is held --- */

static void p2_drop(struct p2_task *t)
{
	struct p2_session *s = t->session;

	hash_del_rcu(&t->link);
	t->gone = true;
	WRITE_ONCE(p2_tasks_count, p2_tasks_count - 1);
	s->processes--;
	kfree_rcu(t, rcu);
}

static void p2_add(struct p2_task *t)
{
	hash_add_rcu(p2_tasks, &t->link, t->tgid);
	if (t->mark)
		p2_mark_used();
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

/* --- processes that fork, exec, exit: of the probes --- */

/* Memory is asked for before the lock: a raw one allows no other lock inside it. */
void p2_task_forked(struct task_struct *parent, struct task_struct *child)
{
	struct p2_task *t, *mine;
	unsigned long flags;
	bool gone;

	if (!READ_ONCE(p2_tasks_count))
		return;
	rcu_read_lock();
	p2_each(t, parent->tgid) {
		if (!t->children)
			continue;
		mine = kmalloc(sizeof(*mine), GFP_ATOMIC | __GFP_ACCOUNT | __GFP_NOWARN);
		if (!mine) {
			pr_warn_ratelimited("no memory to count process %d\n", child->tgid);
			continue;
		}
		raw_spin_lock_irqsave(&p2_tasks_lock, flags);
		gone = t->gone;
		*mine = *t;
		mine->tgid = child->tgid;
		if (!gone)
			p2_add(mine);
		raw_spin_unlock_irqrestore(&p2_tasks_lock, flags);
		if (gone)
			kfree(mine);
	}
	rcu_read_unlock();
}

/* The last one has gone: nothing more comes into the log. */
static void p2_drop_and_tell(struct p2_task *t)
{
	struct p2_session *s = t->session;

	p2_drop(t);
	if (!s->processes)
		irq_work_queue(&s->wake);
}

/*
 * As perf_event_exit_task() at an exec: what cannot be dumped has rights that who executes it has
 * not, or is nothing that he may read.
 */
void p2_task_execed(struct task_struct *task)
{
	const bool foreign = !current_dumpable();
	struct p2_task *t;
	struct hlist_node *next;
	unsigned long flags;

	/* the new rights stand before the table is looked at; pairs with p2_task_enter_one() */
	smp_mb();
	if (!READ_ONCE(p2_tasks_count))
		return;
	raw_spin_lock_irqsave(&p2_tasks_lock, flags);
	p2_each_safe(t, next, task->tgid) {
		if (foreign && !t->privileged) {
			p2_drop_and_tell(t);
		} else if (t->exec) {
			t->exec = false;
			WRITE_ONCE(t->active, true);
		}
	}
	raw_spin_unlock_irqrestore(&p2_tasks_lock, flags);
}

void p2_task_exited(struct task_struct *task)
{
	struct p2_task *t;
	struct hlist_node *next;
	unsigned long flags;

	if (!READ_ONCE(p2_tasks_count))
		return;
	raw_spin_lock_irqsave(&p2_tasks_lock, flags);
	p2_each_safe(t, next, task->tgid)
		p2_drop_and_tell(t);
	raw_spin_unlock_irqrestore(&p2_tasks_lock, flags);
}

/* --- for the rest of the driver --- */

/*
 * ptrace_may_access(task, PTRACE_MODE_READ_REALCREDS), which modules cannot call. What is missing
 * is the word of other security modules than the kernel's own: the device's group stands for it.
 */
static bool p2_may_look(struct task_struct *task)
{
	const struct cred *mine = current_cred(), *his;
	bool may;

	if (same_thread_group(task, current))
		return true;
	his = get_task_cred(task);
	may = (uid_eq(mine->uid, his->euid) && uid_eq(mine->uid, his->suid) &&
	       uid_eq(mine->uid, his->uid) && gid_eq(mine->gid, his->egid) &&
	       gid_eq(mine->gid, his->sgid) && gid_eq(mine->gid, his->gid) &&
	       mine->user_ns == his->user_ns &&
	       cap_issubset(his->cap_permitted, mine->cap_permitted)) ||
	      ns_capable(his->user_ns, CAP_SYS_PTRACE);
	put_cred(his);
	if (!may)
		return false;
	smp_rmb(); /* who changes his rights becomes undumpable first; pairs with commit_creds() */
	return task_open_to_ptrace(task);
}

static int p2_judge(struct task_struct *task)
{
	if (task->flags & PF_KTHREAD)
		return -EINVAL;
	return perfmon_capable() || p2_may_look(task) ? 0 : -EPERM;
}

/* The process that a call names, as the caller numbers it. It may be gone when it is used. */
static struct task_struct *p2_task_named(s32 number)
{
	struct task_struct *task;
	int err;

	rcu_read_lock();
	task = pid_task(number ? find_vpid(number) : task_tgid(current), PIDTYPE_TGID);
	err = task ? p2_judge(task) : -ESRCH;
	if (!err)
		get_task_struct(task);
	rcu_read_unlock();
	return err ? ERR_PTR(err) : task;
}

/* In the table, and not active: nothing of it is counted yet. */
static int p2_task_put(struct p2_task *t, struct task_struct *task)
{
	int err = 0;

	raw_spin_lock_irq(&p2_tasks_lock);
	/* Who has passed the probe on exit would never leave. */
	if (!atomic_read(&task->signal->live))
		err = -ESRCH;
	else if (!t->mark && p2_taken(t->session, t->tgid))
		err = -EBUSY;
	else
		p2_add(t);
	raw_spin_unlock_irq(&p2_tasks_lock);
	if (err)
		kfree(t);
	return err;
}

/* RCU: the entry may have been dropped since. */
static int p2_task_begin(struct p2_task *t, u32 flags, int err)
{
	struct p2_task *old;

	raw_spin_lock_irq(&p2_tasks_lock);
	if (t->gone) {
		err = err ?: -ESRCH;
	} else if (err) {
		p2_drop(t);
	} else {
		p2_each(old, t->tgid)
			if (old != t && old->session == t->session && old->mark == t->mark)
				p2_drop(old);
		t->exec = flags & P2_ON_EXEC;
		/* "each child inherits its MSR from its immediate parent" (p. 7) */
		t->children = t->mark ? !(flags & P2_ALONE) : flags & P2_CHILDREN;
		WRITE_ONCE(t->active, !t->exec);
	}
	raw_spin_unlock_irq(&p2_tasks_lock);
	return err;
}

static int p2_task_enter_one(struct p2_session *s, struct task_struct *task, u32 flags, bool mark)
{
	struct p2_task *t = kzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);
	int err;

	if (!t)
		return -ENOMEM;
	t->session = s;
	t->tgid = task->tgid;
	t->mark = mark;
	t->privileged = perfmon_capable();
	rcu_read_lock();
	err = p2_task_put(t, task);
	if (!err) {
		/* the entry stands before his rights are looked at; pairs with p2_task_execed() */
		smp_mb();
		err = p2_task_begin(t, flags, p2_judge(task));
	}
	rcu_read_unlock();
	return err;
}

int p2_task_enter(struct p2_session *s, s32 pid, u32 flags, bool mark)
{
	struct task_struct *task = p2_task_named(pid);
	int err;

	if (IS_ERR(task))
		return PTR_ERR(task);
	s->entered = true;
	err = p2_task_enter_one(s, task, flags, mark);
	put_task_struct(task);
	return err;
}

pid_t p2_task_end(struct p2_session *s, s32 pid)
{
	struct task_struct *task = p2_task_named(pid);
	struct p2_task *t;
	pid_t tgid;

	if (IS_ERR(task))
		return PTR_ERR(task);
	tgid = task->tgid;
	put_task_struct(task);
	raw_spin_lock_irq(&p2_tasks_lock);
	t = p2_find(s, tgid, true);
	if (t)
		WRITE_ONCE(t->active, false);
	raw_spin_unlock_irq(&p2_tasks_lock);
	return t ? tgid : -ESRCH;
}

void p2_task_drop(struct p2_session *s, pid_t tgid)
{
	struct p2_task *t;

	raw_spin_lock_irq(&p2_tasks_lock);
	t = p2_find(s, tgid, true); /* it may have exited meanwhile */
	if (t)
		p2_drop(t);
	raw_spin_unlock_irq(&p2_tasks_lock);
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

void p2_task_rest(struct p2_session *s)
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
