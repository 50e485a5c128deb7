/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "hw/core/cpu.h"

#include "hw/qemu/core/alone.h"
#include "hw/qemu/core/machine.h"
#include "hw/qemu/core/tell.h"
#include "hw/qemu/tcg/told.h"

enum { MOST = 4096 };

/* What the others have told a vCPU: pages that its TLBs are to drop, the oldest first, or PB_ALL_PAGES alone. */
typedef struct Told {
    GMutex lock;
    GArray *pages; /* of uint64_t */
} Told;

static Told *told; /* by vCPU index */
static unsigned told_count;
static void (*told_drop)(unsigned vcpu, uint64_t page);

/* In the vCPU's thread, or while no vCPU is in a block. */
static void take_told(unsigned vcpu)
{
    Told *t = &told[vcpu];
    g_autoptr(GMutexLocker) guard = g_mutex_locker_new(&t->lock);

    for (unsigned i = 0; i < t->pages->len; i++) {
        told_drop(vcpu, g_array_index(t->pages, uint64_t, i));
    }
    g_array_set_size(t->pages, 0);
}

void pb_told_begin(unsigned vcpus, void (*drop)(unsigned vcpu, uint64_t page))
{
    told = g_new0(Told, vcpus);
    told_count = vcpus;
    told_drop = drop;
    for (unsigned i = 0; i < vcpus; i++) {
        told[i].pages = g_array_new(false, false, sizeof(uint64_t));
    }
}

void pb_told_gone(unsigned vcpu)
{
    g_autoptr(GMutexLocker) guard = g_mutex_locker_new(&told[vcpu].lock);

    g_array_set_size(told[vcpu].pages, 0);
}

static void take(CPUState *cpu, run_on_cpu_data data)
{
    pb_tell_begins(cpu, PB_TELL_PAGES);
    take_told(cpu->cpu_index);
}

void pb_told_take(void)
{
    for (unsigned i = 0; i < told_count; i++) {
        take_told(i);
    }
}

static void take_all(CPUState *cpu)
{
    pb_told_take();
}

static void tell_one(CPUState *cpu, uint64_t page)
{
    static PbAlone full = { .work = take_all, .does = PB_TELL_FULL, .stands = PB_TELL_FULL_STAND };
    Told *t = &told[cpu->cpu_index];
    g_autoptr(GMutexLocker) guard = g_mutex_locker_new(&t->lock);

    if (t->pages->len && g_array_index(t->pages, uint64_t, 0) == PB_ALL_PAGES) {
        return;
    }
    if (page == PB_ALL_PAGES) {
        g_array_set_size(t->pages, 0);
    }
    g_array_append_val(t->pages, page);
    if (t->pages->len >= MOST) {
        pb_alone(&full);
    }
}

void pb_cpu_tell_others(unsigned vcpu, uint64_t page)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        if (cpu->cpu_index != vcpu) {
            tell_one(cpu, page);
            if (pb_tell(cpu, PB_TELL_PAGES)) {
                async_run_on_cpu(cpu, take, RUN_ON_CPU_NULL);
            }
        }
    }
}
