// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: which processes are counted and marked. A hash table by process number holds an entry for each process of each session.
 * Probes (power2_probe.c) look the next thread's process up when the scheduler switches, and add and remove entries.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

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

void p2_task_forked(struct task_struct *parent, struct task_struct *child)
{
	struct p2_task *t, *mine;
	unsigned long flags;

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

void p2_task_execed(struct task_struct *task)
{
	struct p2_task *t;

	if (!READ_ONCE(p2_tasks_count))
		return;
	rcu_read_lock();
	p2_each(t, task->tgid)
		if (t->exec) {
			t->exec = false;
			WRITE_ONCE(t->active, true);
		}
	rcu_read_unlock();
}

void p2_task_exited(struct task_struct *task)
{
	struct p2_task *t;
	struct hlist_node *next;
	unsigned long flags;

	if (!READ_ONCE(p2_tasks_count))
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
