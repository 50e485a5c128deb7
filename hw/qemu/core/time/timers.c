/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/model/host.h"
#include "hw/qemu/core/time/time.h"
#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/series/insides.h"

static QLIST_HEAD(, PbTimer) timers; /* big lock */
static uint64_t orders;

/* While a machine is recorded or replayed QEMU 11.1 makes work for a vCPU of a timer that is due already. For that it asks for the time, which nobody
 * may in the middle of a block, and such a timer can be neither stopped nor saved. So here it is an external one for the moment of the call. QEMU's
 * main loop, which passes over those, does not see it: its time is that of when the vCPU's turn began, and no timer is set for that. */
static void set_in_recording(QEMUTimer *timer, uint64_t ns)
{
    timer->attributes |= QEMU_TIMER_ATTR_EXTERNAL;
    timer_mod_ns(timer, ns);
    timer->attributes &= ~QEMU_TIMER_ATTR_EXTERNAL;
}

/* May be called without the big lock: QEMU's timers have a lock of their own. Under icount, arming a timer makes
 * the vCPU leave its chain of blocks, so the deadline is met at the same instruction in every run. */
void pb_timer_set(PbTimer *t, uint64_t ns)
{
    t->at = ns;
    t->order = pb_time_counts_instructions() ? qatomic_fetch_inc(&orders) : 0; /* free-running nobody asks */
    t->late = false;
    if (ns >= INT64_MAX || !t->machine) {
        timer_del(&t->timer);
    } else if (replay_mode != REPLAY_MODE_NONE) {
        set_in_recording(&t->timer, ns);
    } else {
        timer_mod_ns(&t->timer, ns);
    }
}

/* A timer may be due when the machine stops. QEMU may still run it while the machine stands still: a vCPU's thread that is asked to end its block
 * switches the virtual clock on again and looks for due timers. savevm asks for that after its last look at dirty pages. If the board then stored
 * into its memories, the snapshot would lack the store, but the registers, which are saved later, would tell of it. So a timer that comes in a
 * stopped machine only sets `late`. It is set again when the machine goes on, and comes at the same virtual time. */
static void expired_timer(void *opaque)
{
    PbTimer *t = opaque;
    if (runstate_is_running() || runstate_check(RUN_STATE_SUSPENDED)) {
        t->expired(t->opaque);
    } else {
        t->late = true;
    }
}

static PbTimer *first_due(uint64_t now)
{
    PbTimer *t, *first = NULL;

    QLIST_FOREACH(t, &timers, others) {
        if (timer_pending(&t->timer) && t->at <= now && (!first || t->at < first->at || (t->at == first->at && t->order < first->order))) {
            first = t;
        }
    }
    return first;
}

/* icount: a timer is due, so the vCPU's turn has ended. QEMU would tell its main loop of that, by five system calls, which take longer than all else that
 * a packet of the SNI's needs. It has nothing to tell if the boards' timers have been run. Of several vCPUs QEMU looks behind the last one's turn, and
 * begins all their turns anew (kick): so does this. */
static void vcpu_leaves(CPUState *cpu)
{
    PbTimer *t;

    if (cpu_in_exclusive_context(cpu)) {
        return;
    }
    pb_watch_settle(cpu);
    if (CPU_NEXT(cpu) || !timerlist_expired(main_loop_tlg.tl[QEMU_CLOCK_VIRTUAL])) {
        return;
    }
    bql_lock();
    while ((t = first_due(pb_time_now()))) {
        qemu_cpu_kick(cpu);
        timer_del(&t->timer);
        expired_timer(t);
    }
    bql_unlock();
}

static void timer_machine_changed(void *opaque, bool running, RunState state)
{
    PbTimer *t = opaque;
    if (running && t->late) {
        pb_timer_set(t, t->at);
    }
}

void pb_timer_init(PbTimer *t, void (*expired)(void *opaque), void *opaque)
{
    *t = (PbTimer){ .at = PB_NEVER, .expired = expired, .opaque = opaque };
    timer_init_ns(&t->timer, QEMU_CLOCK_VIRTUAL, expired_timer, t);
    t->machine = qemu_add_vm_change_state_handler(timer_machine_changed, t);
    QLIST_INSERT_HEAD(&timers, t, others);
}

