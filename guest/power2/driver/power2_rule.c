// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: which hooks record. "The extension analyzes the arguments of the hook and, on the
 * basis of the hook ID, some state variables, and the link register, determines whether it is an
 * appropriate time to dump the counters" (p. 8). A session has rules for it (P2_IOC_RULES), or
 * records all hooks.
 *
 * Rules come once, before the session is enabled, so that whoever finds them finds them as long as
 * the session is there. They are looked at where a hook is: with interrupts off, without a lock.
 */
#include <linux/atomic.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "power2.h"

#define P2_RULE_KINDS (P2_RULE_HOOK | P2_RULE_EVENT)

static bool p2_rule_legal(const struct p2_rule *r)
{
	if (r->flags & ~(P2_RULE_KINDS | P2_RULE_LINK | P2_RULE_SILENT) ||
	    (r->flags & P2_RULE_KINDS) == P2_RULE_KINDS)
		return false;
	if (r->flags & P2_RULE_KINDS ? r->id > 0xffff : r->id)
		return false;
	/* It would never fit, or set what it does not say. */
	return r->link_first <= r->link_last && !(r->value[0] & ~r->mask[0]) &&
	       !(r->value[1] & ~r->mask[1]) && !(r->state_value & ~r->state_mask) &&
	       !(r->set_value & ~r->set_mask);
}

/* p2_mutex; *rule: as many as there may be, or NULL. They are the session's if it takes them. */
int p2_session_rules(struct p2_session *s, const struct p2_rules *from, struct p2_rule **rule)
{
	int err;
	u32 i;

	if (!from->count || from->count > P2_MOST_RULES || from->reserved ||
	    !(s->open.flags & P2_LOG_HOOK))
		return -EINVAL;
	if (s->rules || s->enabled)
		return -EBUSY;
	for (i = 0, err = 0; !err && i < from->count; i++)
		err = p2_rule_legal(*rule + i) ? 0 : -EINVAL;
	if (!err)
		err = p2_charge(s, array_size(from->count, sizeof(**rule)));
	if (err)
		return err;
	s->rule_count = from->count;
	smp_store_release(&s->rules, *rule);
	*rule = NULL;
	return 0;
}

/*
 * Where the program that runs has entered the kernel: the link register on POWER, which x86 has
 * not: there the address of the instruction. A thread of the kernel has none: 0.
 */
static u64 p2_link(void)
{
	if (current->flags & PF_KTHREAD)
		return 0;
#ifdef CONFIG_PPC64
	return task_pt_regs(current)->link;
#else
	return instruction_pointer(task_pt_regs(current));
#endif
}

static bool p2_fits(const struct p2_rule *r, u32 state, u32 kind, u32 id, const u64 *data, u64 link)
{
	if (r->flags & P2_RULE_KINDS && (!(r->flags & kind) || r->id != id))
		return false;
	if (r->flags & P2_RULE_LINK && (link < r->link_first || link > r->link_last))
		return false;
	return (data[0] & r->mask[0]) == r->value[0] && (data[1] & r->mask[1]) == r->value[1] &&
	       (state & r->state_mask) == r->state_value;
}

/*
 * Whether the hook records. Of processors that come to hooks at once each finds the state as
 * another has left it.
 */
bool p2_rules_record(struct p2_session *s, u32 kind, u32 id, const u64 *data, u64 link)
{
	const struct p2_rule *rules = smp_load_acquire(&s->rules), *r;
	int state = atomic_read(&s->state);

	if (!rules)
		return true;
	link = link ?: p2_link();
	do {
		for (r = rules; r < rules + s->rule_count; r++)
			if (p2_fits(r, state, kind, id, data, link))
				break;
		if (r == rules + s->rule_count)
			return false;
	} while (!atomic_try_cmpxchg(&s->state, &state, (state & ~r->set_mask) | r->set_value));
	return !(r->flags & P2_RULE_SILENT);
}
