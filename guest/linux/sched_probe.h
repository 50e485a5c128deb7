/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched_probe.h - probes on the scheduler's tracepoints, and tracepoints by name.
 *
 *   static void my_on_exit(void *data, struct task_struct *task SCHED_EXIT_MORE) ...
 *   static struct sched_probe my_probes[] = SCHED_PROBES(my);     my_on_switch, _fork, _exec, _exit
 *   SCHED_PROBES_CHECK(my);
 *   sched_probes_on(my_probes)      all four or none; they are on if the first has its tracepoint
 *   sched_probes_off(my_probes)     none runs any more
 */
#ifndef PERFBOARD_SCHED_PROBE_H
#define PERFBOARD_SCHED_PROBE_H

#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "kernels.h"

struct sched_probe {
	const char *name; /* NULL: the end */
	void *function;
	struct tracepoint *tracepoint; /* once it is registered */
};

#define SCHED_PROBES(self) { \
		{ "sched_switch", self##_on_switch }, \
		{ "sched_process_fork", self##_on_fork }, \
		{ "sched_process_exec", self##_on_exec }, \
		{ "sched_process_exit", self##_on_exit }, \
		{} \
	}

/* Not called: the compiler compares the probes with what this kernel's tracepoints pass. */
#define SCHED_PROBES_CHECK(self) \
	static inline void __maybe_unused self##_check_probes(void) \
	{ \
		check_trace_callback_type_sched_switch(self##_on_switch); \
		check_trace_callback_type_sched_process_fork(self##_on_fork); \
		check_trace_callback_type_sched_process_exec(self##_on_exec); \
		check_trace_callback_type_sched_process_exit(self##_on_exit); \
	}

struct tracepoint_search {
	const char *name;
	struct tracepoint *found;
};

static inline void tracepoint_match(struct tracepoint *tracepoint, void *data)
{
	struct tracepoint_search *search = data;

	if (!strcmp(tracepoint->name, search->name))
		search->found = tracepoint;
}

/* Not every kernel exports each of them by name, but all let modules look at the list. */
static inline struct tracepoint *tracepoint_find(const char *name)
{
	struct tracepoint_search search = { name };

	for_each_kernel_tracepoint(tracepoint_match, &search);
	return search.found;
}

static inline void sched_probes_off(struct sched_probe *p)
{
	for (; p->name; p++) {
		if (p->tracepoint)
			tracepoint_probe_unregister(p->tracepoint, p->function, NULL);
		p->tracepoint = NULL;
	}
	tracepoint_synchronize_unregister();
}

static inline int sched_probes_on(struct sched_probe *probes)
{
	struct sched_probe *p;
	int err = 0;

	for (p = probes; !err && p->name; p++) {
		struct tracepoint *found = tracepoint_find(p->name);

		err = found ? tracepoint_probe_register(found, p->function, NULL) : -EOPNOTSUPP;
		if (!err)
			p->tracepoint = found;
		else
			pr_err("tracepoint %s: error %d\n", p->name, err);
	}
	if (err)
		sched_probes_off(probes);
	return err;
}

#endif
