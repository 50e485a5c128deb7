/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernels.h - what kernels from 6.1 to 7.3 have in different ways, in the newest one's. A change
 * that a header tells of is looked for there: distributions bring single ones to older kernels.
 */
#ifndef PERFBOARD_KERNELS_H
#define PERFBOARD_KERNELS_H

#include <linux/capability.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/mm.h>
#include <linux/sched/coredump.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/version.h>
#include <linux/workqueue.h>
#if __has_include(<linux/hex.h>) /* a part of kernel.h in 6.1 */
#include <linux/hex.h>
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_set(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* The last argument of a probe on sched_process_exit. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define SCHED_EXIT_MORE
#else
#define SCHED_EXIT_MORE , bool group_dead
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#define system_percpu_wq system_wq
#endif

/* Behind the resource of a callback that aligns it: the same before alignment. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define RESOURCE_ALIGN_MORE
#else
#define RESOURCE_ALIGN_MORE const struct resource *empty,
#endif

/* Local timer interrupts of a processor; 0 on a machine that does not count them. */
static inline unsigned int timer_interrupts(int cpu)
{
#ifndef CONFIG_X86_LOCAL_APIC
	return 0;
#elif defined(inc_perf_irq_stat) /* it came with the array, in 7.2 */
	return per_cpu(irq_stat, cpu).counts[IRQ_COUNT_APIC_TIMER];
#else
	return per_cpu(irq_stat, cpu).apic_timer_irqs;
#endif
}

/*
 * What ptrace asks of a process besides whose it is: that its owner may dump it, or that the caller
 * has CAP_SYS_PTRACE where its program began. Under RCU.
 */
#if __has_include(<linux/sched/exec_state.h>) /* 7.2: of a task, also when its memory is gone */
#include <linux/sched/exec_state.h>

static inline bool current_dumpable(void)
{
	return READ_ONCE(rcu_dereference_protected(current->exec_state, true)->dumpable) ==
	       TASK_DUMPABLE_OWNER;
}

static inline bool task_open_to_ptrace(struct task_struct *task)
{
	const struct task_exec_state *state = rcu_dereference(task->exec_state);

	return READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER ||
	       ns_capable(state->user_ns, CAP_SYS_PTRACE);
}
#else
static inline bool current_dumpable(void)
{
	return __get_dumpable(current->mm->flags) == SUID_DUMP_USER;
}

/* The first thread may have exited, and its memory is gone: the others' is the same. */
static inline bool task_open_to_ptrace(struct task_struct *task)
{
	struct task_struct *t;
	struct mm_struct *mm;
	bool open;

	for_each_thread(task, t) {
		task_lock(t);
		mm = t->mm;
		open = mm && (__get_dumpable(mm->flags) == SUID_DUMP_USER ||
			      ns_capable(mm->user_ns, CAP_SYS_PTRACE));
		task_unlock(t);
		if (mm)
			return open;
	}
	return true; /* it is at its end */
}
#endif

#endif
