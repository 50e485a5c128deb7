/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "hw/core/cpu.h"

#include "hw/qemu/core/alone.h"
#include "hw/qemu/core/tell.h"
#include "plugins/port.h"

static void work(CPUState *cpu, run_on_cpu_data data)
{
    PbAlone *a = data.host_ptr;
    unsigned asked;

    pb_tell_begins(cpu, a->does);
    asked = qatomic_read(&a->asked);
    a->work(cpu);
    qatomic_set(&a->done, asked);
}

/* Between two blocks, big lock held. Behind itself in the queue, so that other work has its turn. */
static void stand(CPUState *cpu, run_on_cpu_data data)
{
    PbAlone *a = data.host_ptr;

    pb_tell_begins(cpu, a->stands);
    if (qatomic_read(&a->done) == qatomic_read(&a->asked) || qatomic_read(&cpu->unplug)) {
        return;
    }
    if (pb_tell(cpu, a->stands)) {
        async_run_on_cpu(cpu, stand, data);
    }
    bql_unlock();
    g_usleep(20);
    bql_lock();
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
