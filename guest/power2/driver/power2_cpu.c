// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * power2.ko: a processor's monitor. Each processor has its own, at the same address, and a monitor is touched by its processor only.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/smp.h>

#include "power2.h"

DEFINE_PER_CPU(struct p2_cpu, p2_cpus);

static bool p2_awake; /* the card is there, and has power */

static void p2_mmcr(struct p2_cpu *c, u32 mmcr)
{
	p2_put(P2R_MMCR, mmcr);
	c->mmcr = mmcr;
}

/* Both on the processor itself, interrupts off. */
static void p2_cpu_on(void *unused)
{
	struct p2_cpu *c = this_cpu_ptr(&p2_cpus);

	if (!READ_ONCE(p2_awake))
		return;
	p2_mmcr(c, P2_MMCR_DIS);
	c->works = true;
}

static void p2_cpu_off(void *unused)
{
	struct p2_cpu *c = this_cpu_ptr(&p2_cpus);

	if (!c->works)
		return;
	p2_mmcr(c, P2_MMCR_DIS);
	c->works = false;
}

void p2_cpu_start(void)
{
	WRITE_ONCE(p2_awake, true);
	on_each_cpu(p2_cpu_on, NULL, 1);
}

void p2_cpu_stop(void)
{
	WRITE_ONCE(p2_awake, false);
	on_each_cpu(p2_cpu_off, NULL, 1);
}

/* --- processors that come and go --- */

static int p2_hotplug;

static int p2_cpu_online(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	p2_cpu_on(NULL);
	local_irq_restore(flags);
	return 0;
}

static int p2_cpu_offline(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	p2_cpu_off(NULL);
	local_irq_restore(flags);
	return 0;
}

int p2_cpu_init(void)
{
	p2_hotplug = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "power2:online", p2_cpu_online, p2_cpu_offline);
	return p2_hotplug < 0 ? p2_hotplug : 0;
}

void p2_cpu_exit(void)
{
	cpuhp_remove_state(p2_hotplug);
}
