// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: the process mark, MSR(PM).
 *
 * On POWER it is a bit of the MSR. In problem state it is the thread's saved MSR, which the kernel
 * loads when it returns to the program, so that is where it is set. In the kernel it is the
 * processor's MSR, which the scheduler does not switch: the probe does. A thread that waits in a
 * system call had its mark kept ("not altered by the execution of a supervisor call"), so the
 * kernel goes on marked on its behalf; one that an interrupt stopped had it cleared, until it
 * returns to the program. fork copies the saved MSR, exec makes a new one. On x86 it is the
 * register MARK, which is written if it changes.
 */
#include <linux/sched/signal.h>
#include <linux/stop_machine.h>

#ifdef CONFIG_PPC64
#include <asm/hw_irq.h>
#include <asm/irq_regs.h>
#include <asm/ptrace.h>
#include <asm/reg.h>
#endif

#include "power2.h"

static bool p2_marks; /* some thread was marked since p2_unmark() */

void p2_mark_used(void)
{
	WRITE_ONCE(p2_marks, true);
}

#ifdef CONFIG_PPC64
/* Interrupts are off. */
void p2_mark_task(struct task_struct *task, bool mark)
{
	/* Saved at its entry into the kernel; NULL: a thread of the kernel. */
	struct pt_regs *regs = task->thread.regs;
	struct pt_regs *interrupt = get_irq_regs();
	bool kernel = false;

	if (regs) {
		const unsigned long pm = mark ? MSR_PMM : 0;

		if ((regs->msr & MSR_PMM) != pm) {
			regs->msr = (regs->msr & ~MSR_PMM) | pm;
			if (task == current)
				set_return_regs_changed();
		}
		kernel = mark && (trap_is_syscall(regs));
	}
	/* An interrupt stopped the kernel, which is to go on so; the interrupt is not marked. */
	if (interrupt && interrupt != regs && task == current) {
		interrupt->msr = (interrupt->msr & ~MSR_PMM) | (kernel ? MSR_PMM : 0);
		set_return_regs_changed();
		kernel = false;
	} else if (interrupt && task == current) {
		kernel = false;
	}
	if (!(mfmsr() & MSR_PMM) != !kernel) {
		/* An interrupt between the two would come back with EE as it was. */
		hard_irq_disable();
		mtmsr((mfmsr() & ~MSR_PMM) | (kernel ? MSR_PMM : 0));
	}
}
#else
void p2_mark_task(struct task_struct *task, bool mark)
{
	p2_put(P2R_MARK, mark ? P2_MARK_PM : 0);
}
#endif

#ifdef CONFIG_PPC64
/* All other processors wait meanwhile, and no thread but those of the stop itself runs. */
static int p2_unmark_all(void *unused)
{
	struct task_struct *process, *thread;

	for_each_process_thread(process, thread)
		if (thread->thread.regs)
			thread->thread.regs->msr &= ~MSR_PMM;
	return 0;
}

/* With no probe left nobody would take the mark from a thread that sleeps. */
void p2_unmark(void)
{
	if (p2_marks)
		stop_machine(p2_unmark_all, NULL, NULL);
	p2_marks = false;
}
#else
void p2_unmark(void)
{
}
#endif
