// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: a session that outlives its descriptor (P2_KEEP), so that setting the registers,
 * running a program and reading the counters are three commands: "reset the counters, run the
 * program, and acquire the counters" (p. 8). It is left when its descriptor is closed, and the next
 * that asks for it takes it (P2_IOC_TAKE).
 *
 * Only sessions of the machine and of the marked may be left, of which there is one at a time: so
 * there is one place for it.
 */
#include <linux/capability.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "power2.h"

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

void p2_session_release(struct p2_session *s)
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

int p2_session_take(struct p2_session *mine, struct p2_open *o)
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
