/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/thread.h"
#include "hw/core/cpu.h"
#include "system/cpus.h"
#include "system/replay.h"
#include "system/runstate.h"
#include "system/system.h"

#include "hw/qemu/core/give_way.h"
#include "hw/qemu/core/idle.h"
#include "hw/qemu/core/machine.h"
#include "hw/qemu/core/pace.h"
#include "hw/qemu/core/time.h"

static bool asleep; /* the thread of all vCPUs; big lock */
static QemuCondWaitFunc wait_of_qemu;

/* In place of QEMU's function for all conditions. That thread has one, which only it waits on. */
static void wait_on(QemuCond *cond, QemuMutex *mutex, const char *file, int line)
{
    CPUState *first = first_cpu;
    const bool sleeps = first && cond == first->halt_cond;

    if (sleeps) {
        asleep = true;
    }
    wait_of_qemu(cond, mutex, file, line);
    if (sleeps) {
        asleep = false;
    }
}

/* Behind the main loop's wait, right before it looks at the vCPUs; big lock. That thread needs nothing of the main loop on its way. */
static void before_time_passes(Notifier *notifier, void *data)
{
    const MainLoopPoll *poll = data;

    if (poll->state == MAIN_LOOP_POLL_FILL) {
        return;
    }
    while (!asleep && runstate_is_running() && all_cpu_threads_idle()) {
        pb_give_way(20);
    }
    if (runstate_is_running()) {
        pb_time_stopped_is_not_idle();
    }
}

static void machine_complete(Notifier *notifier, void *unused)
{
    pb_pace_try();
    pb_cpu_hide_turns();
}

void pb_idle_start(void)
{
    static Notifier notifier = { .notify = before_time_passes }, complete = { .notify = machine_complete };

    pb_time_try();
    if (pb_time_counts_instructions() && replay_mode == REPLAY_MODE_NONE) {
        wait_of_qemu = qatomic_read(&qemu_cond_wait_func);
        qatomic_set(&qemu_cond_wait_func, wait_on);
        main_loop_poll_add_notifier(&notifier);
        qemu_add_machine_init_done_notifier(&complete);
    }
}
