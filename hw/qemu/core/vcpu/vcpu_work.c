/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/vcpu/vcpu.h"
#include "plugins/port.h"

static unsigned waiting[PB_MAX_VCPUS]; /* by vCPU, a bit for each kind */

/* The load guard has seen to it. */
unsigned pb_vcpu_index(const CPUState *cpu)
{
    g_assert(cpu->cpu_index >= 0 && cpu->cpu_index < PB_MAX_VCPUS);
    return cpu->cpu_index;
}

bool pb_vcpu_work_wanted(const CPUState *cpu, unsigned what)
{
    return !(qatomic_fetch_or(&waiting[pb_vcpu_index(cpu)], what) & what);
}

void pb_vcpu_work_begins(const CPUState *cpu, unsigned what)
{
    qatomic_and(&waiting[pb_vcpu_index(cpu)], ~what);
}

void pb_vcpu_work_fresh(unsigned vcpu)
{
    g_assert(vcpu < PB_MAX_VCPUS);
    qatomic_set(&waiting[vcpu], 0);
}

/* --- while no vCPU is in a block --------------------------------------------------- */

static void work(CPUState *cpu, run_on_cpu_data data)
{
    PbStopVcpus *a = data.host_ptr;
    unsigned asked;

    pb_vcpu_work_begins(cpu, a->does);
    asked = qatomic_read(&a->asked);
    a->work(cpu);
    qatomic_store_release(&a->done, asked); /* who sees it sees what the work has done */
}

static bool must_wait(CPUState *cpu, const PbStopVcpus *a)
{
    return qatomic_load_acquire(&a->done) != qatomic_read(&a->asked) && !qatomic_read(&cpu->unplug);
}

static void nothing(CPUState *cpu, run_on_cpu_data data)
{
}

/*
 * Between two blocks, big lock held. Meanwhile other work has its turn, all that waits each time: whoever waits for a piece of it is woken when
 * QEMU has come to the end of the queue, and not before. What was done ahead of this in the queue has its waiter, too: hence a piece that does
 * nothing.
 */
static void wait_for_work(CPUState *cpu, run_on_cpu_data data)
{
    PbStopVcpus *a = data.host_ptr;

    do {
        async_run_on_cpu(cpu, nothing, RUN_ON_CPU_NULL);
        while (must_wait(cpu, a)) {
            process_queued_cpu_work(cpu);
            pb_bql_yield(20);
        }
        pb_vcpu_work_begins(cpu, a->waits);
        /* Asked for in between, and not told because of the bit. */
    } while (must_wait(cpu, a) && pb_vcpu_work_wanted(cpu, a->waits));
}

void pb_stop_vcpus_for(PbStopVcpus *a)
{
    const run_on_cpu_data data = RUN_ON_CPU_HOST_PTR(a);
    CPUState *first = first_cpu, *own = pb_running_cpu(), *cpu;
    const CPUState *only = !a->each && own && own->thread == first->thread ? own : NULL;

    qatomic_inc(&a->asked);
    CPU_FOREACH(cpu) {
        if (cpu->thread != first->thread) {
            if (pb_vcpu_work_wanted(cpu, a->waits)) {
                async_run_on_cpu(cpu, wait_for_work, data);
            }
        } else if (a->each || cpu == (only ? only : first)) {
            if (pb_vcpu_work_wanted(cpu, a->does)) {
                async_safe_run_on_cpu(cpu, work, data);
            }
        }
    }
}

/* On x86 QEMU has waited for the vCPU's thread before it tells plugins. On POWER it waits later: until then the thread goes on without an index,
 * and translated code would count in front of all vCPUs' entries. So it is waited for here. One that lets itself go cannot be waited for; nor does
 * QEMU survive it. */
void pb_stop_vcpu(unsigned vcpu)
{
    CPUState *cpu = qemu_get_cpu(vcpu);

    if (!cpu || qemu_cpu_is_self(cpu)) {
        return;
    }
    cpu->stop = true;
    cpu->unplug = true;
    qemu_cpu_kick(cpu);
    while (qatomic_read(&cpu->created)) {
        pb_bql_yield(20);
    }
}
