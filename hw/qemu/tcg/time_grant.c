/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/model/host.h"
#include "hw/qemu/core/time/time.h"
#include "hw/qemu/series/insides.h"
#include "hw/qemu/tcg/cpu_ops.h"

/* Always pending in a vCPU whose time is granted, and no interrupt of any target that is built: so QEMU's loop asks interrupt() whenever the vCPU has left
 * its blocks. */
enum { ASKS = CPU_INTERRUPT_TGT_EXT_0 };
QEMU_BUILD_BUG_ON(!(CF_COUNT_MASK & 1));

static const PbTimeGrant *grant;
static TCGCPUOps original;
static const PbBusWait *bus_wait;
static uint64_t first_of_all = PB_NEVER; /* an instruction that begins then comes before any interrupt */
static bool may_run; /* the vCPU, at the time that it has come to */
static uint64_t turn_ends; /* QEMU's next timer is due then, ns */

static uint64_t stop_at = PB_NEVER;
static bool stops; /* it is to stop, or has: no instruction, and no time passes */

static uint64_t may_pass_until(uint64_t now, uint64_t next)
{
    const uint64_t until = grant->until(now, next);

    if (now >= stop_at && !stops) {
        stops = true;
        pb_pause();
    }
    return stops ? now : MIN(until, stop_at);
}

static void rest(void)
{
    bql_unlock();
    grant->wait();
    bql_lock();
}

/* The vCPU stands between two instructions; big lock held. Afterwards it may execute those that begin before the time allowed, or none. */
static void step(CPUState *cpu, uint64_t now)
{
    uint64_t until;
    bool held;

    for (;;) {
        const uint64_t waits = bus_wait ? bus_wait->until(bus_wait->dev) : 0;
        const uint64_t timer = (held = pb_time_holds(cpu) || waits) ? pb_time_of_next_timer(now) : now;
        const uint64_t next = waits ? MIN(timer, MAX(waits, now)) : timer;

        until = may_pass_until(now, next);
        if (held && timer == now) {
            break; /* QEMU runs it next */
        } else if (grant->due(now)) {
            grant->deliver();
        } else if ((qatomic_read(&cpu->exit_request) && (now < turn_ends || !runstate_is_running())) || (!held && until > now)) {
            break;
        } else if (waits && waits <= now && until > now) {
            first_of_all = bus_wait->come(bus_wait->dev, now) ? now : PB_NEVER;
        } else if (held && until > now) {
            pb_time_pass(MIN(until, next) - now);
            now = pb_time_now();
        } else {
            rest();
        }
    }
    may_run = until > now && !held;
    pb_time_cut(cpu, may_run && now < turn_ends ? MIN(until, turn_ends) - now : 0); /* a turn may have ended while time passed here */
}

static void enter(CPUState *cpu)
{
    const uint64_t now = pb_time_now();

    original.cpu_exec_enter(cpu);
    turn_ends = now + pb_time_of_turn(cpu);
    bql_lock();
    cpu->interrupt_request |= ASKS;
    step(cpu, now);
    bql_unlock();
}

/* The time allowed may be over long before QEMU's turn is. Then the next step is made here: to leave QEMU's loop, for its look at timers and events, takes
 * several times as long (scripts/bench --cluster). An interrupt that may not be taken stays pending. At the end of QEMU's turn one that may comes before
 * QEMU's timers, as in a machine without grants (bare-edges). So the vCPU waits there for its time although somebody wants it to leave QEMU's loop: else
 * the host's time would say which comes first. */
static bool interrupt(CPUState *cpu, int request)
{
    if (pb_time_is_up(cpu)) {
        step(cpu, pb_time_now());
        request = cpu->interrupt_request;
    }
    request &= ~ASKS;
    if (first_of_all != PB_NEVER && first_of_all == pb_time_now()) {
        return false;
    }
    return may_run && request && original.cpu_exec_interrupt(cpu, request);
}

/* The vCPU is halted, and has no work; big lock held. It is never idle as QEMU means it: then its thread would sleep, and the main loop would let
 * time pass. */
static bool idle(CPUState *cpu)
{
    uint64_t now, next, until;

    if (!qemu_in_vcpu_thread()) {
        return false;
    }
    now = pb_time_now();
    next = pb_time_of_next_timer(now);
    if (next == now) {
        return false; /* QEMU runs its timers next */
    }
    until = may_pass_until(now, next);
    if (grant->due(now)) {
        grant->deliver();
    } else if (until > now) {
        pb_time_pass(MIN(until, next) - now);
    } else if (!qatomic_read(&cpu->exit_request)) {
        rest();
    }
    return false;
}

bool pb_time_is_granted(void)
{
    return grant;
}

/* allowed: until when time may pass. False: the machine stops before *end. */
static bool await(const uint64_t *end, uint64_t (*allowed)(uint64_t now, uint64_t next))
{
    for (uint64_t now; (now = pb_time_now()) < *end;) {
        const uint64_t until = allowed(now, *end);

        if (!runstate_is_running()) { /* about to stop, and waits for this vCPU */
            return false;
        } else if (grant->due(now)) {
            grant->deliver();
        } else if (until > now) {
            pb_time_pass(MIN(until, *end) - now);
        } else {
            rest();
        }
    }
    return true;
}

void pb_time_grant_skip(uint64_t ns)
{
    const uint64_t end = pb_time_now() + ns;

    if (!await(&end, grant->until)) {
        pb_time_pass(end - pb_time_now());
    }
}

bool pb_time_grant_await(const uint64_t *end)
{
    return await(end, may_pass_until);
}

static AccelOpsClass *accel_of_qemu(void)
{
    return ACCEL_OPS_CLASS(object_class_by_name(ACCEL_OPS_NAME("tcg")));
}

void pb_time_grant_try(void)
{
    const AccelOpsClass *accel = accel_of_qemu();

    pb_inside_needed("accel-ops", accel && accel->create_vcpu_thread && accel->kick_vcpu_thread && !accel->cpu_thread_is_idle);
}

/* As QEMU lets all vCPUs run then: who was held makes its access again. */
static void machine_changed(void *unused, bool running, RunState state)
{
    if (running) {
        pb_time_release(first_cpu);
        stop_at = stops ? PB_NEVER : stop_at;
        stops = false;
    }
}

void pb_time_grant_stop_at(uint64_t ns)
{
    stop_at = ns;
}

bool pb_time_grant_stopped(void)
{
    return stops && !runstate_is_running();
}

void pb_time_grant_bus_wait(const PbBusWait *w)
{
    bus_wait = w;
}

void pb_time_grant(const PbTimeGrant *g)
{
    TCGCPUOps *ops = pb_cpu_ops(first_cpu);

    grant = g;
    original = *ops;
    ops->cpu_exec_enter = enter;
    ops->cpu_exec_interrupt = interrupt;
    accel_of_qemu()->cpu_thread_is_idle = idle;
    first_cpu->tcg_cflags |= bus_wait ? 1 : 0; /* instructions of a block: in CF_COUNT_MASK */
    qemu_add_vm_change_state_handler(machine_changed, NULL);
}
