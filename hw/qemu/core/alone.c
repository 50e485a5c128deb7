/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "hw/core/cpu.h"

#include "hw/qemu/core/alone.h"
#include "hw/qemu/core/give_way.h"
#include "hw/qemu/core/machine.h"
#include "hw/qemu/core/tell.h"

static void work(CPUState *cpu, run_on_cpu_data data)
{
    PbAlone *a = data.host_ptr;
    unsigned asked;

    pb_tell_begins(cpu, a->does);
    asked = qatomic_read(&a->asked);
    a->work(cpu);
    qatomic_set(&a->done, asked);
}

static bool must_stand(CPUState *cpu, const PbAlone *a)
{
    return qatomic_read(&a->done) != qatomic_read(&a->asked) && !qatomic_read(&cpu->unplug);
}

static void nothing(CPUState *cpu, run_on_cpu_data data)
{
}

/*
 * Between two blocks, big lock held. Meanwhile other work has its turn, all that waits each time: whoever waits for a piece of it is woken when
 * QEMU has come to the end of the queue, and not before. What was done ahead of this in the queue has its waiter, too: hence a piece that does
 * nothing.
 */
static void stand(CPUState *cpu, run_on_cpu_data data)
{
    PbAlone *a = data.host_ptr;

    do {
        async_run_on_cpu(cpu, nothing, RUN_ON_CPU_NULL);
        while (must_stand(cpu, a)) {
            process_queued_cpu_work(cpu);
            pb_give_way(20);
        }
        pb_tell_begins(cpu, a->stands);
        /* Asked for in between, and not told because of the bit. */
    } while (must_stand(cpu, a) && pb_tell(cpu, a->stands));
}

void pb_alone(PbAlone *a)
{
    const run_on_cpu_data data = RUN_ON_CPU_HOST_PTR(a);
    CPUState *first = first_cpu, *own = pb_running_cpu(), *cpu;
    const CPUState *only = !a->each && own && own->thread == first->thread ? own : NULL;

    qatomic_inc(&a->asked);
    CPU_FOREACH(cpu) {
        if (cpu->thread != first->thread) {
            if (pb_tell(cpu, a->stands)) {
                async_run_on_cpu(cpu, stand, data);
            }
        } else if (a->each || cpu == (only ? only : first)) {
            if (pb_tell(cpu, a->does)) {
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
        pb_give_way(20);
    }
}
