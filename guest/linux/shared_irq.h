/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shared_irq.h - an interrupt line that others may have. All who share a line must agree on
 * IRQF_ONESHOT. ACPI asks for it on its own line, IRQ 9 of a PC, in Debian 13's kernel. Since 6.9 a
 * driver may say that it does as the others do.
 *
 * PREEMPT_RT runs a handler in a thread, unless its line has IRQF_ONESHOT. A handler with an
 * ordinary lock cannot share that line there, and a kernel that looks for the mistake says so. So
 * neither gets the line.
 */
#ifndef PERFBOARD_SHARED_IRQ_H
#define PERFBOARD_SHARED_IRQ_H

#include <linux/interrupt.h>

#if !defined(IRQF_COND_ONESHOT) || defined(CONFIG_PREEMPT_RT) || \
	defined(CONFIG_PROVE_RAW_LOCK_NESTING)
#undef IRQF_COND_ONESHOT
#define IRQF_COND_ONESHOT 0
#endif
#define SHARED_IRQ (IRQF_SHARED | IRQF_COND_ONESHOT)

#endif
