// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sni.ko: notifications. A signal tells a program of packets to what it exports with an interrupt.
 *
 * The interrupt names one page, that of the last packet, and one interrupt can be for many packets.
 * So the board counts them for each page (IPC). At an interrupt the driver looks at the counts of
 * all pages whose packets somebody wants to hear of. What has come since its last look waits with
 * the page until the program takes it. The signal only says that something waits.
 *
 * An open file is armed by one process: for its own exports by that file, and for nobody else's.
 * The process is known by its memory, so another program that it executes hears nothing of them,
 * though a process with the same memory (CLONE_VM) goes on. Nor is anybody sent a signal whom the
 * one who armed the file could not have sent one: whoever gains rights arms it anew.
 */
#include <linux/cred.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "sni_driver.h"

#define SNI_NOTICES 1024 /* each interrupt can look at all of them */

/* --- under sni->lock --- */

static bool sni_arms(const struct sni_file *f, const struct mm_struct *mm, fl_owner_t files)
{
	return f->armed.mm && f->armed.mm == mm && f->armed.files == files;
}

/* As sigio_perm() has it for who asked for SIGIO. */
static bool sni_may_signal(const struct cred *by, const struct cred *to)
{
	return uid_eq(by->euid, GLOBAL_ROOT_UID) || uid_eq(by->euid, to->suid) ||
	       uid_eq(by->euid, to->uid) || uid_eq(by->uid, to->suid) || uid_eq(by->uid, to->uid);
}

/* exec gives a process its new memory before it gives it rights. */
static bool sni_hears(const struct sni_armed *a)
{
	struct task_struct *leader, *t;
	bool hears = false;

	rcu_read_lock();
	leader = pid_task(a->pid, PIDTYPE_TGID);
	if (leader && sni_may_signal(a->cred, __task_cred(leader)))
		for_each_thread(leader, t) {
			const struct mm_struct *mm = READ_ONCE(t->mm);

			if (!mm) /* it has ended before the others */
				continue;
			hears = mm == a->mm;
			break;
		}
	rcu_read_unlock();
	return hears;
}

static void sni_signal(struct sni_file *f)
{
	if (f->armed.signal && sni_hears(&f->armed))
		kill_pid(f->armed.pid, f->armed.signal, 1);
}

static struct sni_armed sni_disarm(struct sni_file *f)
{
	const struct sni_armed was = f->armed;

	memset(&f->armed, 0, sizeof(f->armed));
	return was;
}

static u32 sni_count(struct sni *s, struct sni_page *p)
{
	const u32 now = sni_get(s, SNI_IPC(sni_frame(p)));
	const u32 fresh = now - p->notice.counted;

	if (now == ~0u)
		return 0; /* the board has gone */
	p->notice.counted = now;
	return fresh;
}

void sni_look(struct sni *s)
{
	struct sni_page *p;

	list_for_each_entry(p, &s->notices, notice.list) {
		struct sni_file *f = p->exporter.file->private_data;
		u32 fresh;

		if (!sni_arms(f, p->exporter.mm, p->exporter.files))
			continue;
		fresh = sni_count(s, p);
		p->notice.waiting += fresh;
		if (fresh)
			sni_signal(f);
	}
}

void sni_look_anew(struct sni *s)
{
	struct sni_page *p;

	list_for_each_entry(p, &s->notices, notice.list)
		sni_count(s, p);
}

/* A page of the caller's by this file that something waits for. */
static struct sni_page *sni_waiting(struct sni *s, struct sni_file *f)
{
	struct sni_page *p;

	if (!sni_arms(f, current->mm, current->files))
		return NULL;
	list_for_each_entry(p, &s->notices, notice.list)
		if (p->exporter.file->private_data == f && p->notice.waiting &&
		    sni_arms(f, p->exporter.mm, p->exporter.files))
			return p;
	return NULL;
}

/* Nothing that came before counts. */
static void sni_forget(struct sni *s, struct sni_file *f)
{
	struct sni_page *p;

	list_for_each_entry(p, &s->notices, notice.list)
		if (p->exporter.file->private_data == f) {
			sni_count(s, p);
			p->notice.waiting = 0;
		}
}

/* --- without it: this can sleep --- */

static void sni_drop(struct sni_armed *was)
{
	if (was->mm)
		mmdrop(was->mm);
	put_pid(was->pid);
	put_cred(was->cred);
}

/* --- exports: entries_mutex is held --- */

bool sni_notice_room(struct sni *s)
{
	return s->notice_count < SNI_NOTICES;
}

/* The exporter is known. */
void sni_notice_begin(struct sni *s, struct sni_page *p, u64 addr)
{
	spin_lock_irq(&s->lock);
	p->notice.addr = addr & PAGE_MASK;
	p->notice.waiting = 0;
	sni_count(s, p);
	list_add_tail(&p->notice.list, &s->notices);
	s->notice_count++;
	spin_unlock_irq(&s->lock);
}

void sni_notice_end(struct sni *s, struct sni_page *p)
{
	spin_lock_irq(&s->lock);
	list_del(&p->notice.list);
	s->notice_count--;
	spin_unlock_irq(&s->lock);
}

/* --- what programs ask for --- */

int sni_notify(struct sni_file *f, const struct sni_notify *n)
{
	struct sni *s = f->sni;
	struct sni_armed was = { NULL };
	int err = 0;

	if (n->mode > SNI_NOTIFY_BLOCKED || !valid_signal(n->signal) ||
	    !n->signal != (n->mode == SNI_NOTIFY_OFF) || !current->mm)
		return -EINVAL;
	spin_lock_irq(&s->lock);
	if (f->armed.mm && !sni_hears(&f->armed))
		was = sni_disarm(f);
	if (f->armed.mm && f->armed.files != current->files) {
		err = -EBUSY;
		goto out;
	}
	if (f->armed.mm && (n->mode == SNI_NOTIFY_OFF || f->armed.mm != current->mm))
		was = sni_disarm(f);
	if (n->mode == SNI_NOTIFY_OFF)
		goto out;
	if (!f->armed.mm) {
		mmgrab(current->mm);
		f->armed.mm = current->mm;
		f->armed.files = current->files;
		f->armed.pid = get_pid(task_tgid(current));
		f->armed.cred = get_current_cred();
		sni_forget(s, f);
	}
	f->armed.signal = n->mode == SNI_NOTIFY_ON ? n->signal : 0;
	if (sni_waiting(s, f))
		sni_signal(f);
out:
	spin_unlock_irq(&s->lock);
	sni_drop(&was);
	return err;
}

int sni_notified(struct sni_file *f, struct sni_notified *n)
{
	struct sni *s = f->sni;
	struct sni_page *p;

	spin_lock_irq(&s->lock);
	p = sni_waiting(s, f);
	if (p) {
		p->notice.waiting--;
		n->addr = p->notice.addr;
		n->pfn = sni_frame(p);
		list_move_tail(&p->notice.list, &s->notices); /* the pages take turns */
	}
	spin_unlock_irq(&s->lock);
	return p ? 0 : -EAGAIN;
}

void sni_notify_end(struct sni_file *f, fl_owner_t files)
{
	struct sni_armed was = { NULL };

	spin_lock_irq(&f->sni->lock);
	if (!files || f->armed.files == files)
		was = sni_disarm(f);
	spin_unlock_irq(&f->sni->lock);
	sni_drop(&was);
}
