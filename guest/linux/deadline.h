/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deadline.h - when a wait of the uapi ends.
 *
 * A signal interrupts a wait, and the kernel may restart the call. The restarted call must not wait
 * for the whole timeout again. So the first call writes its deadline into the caller's structure
 * (`deadline_ns`, CLOCK_MONOTONIC), and a call that finds one there keeps it. A call that is over
 * writes 0. ERESTART_RESTARTBLOCK would need no field, but a module that has been unloaded must not
 * be restarted into.
 */
#ifndef PERFBOARD_DEADLINE_H
#define PERFBOARD_DEADLINE_H

#include <linux/ktime.h>
#include <linux/timekeeping.h>

#define DEADLINE_NEVER U64_MAX
#define TIMEOUT_EVER 0xFFFFFFFFu

static inline u64 deadline_of(u32 timeout_ms, __u64 *deadline_ns)
{
	if (timeout_ms == TIMEOUT_EVER)
		return DEADLINE_NEVER;
	if (!*deadline_ns)
		*deadline_ns = ktime_get_ns() + (u64)timeout_ms * NSEC_PER_MSEC;
	return *deadline_ns;
}

/* What is left until then; 0: nothing. */
static inline ktime_t deadline_left(u64 deadline)
{
	u64 now = ktime_get_ns();

	if (deadline == DEADLINE_NEVER)
		return KTIME_MAX;
	return deadline <= now ? 0 : ns_to_ktime(min_t(u64, deadline - now, KTIME_MAX - 1));
}

#endif
