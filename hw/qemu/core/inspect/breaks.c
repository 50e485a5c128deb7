/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/inspect/inspect.h"
#include "hw/qemu/core/time/stall.h"
#include "hw/qemu/core/vcpu/vcpu.h"

typedef struct Attempt {
    const MemoryRegion *mr;
    hwaddr addr;
    unsigned size;
    bool write;
    uint64_t value, pc;
} Attempt;

static struct {
    /* icount: the instruction at which the machine stands, or of which replay was told. Its access passes. */
    int64_t passes;
    int64_t made; /* icount: the instruction that made an access last */
    /* By vCPU: the access that was given up; it passes when it comes again. */
    Attempt given_up[PB_MAX_VCPUS];
    /* By vCPU: the program counter at which code that is fetched from a board was told last, plus 1. */
    uint64_t fetched[PB_MAX_VCPUS];
    bool event; /* the machine is about to stop for an event */
} b = { .passes = -1, .made = -1 };

static bool same(const Attempt *x, const Attempt *y)
{
    return x->mr == y->mr && x->addr == y->addr && x->size == y->size && x->write == y->write && x->value == y->value &&
           x->pc == y->pc;
}

static void run_state_changed(void *opaque, bool running, RunState state)
{
    if (!running || !pb_time_counts_instructions()) {
        return;
    }
    if (pb_time_count() != b.passes) { /* a snapshot was loaded, or gdb went back */
        memset(b.given_up, 0, sizeof(b.given_up));
    }
    b.passes = pb_time_count();
    b.made = -1;
}

void pb_break_init(void)
{
    static bool done;
    if (!done) {
        done = true;
        qemu_add_vm_change_state_handler(run_state_changed, NULL);
    }
}

const char *pb_break_refused(void)
{
    return replay_mode == REPLAY_MODE_RECORD ? "a recording is not stopped: break= belongs to its replay" : NULL;
}

/* The vCPU must not run on until the main loop has stopped the machine, which sets cpu->stop. If it counted as idle meanwhile, then under
 * icount virtual time would jump to the next timer. So it has work to do until then, and other work has its turn. */
static void wait_for_stop(CPUState *cpu, run_on_cpu_data data)
{
    if (!qatomic_read(&cpu->stop) && runstate_is_running()) {
        async_run_on_cpu(cpu, wait_for_stop, RUN_ON_CPU_NULL);
        pb_bql_yield(50);
    }
}

/* In the vCPU's thread, between two instructions. */
static void stop_here(CPUState *cpu, run_on_cpu_data data)
{
    qatomic_set(&b.event, false);
    if (replay_mode == REPLAY_MODE_PLAY && replay_running_debug()) {
        b.passes = pb_time_count();
        replay_breakpoint();
        return;
    }
    if (!runstate_is_running()) {
        return;
    }
    if (gdbserver_state.init) { /* without a stub QEMU has no list of processes, and looks into it */
        gdb_set_stop_cpu(cpu);
    }
    qemu_system_debug_request();
    wait_for_stop(cpu, data);
}

/* Before anything else of the machine runs in this vCPU's thread. */
static void stop_soon(CPUState *cpu)
{
    async_run_on_cpu(cpu, stop_here, RUN_ON_CPU_NULL);
}

static G_NORETURN void give_up(const MemoryRegion *mr, CPUState *cpu, const Attempt *attempt)
{
    b.given_up[pb_vcpu_index(cpu)] = *attempt;
    if (mr->dev && !mr->disable_reentrancy_guard) {
        mr->dev->mem_reentrancy_guard.engaged_in_io = false; /* this access does not return */
    }
    pb_cpu_again(cpu->cpu_index);
    stop_soon(cpu);
    pb_time_begin_again(cpu);
}

/* What a vCPU reads or writes between two instructions: code, the frame of an interrupt. There is nothing to begin again. Code is
 * fetched anew when the machine goes on, as often as it stops; so it is told once. */
static void break_between(CPUState *cpu)
{
    PbCpuState state;
    uint64_t *last = &b.fetched[pb_vcpu_index(cpu)];

    if (!pb_cpu_state(cpu, &state)) {
        return;
    }
    if (*last != state.pc + 1) {
        *last = state.pc + 1;
        pb_break_event();
    }
}

void pb_break_access(const MemoryRegion *mr, hwaddr addr, unsigned size, bool write, uint64_t value, bool named)
{
    CPUState *cpu = pb_accessing_cpu();
    Attempt attempt = { mr, addr, size, write, write ? value : 0, 0 };
    int64_t before = -1;
    bool second = false, passes;

    if (!cpu) {
        if (named) {
            pb_break_event();
        }
        return;
    }
    if (!cpu->mem_io_pc) {
        if (named) {
            break_between(cpu);
        }
        return;
    }
    pb_access_pc(cpu, &attempt.pc);
    if (b.fetched[pb_vcpu_index(cpu)] != attempt.pc + 1) {
        b.fetched[pb_vcpu_index(cpu)] = 0;
    }
    if (pb_time_counts_instructions()) {
        before = pb_time_count() - 1;
        second = before == b.made;
        b.made = before;
    }
    if (!named) {
        return;
    }
    passes = same(&attempt, &b.given_up[pb_vcpu_index(cpu)]) || (before >= 0 && before == b.passes);
    if (passes) {
        b.given_up[pb_vcpu_index(cpu)] = (Attempt){ 0 };
        b.passes = -1;
    } else if (second) {
        pb_break_event();
    } else {
        b.made = -1;
        give_up(mr, cpu, &attempt);
    }
}

void pb_break_leave(const Object *board)
{
    for (unsigned i = 0; i < PB_MAX_VCPUS; i++) {
        if (b.given_up[i].mr && b.given_up[i].mr->owner == board) {
            b.given_up[i] = (Attempt){ 0 };
        }
    }
}

void pb_break_event(void)
{
    CPUState *cpu = pb_running_cpu() ?: first_cpu;
    if (!qatomic_xchg(&b.event, true)) {
        stop_soon(cpu);
    }
}