void pb_timer_end(PbTimer *t)
{
    if (t->machine) {
        qemu_del_vm_change_state_handler(t->machine);
        t->machine = NULL;
        QLIST_REMOVE(t, others);
        timer_del(&t->timer);
    }
}

/* --- the machine stops --------------------------------------------------------- */

/* Not vm_stop(): if the calling vCPU stopped itself here, the machine would count as running with all its processors
 * idle until the main loop learnt of it, and under icount time would jump to the next timer. */
static void stop(RunState state)
{
    qemu_system_vmstop_request_prepare();
    qemu_system_vmstop_request(state);
}

void pb_stop(void)
{
    stop(RUN_STATE_IO_ERROR);
}

void pb_pause(void)
{
    stop(RUN_STATE_PAUSED);
}

void pb_go_on(void)
{
    if (runstate_check(RUN_STATE_IO_ERROR)) {
        vm_start();
    }
}

/* --- idle time ----------------------------------------------------------------- */

/*
 * Under icount it passes when the vCPUs' thread sleeps, and not before.
 *
 * With sleep=off QEMU's main loop lets virtual time go to the next timer whenever it finds all vCPUs halted. Nothing keeps it from looking in the
 * middle of the vCPUs' thread's way to sleep: the last vCPU has halted, but its instructions are not in the clock yet, and QEMU's timer for turns
 * of vCPUs still runs. Whether it looks then depends on the host. On a busy one two runs of the same guest, with no plugin either, came to differ
 * by microseconds to milliseconds (test bare-idle). So the main loop waits here for the few instructions that are left.
 *
 * QEMU takes a vCPU at a breakpoint of gdb's for halted as well, until the main loop has stopped the machine: each breakpoint let time jump to the
 * next timer (test linux-gdb). Here it is one that is about to stop.
 *
 * A pseries' guest reads how often each vCPU was dispatched (VPA, dispatch counter) and waits for locks by it, Linux 6.2 and newer for all locks.
 * QEMU counts each time that it enters its execution loop: once more whenever something on the host ends a turn early, which nothing else tells
 * the guest. Two runs of Linux 6.12 with four vCPUs came to differ (test linux-ppc64-smile). Here the counter says whether the vCPU has its
 * turn, 0, or not, 1, and no more. */

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
        pb_bql_yield(20);
    }
    if (runstate_is_running()) {
        pb_time_stopped_is_not_idle();
    }
}

/* A vCPU's turn ends where the guest or a timer ends it. QEMU 10.2's RCU thread ends it, too, when much is to be freed, or after 50 ms of the host's time:
 * the rest of the turn was lost, and all later ones began elsewhere, with no plugin either (test bare-turns). Here it waits for the turn's end, as
 * QEMU 10.0's does. */
static void keep_turns(CPUState *cpu, run_on_cpu_data data)
{
    Notifier *ends_turn = QLIST_FIRST(&get_ptr_rcu_reader()->force_rcu.notifiers);

    pb_inside_needed("rcu", ends_turn && !QLIST_NEXT(ends_turn, node));
    rcu_remove_force_rcu_notifier(ends_turn);
}

static void machine_complete(Notifier *notifier, void *unused)
{
    pb_time_grant_try();
    pb_cpu_hide_turns();
    pb_cpu_on_exit(vcpu_leaves);
    if (first_cpu) {
        async_run_on_cpu(first_cpu, keep_turns, RUN_ON_CPU_NULL);
    }
}

static void tlbs_complete(Notifier *notifier, void *unused)
{
    pb_cpu_count_flushes();
}

void pb_idle_start(void)
{
    static Notifier notifier = { .notify = before_time_passes }, complete = { .notify = machine_complete }, tlbs = { .notify = tlbs_complete };

    pb_time_try();
    if (pb_time_counts_instructions()) {
        qemu_add_machine_init_done_notifier(&tlbs);
    }
    if (pb_time_counts_instructions() && replay_mode == REPLAY_MODE_NONE) {
        wait_of_qemu = qatomic_read(&qemu_cond_wait_func);
        qatomic_set(&qemu_cond_wait_func, wait_on);
        main_loop_poll_add_notifier(&notifier);
        qemu_add_machine_init_done_notifier(&complete);
    }
}
