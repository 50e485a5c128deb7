// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: segments of code, "by placing a call to enable monitoring at the entry point and
 * placing a trap instruction at each possible exit point" (p. 7): both are uprobes here. With no
 * exits the entry's uprobe sees the function return, however it is left. Counting is on for the
 * process, not for a thread of it.
 *
 * A uprobe belongs to an inode. Who has one holds the mount as well: else the file system could be
 * unmounted under it. Which processes get a trap is told by a memory's owner, which kernels without
 * CONFIG_MEMCG do not know: there all who run the file would, so there are no segments.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/path.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uprobes.h>
#include <linux/version.h>

#include "power2.h"

/* Of all sessions. Each is 17 uprobes at most. */
#define P2_ALL_SEGMENTS 1024
static atomic_t p2_segments;

struct p2_trap {
	struct uprobe_consumer consumer;
	struct p2_session *session;
	struct uprobe *uprobe;
	u64 offset;
	bool entry;
	bool placed;
};

struct p2_place {
	struct list_head list; /* of the session */
	struct path path;
	struct inode *inode; /* of the path, which holds it */
	unsigned int traps;
	struct p2_trap trap[1 + P2_MOST_EXITS];
};

static int p2_trapped(struct p2_trap *trap, bool on)
{
	if (p2_task_switch(trap->session, current, on)) {
		if (get_nr_threads(current) > 1)
			p2_refresh(trap->session);
		else
			p2_refresh_here();
	}
	return 0;
}

/* Other processes that run the same file get no traps. */
static bool p2_looks_at(struct p2_trap *trap, struct mm_struct *mm)
{
#ifdef CONFIG_MEMCG
	struct task_struct *owner;
	bool in;

	rcu_read_lock();
	owner = rcu_dereference(mm->owner);
	in = owner && p2_task_in(trap->session, owner->tgid);
	rcu_read_unlock();
	return in;
#else
	return false;
#endif
}

/*
 * Whether a call of the function is left that has called itself. The one that returns is not
 * meant, which kernels before 6.13 still list: its stack pointer was one word lower on x86, where
 * the return took the address away, and the same on POWER.
 */
static bool p2_within(unsigned long function, struct pt_regs *regs)
{
	const unsigned long own =
		user_stack_pointer(regs) - (IS_ENABLED(CONFIG_X86) ? sizeof(long) : 0);
	const struct return_instance *call;

	for (call = current->utask->return_instances; call; call = call->next)
		if (call->func == function && call->stack > own)
			return true;
	return false;
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define P2_TRAP_MORE
#else
#define P2_TRAP_MORE , __u64 *data
#endif

static int p2_on_trap(struct uprobe_consumer *consumer, struct pt_regs *regs P2_TRAP_MORE)
{
	struct p2_trap *trap = container_of(consumer, struct p2_trap, consumer);

	return p2_trapped(trap, trap->entry);
}

static int p2_on_return(struct uprobe_consumer *consumer, unsigned long function,
			struct pt_regs *regs P2_TRAP_MORE)
{
	if (p2_within(function, regs))
		return 0;
	return p2_trapped(container_of(consumer, struct p2_trap, consumer), false);
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
static bool p2_filter(struct uprobe_consumer *consumer, enum uprobe_filter_ctx context,
		      struct mm_struct *mm)
{
	return p2_looks_at(container_of(consumer, struct p2_trap, consumer), mm);
}

static int p2_trap_place(struct p2_place *place, struct p2_trap *trap)
{
	return uprobe_register(place->inode, trap->offset, &trap->consumer);
}

static void p2_trap_remove(struct p2_place *place, struct p2_trap *trap)
{
	uprobe_unregister(place->inode, trap->offset, &trap->consumer);
}

static void p2_traps_wait(void)
{
}
#else
static bool p2_filter(struct uprobe_consumer *consumer, struct mm_struct *mm)
{
	return p2_looks_at(container_of(consumer, struct p2_trap, consumer), mm);
}

static int p2_trap_place(struct p2_place *place, struct p2_trap *trap)
{
	trap->uprobe = uprobe_register(place->inode, trap->offset, 0, &trap->consumer);
	return PTR_ERR_OR_ZERO(trap->uprobe);
}

static void p2_trap_remove(struct p2_place *place, struct p2_trap *trap)
{
	uprobe_unregister_nosync(trap->uprobe, &trap->consumer);
}

static void p2_traps_wait(void)
{
	uprobe_unregister_sync();
}
#endif

static void p2_place_free(struct p2_place *place)
{
	unsigned int i;

	for (i = 0; i < place->traps; i++)
		if (place->trap[i].placed)
			p2_trap_remove(place, &place->trap[i]);
	p2_traps_wait();
	path_put(&place->path);
	kfree(place);
}

static int p2_place_make(struct p2_session *s, const struct path *path, const struct p2_segment *g)
{
	struct p2_place *place = kzalloc(sizeof(*place), GFP_KERNEL_ACCOUNT);
	unsigned int i;
	int err = 0;

	if (!place)
		return -ENOMEM;
	place->path = *path;
	path_get(&place->path);
	place->inode = d_real_inode(path->dentry);
	place->traps = 1 + g->exits;
	for (i = 0; !err && i < place->traps; i++) {
		struct p2_trap *trap = &place->trap[i];

		trap->consumer.handler = p2_on_trap;
		if (!g->exits)
			trap->consumer.ret_handler = p2_on_return;
		trap->consumer.filter = p2_filter;
		trap->session = s;
		trap->entry = !i;
		trap->offset = i ? g->exit[i - 1] : g->entry;
		err = p2_trap_place(place, trap);
		trap->placed = !err;
	}
	if (!err)
		err = p2_charge(s, sizeof(*place));
	if (err) {
		p2_place_free(place);
		return err;
	}
	list_add(&place->list, &s->segments);
	s->segments_count++;
	return 0;
}

int p2_segment_add(struct p2_session *s, const struct p2_segment *g)
{
	struct file *file;
	unsigned int i;
	int err = 0;

	if (!IS_ENABLED(CONFIG_MEMCG))
		return -EOPNOTSUPP;
	if (g->exits > P2_MOST_EXITS)
		return -EINVAL;
	for (i = 0; i < g->exits; i++)
		if (g->exit[i] == g->entry)
			return -EINVAL;
	if (s->segments_count == P2_MOST_SEGMENTS ||
	    !atomic_add_unless(&p2_segments, 1, P2_ALL_SEGMENTS))
		return -ENOSPC;
	file = fget(g->file);
	if (!file) {
		atomic_dec(&p2_segments);
		return -EBADF;
	}
	if (!S_ISREG(file_inode(file)->i_mode))
		err = -EINVAL;
	else if (!(file->f_mode & FMODE_READ))
		err = -EACCES;
	if (!err)
		err = p2_place_make(s, &file->f_path, g);
	if (err)
		atomic_dec(&p2_segments);
	fput(file);
	return err;
}

void p2_segments_remove(struct p2_session *s)
{
	struct p2_place *place, *next;

	list_for_each_entry_safe(place, next, &s->segments, list) {
		list_del(&place->list);
		atomic_dec(&p2_segments);
		p2_place_free(place);
	}
}
