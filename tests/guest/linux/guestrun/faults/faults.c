// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faults.ko what=WHAT - a module that does what a broken driver does, while it loads.
 *   warn, oops, bug, panic, lockup, refuse (an error), none (loads), late (warns when the machine is switched off)
 *   early: an interrupt of another device on the lines irq=N,..., when the machine wakes up and no driver has resumed its board.
 *   The kernel warns of each that takes it for its own.
 */
#include <linux/compiler.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdesc.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/platform_device.h>
#include <linux/pm.h>
#include <linux/preempt.h>
#include <linux/reboot.h>
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

static int __init faults_init(void)
{
	if (!strcmp(what, "warn")) {
		WARN(1, "faults: a warning\n");
	} else if (!strcmp(what, "oops")) {
		*(volatile int *)16 = 0;
	} else if (!strcmp(what, "bug")) {
		BUG();
	} else if (!strcmp(what, "panic")) {
		panic("faults: a panic");
	} else if (!strcmp(what, "lockup")) {
		preempt_disable();
		for (;;)
			barrier();
	} else if (!strcmp(what, "refuse")) {
		return -EINVAL;
	} else if (!strcmp(what, "late")) {
		return register_reboot_notifier(&power_off);
	} else if (!strcmp(what, "early")) {
		return early_init();
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
