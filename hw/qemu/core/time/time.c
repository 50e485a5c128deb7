/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/model/host.h"
#include "hw/qemu/core/time/stall.h"
#include "hw/qemu/core/time/time.h"
#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/series/insides.h"

/* What is read of QEMU's insides, as the series that this is built against has it. */
#define IS_A(type, what) QEMU_BUILD_BUG_ON(!__builtin_types_compatible_p(type, typeof(what)))
IS_A(int64_t, timers_state.qemu_icount);
IS_A(int64_t, timers_state.qemu_icount_bias);
IS_A(int16_t, timers_state.icount_time_shift);
IS_A(int64_t, timers_state.cpu_clock_offset);
IS_A(QemuSeqLock, timers_state.vm_clock_seqlock);
IS_A(QemuSpin, timers_state.vm_clock_lock);
IS_A(int64_t, ((CPUState *)0)->icount_budget);
IS_A(int64_t, ((CPUState *)0)->icount_extra);
IS_A(uint16_t, ((CPUState *)0)->neg.icount_decr.u16.low);
IS_A(uint32_t, ((CPUState *)0)->cflags_next_tb);
QEMU_BUILD_BUG_ON(ICOUNT_DISABLED != 0);

void pb_time_try(void)
{
    pb_inside_needed("timers", pb_inside_bytes(&timers_state, sizeof(timers_state)) && pb_inside_bytes(&use_icount, sizeof(use_icount)));
}

/* --- the clock ---------------------------------------------------------------- */

int64_t pb_time_executed(const CPUState *cpu)
{
    return cpu->icount_budget - (cpu->neg.icount_decr.u16.low + cpu->icount_extra);
}

static int64_t time_of(int64_t count)
{
    return timers_state.qemu_icount_bias + (count << timers_state.icount_time_shift);
}

/* At a vCPU's first access to a board: QEMU counts and tells the time as pb_event_time() does. */
static void try_icount(void)
{
    static bool tried;
    const CPUState *cpu = tried || !pb_time_counts_instructions() ? NULL : pb_accessing_cpu();

    if (cpu) {
        int64_t count = timers_state.qemu_icount + pb_time_executed(cpu);
        tried = true;
        pb_inside_needed("icount", count == icount_get_raw() && time_of(count) == qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
    }
}

uint64_t pb_time_now(void)
{
    try_icount();
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

bool pb_time_counts_instructions(void)
{
    return use_icount != ICOUNT_DISABLED;
}

uint64_t pb_time_of_instruction(void)
{
    return pb_time_counts_instructions() ? UINT64_C(1) << timers_state.icount_time_shift : 0;
}

int64_t pb_time_count(void)
{
    return icount_get_raw();
}

void pb_time_go_to(uint64_t ns)
{
    const int64_t more = ns - pb_time_now();

    seqlock_write_lock(&timers_state.vm_clock_seqlock, &timers_state.vm_clock_lock);
    timers_state.cpu_clock_offset += MAX(more, 0);
    seqlock_write_unlock(&timers_state.vm_clock_seqlock, &timers_state.vm_clock_lock);
}

uint64_t pb_time_of_next_timer(uint64_t now)
{
    const int64_t ns = qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL, ~QEMU_TIMER_ATTR_EXTERNAL);

    return ns < 0 ? PB_NEVER : now + ns;
}

uint64_t pb_event_time(const PbCpuView *view, unsigned insns_left)
{
    CPUState *cpu = view->cpu;
    if (!pb_time_counts_instructions()) {
        return pb_time_now();
    }
    /* icount_get() ends QEMU if the instruction may not do I/O, so the time is computed here.
     * A block takes all of its instructions off the counter when it starts. insns_left have not run yet. */
    return time_of(timers_state.qemu_icount + pb_time_executed(cpu) - insns_left);
}

/* --- vCPUs ---------------------------------------------------------------------- */

static bool held[PB_MAX_VCPUS]; /* by pb_time_hold() */

void pb_time_pass(uint64_t ns)
{
    seqlock_write_lock(&timers_state.vm_clock_seqlock, &timers_state.vm_clock_lock);
    timers_state.qemu_icount_bias += ns;
    seqlock_write_unlock(&timers_state.vm_clock_seqlock, &timers_state.vm_clock_lock);
}

/* icount, and no vCPU can run: time goes to the next timer at once. Otherwise QEMU's main loop would see to it, while the vCPUs' thread sleeps or is
 * still about to. Which of the two it is depends on the host, and so does then QEMU's next turn of the vCPUs (its kick timer): two runs would differ. */
static void pass_idle_time(void)
{
    const uint64_t now = pb_time_now(), next = pb_time_of_next_timer(now);
    pb_time_pass(next == PB_NEVER ? 0 : next - now);
}

void pb_time_hold(CPUState *cpu)
{
    held[pb_vcpu_index(cpu)] = true;
    cpu->stopped = !pb_time_is_granted();
    if (cpu->stopped && pb_time_counts_instructions() && all_cpu_threads_idle()) {
        pass_idle_time();
    }
    pb_time_begin_again(cpu);
}

bool pb_time_holds(const CPUState *cpu)
{
    return held[pb_vcpu_index(cpu)];
}

void pb_time_begin_again(CPUState *cpu)
{
    cpu->exception_index = EXCP_INTERRUPT; /* QEMU leaves the execution loop, and looks at `stopped` and at the vCPU's work */
    cpu_loop_exit_restore(cpu, cpu->mem_io_pc);
}

void pb_time_release(CPUState *cpu)
{
    cpu->stopped = held[pb_vcpu_index(cpu)] = false;
    qemu_cpu_kick(cpu);
}

bool pb_time_vcpus_run(void)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        if (!cpu->stopped && !pb_time_holds(cpu)) {
            return true;
        }
    }
    return false;
}

uint64_t pb_time_of_turn(CPUState *cpu)
{
    return cpu->icount_budget * pb_time_of_instruction();
}

void pb_time_cut(CPUState *cpu, uint64_t ns)
{
    const uint64_t one = pb_time_of_instruction(), most = ns / one + (ns % one != 0);

    if (most > (uint64_t)cpu->icount_budget) {
        cpu->cflags_next_tb = -1; /* not as short as what was left had made the next block */
    }
    cpu->icount_budget = most;
    cpu->neg.icount_decr.u16.low = MIN(most, 0xffff);
    cpu->icount_extra = most - MIN(most, 0xffff);
}

bool pb_time_is_up(CPUState *cpu)
{
    return cpu->neg.icount_decr.u16.low + cpu->icount_extra == 0 || cpu->cflags_next_tb != -1;
}

void pb_time_skip(CPUState *cpu, uint64_t ns)
{
    (pb_time_is_granted() ? pb_time_grant_skip : pb_time_pass)(ns);
    cpu_exit(cpu);
}

/* --- the machine ------------------------------------------------------------------ */

void pb_time_stopped_is_not_idle(void)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        if (cpu->stopped && !held[pb_vcpu_index(cpu)]) {
            cpu->stop = true;
        }
    }
}
