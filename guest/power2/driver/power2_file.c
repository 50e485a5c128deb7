// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: /dev/power2 (guest/power2/uapi.h). A descriptor is a session.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "power2.h"
#include "../../linux/ioctl_call.h"

/*
 * A session that outlives its descriptor (P2_KEEP), so that setting the registers,
 * running a program and reading the counters are three commands: "reset the counters, run the
 * program, and acquire the counters" (p. 8). It is left when its descriptor is closed, and the next
 * that asks for it takes it (P2_IOC_TAKE).
 *
 * Only sessions of the machine and of the marked may be left, of which there is one at a time: so
 * there is one place for it.
 */

static struct p2_session *p2_left; /* p2_mutex; it has no descriptor */

static bool p2_leave(struct p2_session *s)
{
	bool leave;

	mutex_lock(&p2_mutex);
	leave = s->opened && s->open.flags & P2_KEEP && p2_there();
	if (leave)
		p2_left = s;
	mutex_unlock(&p2_mutex);
	return leave;
}

static void p2_end(struct p2_session *s)
{
	p2_session_close(s);
	kfree(s);
}

static void p2_session_release(struct p2_session *s)
{
	if (s->taken && !p2_leave(s->taken))
		p2_end(s->taken);
	if (!p2_leave(s))
		p2_end(s);
}

/* It is nobody's then: with a descriptor, or left again. */
static struct p2_session *p2_take_left(u32 room)
{
	struct p2_session *s;

	mutex_lock(&p2_mutex);
	s = p2_left;
	if (!s)
		s = ERR_PTR(p2_everybody && p2_everybody->open.flags & P2_KEEP ? -EBUSY : -ENOENT);
	else if (s->open.sets > room)
		s = ERR_PTR(-ENOSPC);
	else
		p2_left = NULL;
	mutex_unlock(&p2_mutex);
	return s;
}

/* mine->own is held. */
static int p2_have(struct p2_session *mine, struct p2_session *s, struct p2_open *o)
{
	const u64 set = o->set;

	if (mine->opened || mine->taken)
		return -EBUSY;
	s->open.flags = (s->open.flags & ~P2_KEEP) | o->flags;
	*o = s->open;
	o->set = set;
	smp_store_release(&mine->taken, s);
	return 0;
}

static int p2_session_take(struct p2_session *mine, struct p2_open *o)
{
	struct p2_session *s;
	int err = 0;

	if (!perfmon_capable())
		return -EPERM;
	if (READ_ONCE(mine->opened) || READ_ONCE(mine->taken))
		return -EBUSY;
	if (o->flags & ~P2_KEEP)
		return -EINVAL;
	s = p2_take_left(o->sets);
	if (IS_ERR(s))
		return PTR_ERR(s);
	if (copy_to_user(u64_to_user_ptr(o->set), s->set, s->open.sets * sizeof(*s->set)))
		err = -EFAULT;
	mutex_lock(&mine->own);
	err = err ?: p2_have(mine, s, o);
	mutex_unlock(&mine->own);
	if (err) {
		mutex_lock(&p2_mutex);
		p2_left = s;
		mutex_unlock(&p2_mutex);
	}
	return err;
}

/* No descriptor is open, and none will be. */
void p2_keep_exit(void)
{
	if (p2_left)
		p2_end(p2_left);
	p2_left = NULL;
}

/* --- the device --- */

static int p2_file_open(struct inode *inode, struct file *file)
{
	struct p2_session *s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);

	if (!s)
		return -ENOMEM;
	INIT_LIST_HEAD(&s->segments);
	mutex_init(&s->own);
	spin_lock_init(&s->reader);
	init_waitqueue_head(&s->wait);
	init_irq_work(&s->wake, p2_log_woken);
	file->private_data = s;
	return stream_open(inode, file);
}

static int p2_file_release(struct inode *inode, struct file *file)
{
	p2_session_release(file->private_data);
	return 0;
}

union p2_argument {
	struct p2_info info;
	struct p2_open open;
	struct p2_read read;
	struct p2_mark mark;
	struct p2_hook hook;
	struct p2_segment segment;
	struct p2_rules rules;
	u32 number;
};

/* A user's hook: a record in the log of whoever counts the caller. */
static int p2_hook(const struct p2_hook *h)
{
	struct p2_cpu *c;
	unsigned long flags;

	if (h->id > 0xffff || h->reserved)
		return -EINVAL;
	local_irq_save(flags);
	c = this_cpu_ptr(&p2_cpus);
	if (c->works && c->area && c->area->session->open.flags & P2_LOG_HOOK &&
	    p2_rules_record(c->area->session, P2_RULE_HOOK, h->id, h->data, h->link)) {
		p2_cpu_settle(c->area);
		p2_log(c->area, P2_RECORD_HOOK, current, h->id, h->data[0], h->data[1]);
	}
	local_irq_restore(flags);
	return 0;
}

