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

#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "power2.h"
#include "../../linux/sched_probe.h"

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
