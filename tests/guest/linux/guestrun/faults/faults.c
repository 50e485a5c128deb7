// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faults.ko what=WHAT - a module that does what a broken driver does, while it loads.
 *   bug, slab (a write to freed memory), refuse (an error), none (loads), late (warns when the machine is switched off)
 *   What a kernel of scripts/kernel reports besides, and that does no harm at once: heap (a byte behind its memory), locks (two, in both orders),
 *   sleep (with a lock held), index (behind an array), race (two processors, one variable)
 *   early: an interrupt of another device on the lines irq=N,..., when the machine wakes up and no driver has resumed its board.
 *   The kernel warns of each that takes it for its own.
 *   storm: has the interrupt of a SurfBoard in slot 2, and never takes it back. It comes with echo 1 >/sys/module/faults/parameters/fire,
 *   which waits for it for ever
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/platform_device.h>
#include <linux/pm.h>
#include <linux/preempt.h>
#include <linux/reboot.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static char *what = "none";
module_param(what, charp, 0);

static int at_power_off(struct notifier_block *block, unsigned long event, void *data)
{
	WARN(1, "faults: a warning at power off\n");
	return NOTIFY_DONE;
}

static struct notifier_block power_off = { .notifier_call = at_power_off };

/* --- early --- */

static int irq[4];
static int irqs;
module_param_array(irq, int, &irqs, 0);

static int early_resume(struct device *dev)
{
	unsigned long flags;
	int i;

	for (i = 0; i < irqs; i++) {
		struct irqaction *action = irq_data_to_desc(irq_get_irq_data(irq[i]))->action;

		for (; action; action = action->next) {
			irqreturn_t answer;

			local_irq_save(flags);
			answer = action->handler(irq[i], action->dev_id);
			local_irq_restore(flags);
			pr_info("faults: irq %d: %s says %d\n", irq[i], action->name, answer);
			WARN(answer != IRQ_NONE, "faults: %s believes another device's interrupt\n", action->name);
		}
	}
	return 0;
}

static const struct dev_pm_ops early_power = { .resume_early = early_resume };
static struct platform_driver early_driver = { .driver = { .name = "faults", .pm = &early_power } };
static struct platform_device *early_device;

static int early_init(void)
{
	int err = platform_driver_register(&early_driver);

	if (err)
		return err;
	early_device = platform_device_register_simple("faults", -1, NULL, 0);
	if (!IS_ERR(early_device))
		return 0;
	platform_driver_unregister(&early_driver);
	return PTR_ERR(early_device);
}

static void early_exit(void)
{
	platform_device_unregister(early_device);
	platform_driver_unregister(&early_driver);
}

/* --- storm --- */

#define STORM_IRQ 10 /* EBCR.IRLEV 4 */
#define STORM_BASE 0xd0000000u
#define STORM_EBCR 0x2c84
#define STORM_ISCR 0x18
#define STORM_IEMR 0x1c
#define STORM_HTCR 0x20
#define STORM_TP 2

static void __iomem *storm_regs;

static irqreturn_t storm_irq(int irq, void *dev)
{
	return readl(storm_regs + STORM_ISCR) & STORM_TP ? IRQ_HANDLED : IRQ_NONE;
}

static int storm_init(void)
{
	int err;

	outl(STORM_BASE | 4 << 8 | 1, STORM_EBCR);
	storm_regs = ioremap(STORM_BASE, 0x10000);
	if (!storm_regs)
		return -ENOMEM;
	err = request_irq(STORM_IRQ, storm_irq, IRQF_SHARED, "storm", &storm_regs);
	if (err) {
		iounmap(storm_regs);
		return err;
	}
	return 0;
}

/* echo 1 > /sys/module/faults/parameters/fire */
static int storm_fire(const char *word, const struct kernel_param *unused)
{
	if (!storm_regs)
		return -ENODEV;
	writel(STORM_TP, storm_regs + STORM_IEMR);
	writel(1, storm_regs + STORM_HTCR);
	writel(1 | 8, storm_regs + STORM_HTCR); /* TRG with TEN: ISCR.TP */
	/* QEMU's interrupt controller lets a storm rest now and then, so that alone is no lockup. */
	preempt_disable();
	while (readl(storm_regs + STORM_HTCR) & 8)
		cpu_relax();
	preempt_enable();
	return 0;
}
static const struct kernel_param_ops storm_ops = { .set = storm_fire };
module_param_cb(fire, &storm_ops, NULL, 0200);

/* --- what a kernel reports that looks for it --- */

static void heap(void)
{
	char *memory = kmalloc(33, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(memory);
	if (memory)
		memory[33] = 1;
	kfree(memory);
}

static DEFINE_MUTEX(one);
static DEFINE_MUTEX(other);

static void locks(void)
{
	mutex_lock(&one);
	mutex_lock(&other);
	mutex_unlock(&other);
	mutex_unlock(&one);
	mutex_lock(&other);
	mutex_lock(&one);
	mutex_unlock(&one);
	mutex_unlock(&other);
}

static DEFINE_SPINLOCK(held);

static void sleeps(void)
{
	spin_lock(&held);
	kfree(kmalloc(64, GFP_KERNEL));
	spin_unlock(&held);
}

/* KASAN would report it first if it were outside of the variable. */
static int four[2][4];

static void behind(void)
{
	int at = 5; /* one behind the end has an address still */

	OPTIMIZER_HIDE_VAR(at);
	WRITE_ONCE(four[0][at], READ_ONCE(four[0][at]));
}

static int shared;

static int racer(void *unused)
{
	while (!kthread_should_stop()) {
		shared++;
		cond_resched();
	}
	return 0;
}

static void race(void)
{
	struct task_struct *threads[2];
	int i;

	for (i = 0; i < 2; i++)
		threads[i] = kthread_run(racer, NULL, "racer/%d", i);
	msleep(3000);
	for (i = 0; i < 2; i++)
		if (!IS_ERR(threads[i]))
			kthread_stop(threads[i]);
}

static void reported(void)
{
	if (!strcmp(what, "heap"))
		heap();
	else if (!strcmp(what, "locks"))
		locks();
	else if (!strcmp(what, "sleep"))
		sleeps();
	else if (!strcmp(what, "index"))
		behind();
	else if (!strcmp(what, "race"))
		race();
}

static int __init faults_init(void)
{
	if (!strcmp(what, "bug")) {
		BUG();
	} else if (!strcmp(what, "slab")) {
		char *freed = kmalloc(64, GFP_KERNEL);

		kfree(freed);
		OPTIMIZER_HIDE_VAR(freed);
		if (freed)
			freed[40] = 1;
		kfree(kmalloc(64, GFP_KERNEL));
	} else if (!strcmp(what, "refuse")) {
		return -EINVAL;
	} else if (!strcmp(what, "late")) {
		return register_reboot_notifier(&power_off);
	} else if (!strcmp(what, "early")) {
		return early_init();
	} else if (!strcmp(what, "storm")) {
		return storm_init();
	} else {
		reported();
	}
	return 0;
}
module_init(faults_init);

static void __exit faults_exit(void)
{
	if (!strcmp(what, "late"))
		unregister_reboot_notifier(&power_off);
	else if (!strcmp(what, "early"))
		early_exit();
}
module_exit(faults_exit);

MODULE_DESCRIPTION("Faults on demand, for the tests of scripts/guest-run");
MODULE_LICENSE("GPL");
