// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: who holds the counters. The monitor "is a serially reusable resource" (p. 7): one
 * session of the machine, or private ones of different processes, or the kernel's perf subsystem.
 * Nobody holds them when there is no card. And whose memory it takes.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>

#include "power2.h"

struct p2_info p2_card;
void __iomem *p2_regs;
static bool p2_present;

DEFINE_PER_CPU(struct p2_cpu, p2_cpus);
DEFINE_MUTEX(p2_mutex);
struct p2_session *p2_everybody;
unsigned int p2_sessions, p2_perf_events;
/* p2_sessions, p2_perf_events; perf comes with locks of its own, and may not wait for p2_mutex. */
static DEFINE_SPINLOCK(p2_hold_lock);

bool p2_there(void)
{
	return READ_ONCE(p2_present);
}

void p2_set_there(bool there)
{
	WRITE_ONCE(p2_present, there);
}

int p2_hold_perf(bool child)
{
	int err = 0;

	spin_lock(&p2_hold_lock);
	if (!child && !p2_there())
		err = -ENODEV;
	else if (!child && p2_sessions)
		err = -EBUSY;
	else
		p2_perf_events++;
	spin_unlock(&p2_hold_lock);
	return err;
}

void p2_release_perf(void)
{
	spin_lock(&p2_hold_lock);
	p2_perf_events--;
	spin_unlock(&p2_hold_lock);
}

int p2_hold(bool alone)
{
	int err = 0;

	spin_lock(&p2_hold_lock);
	if (p2_perf_events || p2_everybody || (alone && p2_sessions))
		err = -EBUSY;
	else
		p2_sessions++;
	spin_unlock(&p2_hold_lock);
	return err;
}

void p2_release(void)
{
	spin_lock(&p2_hold_lock);
	p2_sessions--;
	spin_unlock(&p2_hold_lock);
}

/* --- memory: of the user, as io_uring's and XDP's buffers are --- */

int p2_charge(struct p2_session *s, u64 bytes)
{
	const unsigned long pages = DIV_ROUND_UP_ULL(bytes, PAGE_SIZE);
	const unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	struct user_struct *user;

	if (!s->payer)
		s->payer = get_current_cred();
	user = s->payer->user;
	if ((unsigned long)atomic_long_add_return(pages, &user->locked_vm) > limit &&
	    !capable(CAP_IPC_LOCK)) {
		atomic_long_sub(pages, &user->locked_vm);
		return -ENOMEM;
	}
	s->charged += pages;
	return 0;
}

void p2_uncharge(struct p2_session *s)
{
	if (!s->payer)
		return;
	atomic_long_sub(s->charged, &s->payer->user->locked_vm);
	put_cred(s->payer);
	s->payer = NULL;
	s->charged = 0;
}
