// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: the probes on the scheduler's tracepoints. They are there while somebody is counted or
 * marked, and for P2_LINGER after the last: their coming and going interrupts all processors, and
 * stops the machine on POWER, which nobody is to do as often as he likes.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/workqueue.h>

#include "power2.h"
#include "../../linux/sched_probe.h"

#define P2_LINGER HZ

static bool p2_logs(const struct p2_area *area, u32 flag)
{
	return area && area->ring.room && area->session->open.flags & flag;
}

static void p2_on_switch(void *data, bool preempt, struct task_struct *prev,
			 struct task_struct *next, unsigned int prev_state)
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
	if (child->tgid == parent->tgid)
		return;
	p2_note(P2_RECORD_FORK, parent, child->tgid);
	p2_task_forked(parent, child);
}

static void p2_on_exec(void *data, struct task_struct *task, pid_t old_number,
		       struct linux_binprm *binary)
{
	p2_note(P2_RECORD_EXEC, task, 0);
	p2_task_execed(task);
	p2_refresh_here(); /* on POWER also because it has a new saved MSR */
}

/* What a process does when it exits is its own up to here. */
static void p2_on_exit(void *data, struct task_struct *task SCHED_EXIT_MORE)
{
	p2_note(P2_RECORD_EXIT, task, 0);
	if (atomic_read(&task->signal->live))
		return;
	p2_task_exited(task);
	p2_refresh_here();
}

static struct sched_probe p2_probes[] = SCHED_PROBES(p2);
SCHED_PROBES_CHECK(p2);
static unsigned int p2_probes_users;

static void p2_probes_idle(struct work_struct *work)
{
	mutex_lock(&p2_mutex);
	if (!p2_probes_users && p2_probes[0].tracepoint) {
		sched_probes_off(p2_probes);
		p2_refresh_all(); /* nobody runs marked */
		p2_unmark();
	}
	mutex_unlock(&p2_mutex);
}
static DECLARE_DELAYED_WORK(p2_idle, p2_probes_idle);

int p2_probes_get(void)
{
	int err = 0;

	lockdep_assert_held(&p2_mutex);
	if (!p2_probes[0].tracepoint) {
		err = sched_probes_on(p2_probes);
		if (!err)
			p2_refresh_all(); /* each says who runs there now */
	}
	if (!err)
		p2_probes_users++;
	return err;
}

void p2_probes_put(void)
{
	lockdep_assert_held(&p2_mutex);
	if (!--p2_probes_users)
		mod_delayed_work(system_percpu_wq, &p2_idle, P2_LINGER);
}

bool p2_probes_on(void)
{
	return READ_ONCE(p2_probes[0].tracepoint);
}

/* No session is left. */
void p2_probes_exit(void)
{
	mod_delayed_work(system_percpu_wq, &p2_idle, 0);
	flush_delayed_work(&p2_idle);
}
