// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faults.ko what=WHAT - a module that does what a broken driver does, while it loads.
 *   warn, oops, bug, panic, lockup, refuse (an error), none (loads), late (warns when the machine is switched off)
 */
#include <linux/compiler.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
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
	}
	return 0;
}
module_init(faults_init);

static void __exit faults_exit(void)
{
	if (!strcmp(what, "late"))
		unregister_reboot_notifier(&power_off);
}
module_exit(faults_exit);

MODULE_DESCRIPTION("Faults on demand, for the tests of scripts/guest-run");
MODULE_LICENSE("GPL");
