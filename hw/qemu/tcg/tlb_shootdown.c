/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "hw/core/cpu.h"

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/tcg/tlb_shootdown.h"

enum { MOST = 4096 };

/* What the others have told a vCPU: pages that its TLBs are to drop, the oldest first, or PB_ALL_PAGES alone. */
typedef struct Shootdown {
    GMutex lock;
    GArray *pages; /* of uint64_t */
} Shootdown;

static Shootdown *shootdowns; /* by vCPU index */
static unsigned shootdown_count;
static void (*drop_page)(unsigned vcpu, uint64_t page);

/* In the vCPU's thread, or while no vCPU is in a block. */
static void take_shootdown(unsigned vcpu)
{
    Shootdown *s = &shootdowns[vcpu];
    g_autoptr(GMutexLocker) guard = g_mutex_locker_new(&s->lock);

    for (unsigned i = 0; i < s->pages->len; i++) {
        drop_page(vcpu, g_array_index(s->pages, uint64_t, i));
    }
    g_array_set_size(s->pages, 0);
}

void pb_tlb_shootdown_begin(unsigned vcpus, void (*drop)(unsigned vcpu, uint64_t page))
{
    shootdowns = g_new0(Shootdown, vcpus);
    shootdown_count = vcpus;
    drop_page = drop;
    for (unsigned i = 0; i < vcpus; i++) {
        shootdowns[i].pages = g_array_new(false, false, sizeof(uint64_t));
    }
}

void pb_tlb_shootdown_gone(unsigned vcpu)
{
    g_autoptr(GMutexLocker) guard = g_mutex_locker_new(&shootdowns[vcpu].lock);

    g_array_set_size(shootdowns[vcpu].pages, 0);
}

static void take(CPUState *cpu, run_on_cpu_data data)
{
    pb_vcpu_work_begins(cpu, PB_VCPU_WORK_PAGES);
    take_shootdown(cpu->cpu_index);
}

void pb_tlb_shootdown_take(void)
{
    for (unsigned i = 0; i < shootdown_count; i++) {
        take_shootdown(i);
    }
}

static void take_all(CPUState *cpu)
{
    pb_tlb_shootdown_take();
}

static void shoot_down(CPUState *cpu, uint64_t page)
{
    static PbStopVcpus full = { .work = take_all, .does = PB_VCPU_WORK_FULL, .waits = PB_VCPU_WORK_FULL_WAIT };
    Shootdown *s = &shootdowns[cpu->cpu_index];
    g_autoptr(GMutexLocker) guard = g_mutex_locker_new(&s->lock);

    if (s->pages->len && g_array_index(s->pages, uint64_t, 0) == PB_ALL_PAGES) {
        return;
    }
    if (page == PB_ALL_PAGES) {
        g_array_set_size(s->pages, 0);
    }
    g_array_append_val(s->pages, page);
    if (s->pages->len >= MOST) {
        pb_stop_vcpus_for(&full);
    }
}

void pb_tlb_shootdown(unsigned vcpu, uint64_t page)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        if (cpu->cpu_index != vcpu) {
            shoot_down(cpu, page);
            if (pb_vcpu_work_wanted(cpu, PB_VCPU_WORK_PAGES)) {
                async_run_on_cpu(cpu, take, RUN_ON_CPU_NULL);
            }
        }
    }
}
