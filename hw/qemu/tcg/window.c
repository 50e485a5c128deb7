/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include <sys/mman.h>
#include "exec/cpu-common.h"
#include "exec/tlb-common.h"
#include "hw/boards.h"
#include "hw/core/cpu.h"
#include "qemu/units.h"

#include "hw/qemu/tcg/cpu_ops.h"
#include "hw/qemu/tcg/ops.h"
#include "hw/qemu/tcg/window.h"
#include "plugins/filter.h"
#include "plugins/port.h"

/* No address is so far from 2^63: it is none of a guest's. */
static const PbWindow nowhere = { UINT64_C(1) << 63, 0 };

enum { LONGEST_ACCESS = 16 };

typedef struct Windows {
    PbWindow mode[NB_MMU_MODES];
    int told; /* pb_filter_changed() was called, and the vCPU has not yet seen to it */
} Windows;

QEMU_BUILD_BUG_ON(NB_MMU_MODES != PB_MMU_MODES);

/* The vCPUs' windows lie as far from their states (env) as each other's, since blocks are shared; and near, since an operation
 * has 32 bits for that distance. 0: there is no filter. */
static intptr_t distance;
static bool (*maybe_marked)(const uint8_t *host);
static typeof(((TCGCPUOps *)0)->tlb_fill) fill_before;

void tlb_flush(CPUState *cpu);

static uintptr_t env_of(CPUState *cpu)
{
    return (uintptr_t)cpu + sizeof(*cpu);
}

static Windows *windows_of(CPUState *cpu)
{
    return (Windows *)(env_of(cpu) + distance);
}

static bool tlb_fill(CPUState *cpu, vaddr addr, int size, MMUAccessType type, int mode, bool probe, uintptr_t ra)
{
    const CPUTLBDescFast *fast = &cpu->neg.tlb.f[mode];
    const CPUTLBEntry *entry;
    PbWindow *w = &windows_of(cpu)->mode[mode];
    uint64_t low, high;
    uintptr_t tag;

    if (!fill_before(cpu, addr, size, type, mode, probe, ra)) {
        return false;
    }
    entry = &fast->table[(addr >> PB_PAGE_BITS) & (fast->mask >> CPU_TLB_ENTRY_BITS)];
    tag = type == MMU_DATA_STORE ? entry->addr_write : type == MMU_DATA_LOAD ? entry->addr_read : entry->addr_code;
    if (maybe_marked(tag & PB_TLB_MMIO ? NULL : (const uint8_t *)(uintptr_t)(addr + entry->addend))) {
        high = addr | ((1 << PB_PAGE_BITS) - 1);
        low = high - ((1 << PB_PAGE_BITS) - 1) - (LONGEST_ACCESS - 1); /* one that begins in the page before */
        if (w->high != nowhere.high) {
            low = MIN(low, w->high - w->span);
            high = MAX(high, w->high);
        }
        *w = (PbWindow){ high, high - low };
    }
    return true;
}

static void forget(CPUState *cpu)
{
    for (int i = 0; i < NB_MMU_MODES; i++) {
        windows_of(cpu)->mode[i] = nowhere;
    }
}

static void refill(CPUState *cpu, run_on_cpu_data unused)
{
    qatomic_set(&windows_of(cpu)->told, 0);
    forget(cpu);
    tlb_flush(cpu);
}

/* In each vCPU's own thread, before its next block. A store that another vCPU's store has let happen is in a later block: a
 * block has no branch within it. */
void pb_filter_changed(void)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        if (distance && !qatomic_xchg(&windows_of(cpu)->told, 1)) {
            async_run_on_cpu(cpu, refill, RUN_ON_CPU_NULL);
        }
    }
}

/* Memory for the windows of vCPUs whose states lie from `first` to `last`; the distance, or 0. */
static intptr_t place_windows(uintptr_t first, uintptr_t last)
{
    const uintptr_t page = qemu_real_host_page_size(), step = 2 * MiB;
    const size_t bytes = ROUND_UP(last - first + sizeof(Windows), page) + page;

    for (uintptr_t d = step; d < 1 * GiB; d += step) {
        for (int sign = -1; sign <= 1; sign += 2) {
            void *at = (void *)ROUND_DOWN(first + sign * d, page);
            void *got = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
            if (got == at) {
                return sign * (intptr_t)d;
            }
            if (got != MAP_FAILED) {
                munmap(got, bytes); /* a kernel that takes the address as a hint */
            }
        }
    }
    return 0;
}

void pb_filter_start(bool (*maybe)(const uint8_t *host))
{
    uintptr_t first = UINTPTR_MAX, last = 0;
    CPUState *cpu, *one = NULL;

    CPU_FOREACH(cpu) {
        if (one && cpu->cc != one->cc) {
            return;
        }
        one = cpu;
        first = MIN(first, env_of(cpu));
        last = MAX(last, env_of(cpu));
    }
    if (distance || !one || !pb_ops_alone() || !one->cc->tcg_ops->tlb_fill ||
        current_machine->smp.max_cpus > current_machine->smp.cpus) {
        return;
    }
    maybe_marked = maybe;
    distance = place_windows(first, last);
    if (!distance) {
        return;
    }
    CPU_FOREACH(cpu) {
        forget(cpu);
    }
    fill_before = pb_cpu_ops(one)->tlb_fill;
    pb_cpu_ops(one)->tlb_fill = tlb_fill;
    pb_filter_changed();
}

bool pb_window_at(unsigned mode, intptr_t *from_env)
{
    *from_env = distance + offsetof(Windows, mode) + mode * sizeof(PbWindow);
    return distance;
}