/* Of this processor. Until it is cleared, or the session ends. */
static int p2_spe(struct p2_session *s, u32 on)
{
	unsigned long flags;

	if (on > 1)
		return -EINVAL;
	if (!perfmon_capable()) /* it is the processor's, whoever runs there */
		return -EPERM;
	WRITE_ONCE(s->spe, true);
	local_irq_save(flags);
	if (this_cpu_ptr(&p2_cpus)->works)
		p2_put(P2R_SPE, on ? P2_SPE_SPE : 0);
	local_irq_restore(flags);
	return 0;
}

static bool p2_known(unsigned int command)
{
	switch (command) {
	case P2_IOC_INFO:
	case P2_IOC_OPEN:
	case P2_IOC_ENABLE:
	case P2_IOC_DISABLE:
	case P2_IOC_RESET:
	case P2_IOC_READ:
	case P2_IOC_MARK:
	case P2_IOC_HOOK:
	case P2_IOC_SEGMENT:
	case P2_IOC_SPE:
	case P2_IOC_TAKE:
	case P2_IOC_RULES:
		return true;
	default:
		return false;
	}
}

/* What the structure points to; NULL: nothing, or not as many as there may be. */
static void *p2_copy_rest(unsigned int command, const union p2_argument *a)
{
	if (command == P2_IOC_OPEN && a->open.sets && a->open.sets <= P2_MOST_SETS)
		return memdup_user(u64_to_user_ptr(a->open.set),
				   array_size(a->open.sets, sizeof(struct p2_set)));
	if (command == P2_IOC_RULES && a->rules.count && a->rules.count <= P2_MOST_RULES)
		return memdup_user(u64_to_user_ptr(a->rules.rule),
				   array_size(a->rules.count, sizeof(struct p2_rule)));
	return NULL;
}

/* p2_mutex is held. */
static int p2_do_locked(struct p2_session *s, unsigned int command, union p2_argument *a,
			void **rest)
{
	if (!p2_there())
		return -ENODEV;
	if (command == P2_IOC_MARK)
		return p2_session_mark(s, &a->mark);
	if (!s->opened)
		return -EINVAL;
	switch (command) {
	case P2_IOC_ENABLE:
	case P2_IOC_DISABLE:
		return p2_session_enable(s, command == P2_IOC_ENABLE);
	case P2_IOC_RESET:
		return p2_session_reset(s);
	case P2_IOC_READ:
		return p2_session_read(s, &a->read);
	default: /* P2_IOC_RULES */
		return p2_session_rules(s, &a->rules, (struct p2_rule **)rest);
	}
}

static int p2_do(struct p2_session *s, unsigned int command, union p2_argument *a)
{
	void *rest;
	int err;

	if (!p2_there())
		return -ENODEV;
	switch (command) {
	case P2_IOC_INFO:
		a->info = p2_card;
		return 0;
	case P2_IOC_HOOK:
		return p2_hook(&a->hook);
	case P2_IOC_SPE:
		return p2_spe(s, a->number);
	case P2_IOC_TAKE:
		return p2_session_take(s, &a->open);
	}
	rest = p2_copy_rest(command, a);
	if (IS_ERR(rest))
		return PTR_ERR(rest);
	mutex_lock(&s->own);
	if (command == P2_IOC_OPEN) {
		err = p2_session_open(s, &a->open, (struct p2_set **)&rest);
	} else if (command == P2_IOC_SEGMENT) {
		err = s->opened ? p2_session_segment(s, &a->segment) : -EINVAL;
	} else {
		mutex_lock(&p2_mutex);
		err = p2_do_locked(s, command, a, &rest);
		mutex_unlock(&p2_mutex);
	}
	mutex_unlock(&s->own);
	kfree(rest);
	return err;
}

static bool p2_changes(unsigned int command)
{
	return command != P2_IOC_INFO;
}

static int p2_call(struct file *file, unsigned int command, void *argument)
{
	return p2_do(p2_session_of(file), command, argument);
}

static const struct ioctl_calls p2_calls = {
	.magic = P2_IOC_MAGIC, .changes = p2_changes, .call = p2_call,
};

static long p2_ioctl(struct file *file, unsigned int command, unsigned long user)
{
	union p2_argument a;

	return p2_known(command) ? ioctl_call(&p2_calls, file, command, user, &a, sizeof(a)) :
				   -ENOTTY;
}

const struct file_operations p2_operations = {
	.owner = THIS_MODULE,
	.open = p2_file_open,
	.release = p2_file_release,
	.read = p2_log_read,
	.poll = p2_log_poll,
	.unlocked_ioctl = p2_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};
