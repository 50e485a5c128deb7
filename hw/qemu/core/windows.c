/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "exec/memory.h"
#include "hw/core/cpu.h"

#include "hw/qemu/core/time.h"
#include "hw/qemu/core/windows.h"
#include "plugins/port.h"

void tlb_flush(CPUState *cpu); /* its header needs to know the target */

/* Big lock. */
static struct {
    unsigned waiting; /* transactions that are not committed */
    int batch;        /* how often any were */
    QemuCond shown;   /* `batch` has changed */
} windows;

static void show(void)
{
    while (windows.waiting) {
        windows.waiting--;
        memory_region_transaction_commit();
    }
    windows.batch++;
    qemu_cond_broadcast(&windows.shown);
}

/* No vCPU is in a block. QEMU empties a vCPU's TLB before its next block, but if an interrupt comes first, its frame is pushed with
 * what the TLB holds. */
static void show_to_all(CPUState *unused, run_on_cpu_data none)
{
    CPUState *cpu;

    bql_lock();
    if (windows.waiting) {
        show();
        CPU_FOREACH(cpu) {
            tlb_flush(cpu);
        }
    }
    bql_unlock();
}

/* Between two blocks. Not safe work: with that two vCPUs would stop each other in turn, and one that waits within an access for
 * another (QEMU's kvmvapic makes a guest's processors do that when they start) might be waited for. */
static void stand(CPUState *cpu, run_on_cpu_data batch)
{
    while (windows.waiting && windows.batch == batch.host_int) {
        qemu_cond_wait_bql(&windows.shown);
    }
}

/* Those in the same thread, as under icount, do not run before this one stops. */
static void stop_vcpus(CPUState *first)
{
    CPUState *cpu;

    async_safe_run_on_cpu(first, show_to_all, RUN_ON_CPU_NULL);
    CPU_FOREACH(cpu) {
        if (cpu->thread != first->thread) {
            async_run_on_cpu(cpu, stand, RUN_ON_CPU_HOST_INT(windows.batch));
        }
    }
}

void pb_windows_commit(void)
{
    static bool ready;

    if (!ready) {
        ready = true;
        qemu_cond_init(&windows.shown);
    }
    windows.waiting++;
    if (!pb_time_vcpus_run()) {
        show();
    } else if (windows.waiting == 1) { /* otherwise they have been told */
        stop_vcpus(pb_running_cpu() ?: first_cpu);
    }
}
