/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/model/host.h"
#include "hw/inspect/inspect.h"
#include "hw/qemu/core/time/stall.h"
#include "hw/qemu/core/time/time.h"
#include "hw/qemu/core/vcpu/vcpu.h"

static void release(void *opaque)
{
    PbStall *s = opaque;
    CPUState *cpu;

    s->armed = false;

    CPU_FOREACH(cpu) {
        /* In a stopped machine there is nothing to do: when it goes on, QEMU lets all vCPUs run. */
        if (test_and_clear_bit(pb_vcpu_index(cpu), s->held) && runstate_is_running()) {
            pb_time_release(cpu);
        }
    }
}

void pb_stall_init(PbStall *s)
{
    pb_timer_init(&s->timer, release, s);
    s->at = PB_NEVER;
}

void pb_stall_end(PbStall *s)
{
    if (s->timer.machine) {
        pb_timer_end(&s->timer);
        qatomic_set(&s->at, 0);
        release(s);
    }
}

void pb_stall_once(PbStall *s)
{
    s->once = true;
}

void pb_stall_release_at(PbStall *s, uint64_t ns)
{
    s->at = ns;
    if (s->once && !pb_time_counts_instructions()) {
        return; /* whoever waits does so in place, and looks at the clock */
    }
    s->armed = ns < INT64_MAX;
    /* The clock gains an instruction's time between the release of a vCPU, which stands before the instruction, and the
     * instruction's access. */
    pb_timer_set(&s->timer, s->armed ? ns - MIN(ns, pb_time_of_instruction()) : PB_NEVER);
}

/* Whether the vCPU's instruction itself makes the access, so that it may be given up here.
 *
 * The depth of RCU read sections tells. The execution loop holds one section, except around an instruction that is
 * run alone (an exclusive context): that holds none. The instruction's own access adds no section.
 * Other accesses in the vCPU's thread go through an address space, which adds a section: a device's message or DMA
 * that the instruction caused, VMRUN, system management mode, the debugger's look at code. To give up the
 * instruction there would never end that section, and would leave the device in the middle of its work.
 *
 * The attributes of an access do not tell: on POWER those of a processor's own access are unspecified, too
 * (tlb_set_page). */
static bool is_own(const CPUState *cpu)
{
    return get_ptr_rcu_reader()->depth == (cpu_in_exclusive_context(cpu) ? 0 : 1);
}

CPUState *pb_accessing_cpu(void)
{
    CPUState *cpu = pb_running_cpu();
    return cpu && is_own(cpu) ? cpu : NULL;
}

static G_NORETURN void hold(PbStall *s, CPUState *cpu)
{
    if (!s->armed) { /* the timer came already: for another vCPU, or too early (icount shift=auto) */
        pb_stall_release_at(s, s->at);
    }
    set_bit(pb_vcpu_index(cpu), s->held);
    pb_cpu_again(cpu->cpu_index);
    pb_inspect_given_up();
    pb_time_hold(cpu);
}

/* Free-running: waits until the time has come. False if the wait is too long to be made in place, or if the machine
 * is about to stop: then its clock stands, and the machine waits for this vCPU. */
static bool time_passes(uint64_t until)
{
    uint64_t now;
    while ((now = pb_time_now()) < until) {
        if (until - now > PB_STALL_SHORT_NS || !runstate_is_running()) {
            return false;
        }
        cpu_relax();
    }
    return true;
}

/* Free-running. In an exclusive context the other vCPUs stand still anyway. The board may leave meanwhile. */
static bool time_passes_for_others(const PbStall *s, const CPUState *cpu)
{
    bool alone = cpu_in_exclusive_context(cpu);

    if (!alone) {
        bql_unlock();
    }
    while (pb_time_now() < qatomic_read(&s->at) && runstate_is_running()) {
        cpu_relax();
    }
    if (!alone) {
        bql_lock();
    }
    return pb_time_now() >= s->at;
}

bool pb_stall_wait(PbStall *s, CPUState *cpu)
{
    if (!pb_time_counts_instructions()) {
        if (s->once) {
            return time_passes_for_others(s, cpu);
        }
        if (time_passes(s->at)) {
            return true;
        }
    } else if (s->written[pb_vcpu_index(cpu)] == pb_time_now()) {
        if (s->at == PB_NEVER) {
            return false;
        }
        pb_time_skip(cpu, s->at - s->written[pb_vcpu_index(cpu)]);
        return true;
    }
    hold(s, cpu);
}

void pb_stall_begin_again(CPUState *cpu)
{
    pb_cpu_again(cpu->cpu_index);
    pb_inspect_given_up();
    pb_time_begin_again(cpu);
}

/* The instructions that the vCPU was allowed may begin too late now: it asks anew. */
void pb_stall_await(CPUState *cpu, const uint64_t *ns)
{
    if (!pb_time_grant_await(ns)) {
        pb_stall_begin_again(cpu);
    }
    pb_time_cut(cpu, 0);
}

void pb_stall_behind(CPUState *cpu, uint64_t now, uint64_t until)
{
    if (pb_time_counts_instructions()) {
        pb_time_skip(cpu, until - now);
    } else {
        time_passes(until);
    }
}

void pb_stall_written(PbStall *s, const CPUState *cpu)
{
    if (pb_time_counts_instructions()) {
        s->written[pb_vcpu_index(cpu)] = pb_time_now();
    }
}
