/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "exec/memory.h"
#include "hw/core/cpu.h"

#include "hw/qemu/core/alone.h"
#include "hw/qemu/core/tell.h"
#include "hw/qemu/core/time.h"
#include "hw/qemu/core/windows.h"

void tlb_flush(CPUState *cpu); /* its header needs to know the target */

static unsigned waiting; /* transactions that are not committed; big lock */

static void show(void)
{
    for (; waiting; waiting--) {
        memory_region_transaction_commit();
    }
}

/* QEMU empties a vCPU's TLB before its next block, but if an interrupt comes first, its frame is pushed with what the TLB holds. */
static void show_to_all(CPUState *unused)
{
    CPUState *cpu;

    bql_lock();
    if (waiting) {
        show();
        CPU_FOREACH(cpu) {
            tlb_flush(cpu);
        }
    }
    bql_unlock();
}

void pb_windows_commit(void)
{
    static PbAlone shown = { .work = show_to_all, .does = PB_TELL_WINDOWS, .stands = PB_TELL_WINDOWS_STAND };

    waiting++;
    if (pb_time_vcpus_run()) {
        pb_alone(&shown);
    } else {
        show();
    }
}
