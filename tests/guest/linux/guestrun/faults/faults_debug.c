// SPDX-License-Identifier: GPL-2.0-or-later
/* Mistakes that do no harm at once, and that a kernel of scripts/kernel reports (faults.h). */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "faults.h"

static void heap(void)
{
	char *memory = kmalloc(33, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(memory);
	if (memory)
		memory[33] = 1;
	kfree(memory);
}

/* --- locks --- */

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

/* --- undefined C --- */

/* KASAN would report it first if it were outside of the variable. */
static int four[2][4];

static void behind(void)
{
	int at = 5; /* one behind the end has an address still */

	OPTIMIZER_HIDE_VAR(at);
	WRITE_ONCE(four[0][at], READ_ONCE(four[0][at]));
}

/* --- races --- */

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

void faults_debug(const char *what)
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
