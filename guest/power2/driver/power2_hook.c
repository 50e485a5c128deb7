// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: the kernel's trace events as hooks: "the monitor counters can be dumped when ...
 * system- ... specified trace hooks are triggered" (p. 8). The module's parameter hooks= names
 * them. Those of modules cannot be reached.
 *
 * They tell of what others do: a session of a user without CAP_PERFMON has none of them.
 *
 * A probe takes three arguments whatever an event passes, which are registers: what the event does
 * not have is what the register holds, and is looked at by a rule that asks for it only.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "power2.h"
#include "../../linux/sched_probe.h"

/*
 * Which hooks record. "The extension analyzes the arguments of the hook and, on the
 * basis of the hook ID, some state variables, and the link register, determines whether it is an
 * appropriate time to dump the counters" (p. 8). A session has rules for it (P2_IOC_RULES), or
 * records all hooks.
 *
 * Rules come once, before the session is enabled, so that whoever finds them finds them as long as
 * the session is there. They are looked at where a hook is: with interrupts off, without a lock.
 */

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

/* --- the kernel's trace events --- */

#define P2_MOST_HOOKS 32
#define P2_HOOKS_BYTES 1024

struct p2_hooks {
	char names[P2_HOOKS_BYTES]; /* as they were given */
	unsigned int count;
	struct tracepoint *tracepoint[P2_MOST_HOOKS];
};
static struct p2_hooks p2_hooks;
static unsigned int p2_hooks_users;

static void p2_on_event(void *number, unsigned long first, unsigned long second)
{
	const u64 data[2] = { first, second };
	const u32 id = (uintptr_t)number;
	struct p2_cpu *c;
	unsigned long flags;

	/* It can have stopped a record half written, and no lock would tell. */
	if (in_nmi())
		return;
	raw_local_irq_save(flags); /* the other one can be an event */
	c = this_cpu_ptr(&p2_cpus);
	/* Writing a record can be an event, too. */
	if (c->works && !c->busy && c->area && c->area->session->privileged &&
	    c->area->session->open.flags & P2_LOG_HOOK &&
	    c->area->session->collector != task_tgid(current)) {
		c->busy = true;
		if (p2_rules_record(c->area->session, P2_RULE_EVENT, id, data, 0)) {
			p2_cpu_settle(c->area);
			p2_log(c->area, P2_RECORD_EVENT, current, id, 0, 0);
		}
		c->busy = false;
	}
	raw_local_irq_restore(flags);
}

static void p2_hooks_off(struct p2_hooks *h, unsigned int count)
{
	while (count--)
		tracepoint_probe_unregister(h->tracepoint[count], p2_on_event,
					    (void *)(uintptr_t)count);
	tracepoint_synchronize_unregister();
}

static int p2_hooks_on(struct p2_hooks *h)
{
	unsigned int i;
	int err;

	for (i = 0; i < h->count; i++) {
		err = tracepoint_probe_register(h->tracepoint[i], p2_on_event,
						(void *)(uintptr_t)i);
		if (err) {
			pr_err("hook %s: error %d\n", h->tracepoint[i]->name, err);
			p2_hooks_off(h, i);
			return err;
		}
	}
	return 0;
}

int p2_hooks_get(void)
{
	int err = p2_hooks_users ? 0 : p2_hooks_on(&p2_hooks);

	lockdep_assert_held(&p2_mutex);
	if (!err)
		p2_hooks_users++;
	return err;
}

void p2_hooks_put(void)
{
	if (!--p2_hooks_users)
		p2_hooks_off(&p2_hooks, p2_hooks.count);
}

/* --- the parameter --- */

static int p2_hooks_parse(struct p2_hooks *h, const char *text)
{
	char *names = kstrdup(text, GFP_KERNEL), *rest, *name;
	int err = 0;

	if (!names)
		return -ENOMEM;
	rest = strim(names);
	if (strlen(rest) >= sizeof(h->names)) {
		kfree(names);
		return -E2BIG;
	}
	strcpy(h->names, rest);
	while (!err && (name = strsep(&rest, ","))) {
		struct tracepoint *found;

		if (!*name)
			continue;
		found = tracepoint_find(name);
		if (!found) {
			pr_err("hooks=: this kernel has no trace event %s\n", name);
			err = -EINVAL;
		} else if (h->count == P2_MOST_HOOKS) {
			pr_err("hooks=: more than %d\n", P2_MOST_HOOKS);
			err = -E2BIG;
		} else {
			h->tracepoint[h->count++] = found;
		}
	}
	kfree(names);
	return err;
}

/*
 * Before the module's init as well. EBUSY while a session logs them: its records have numbers of
 * the old ones.
 */
static int p2_hooks_set(const char *text, const struct kernel_param *parameter)
{
	struct p2_hooks *h = kzalloc(sizeof(*h), GFP_KERNEL);
	int err;

	if (!h)
		return -ENOMEM;
	err = p2_hooks_parse(h, text);
	mutex_lock(&p2_mutex);
	if (!err && p2_hooks_users)
		err = -EBUSY;
	if (!err)
		p2_hooks = *h;
	mutex_unlock(&p2_mutex);
	kfree(h);
	return err;
}

static int p2_hooks_show(char *text, const struct kernel_param *parameter)
{
	int bytes;

	mutex_lock(&p2_mutex);
	bytes = sysfs_emit(text, "%s\n", p2_hooks.names);
	mutex_unlock(&p2_mutex);
	return bytes;
}

static const struct kernel_param_ops p2_hooks_ops = { .set = p2_hooks_set, .get = p2_hooks_show };
module_param_cb(hooks, &p2_hooks_ops, NULL, 0644);
MODULE_PARM_DESC(hooks, "trace events of the kernel that P2_LOG_HOOK records, with commas: "
			"sched_wakeup,irq_handler_entry");
