/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include <sys/mman.h>

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/series/per_target.h"
#include "hw/qemu/series/tcg.h"
#include "hw/qemu/series/tlb.h"
#include "hw/qemu/tcg/branches.h"
#include "hw/qemu/tcg/cpu_ops.h"
#include "hw/qemu/tcg/ops.h"

/* Before 2^63 there is no guest's address for long. What ends a range is the end of a page (branches.h). */
static const PbFilterRange nowhere = { (UINT64_C(1) << 63) - 1, 0 };

enum { LONGEST_ACCESS = 16 };

typedef struct Ranges {
    PbFilterRange mode[NB_MMU_MODES];
    PbHitFilter *hit_filter[NB_MMU_MODES];
} Ranges;

/* From a vCPU's state to its ranges (ops.h). 0: there is no filter. */
static intptr_t distance;
static PbHitFilter *lines_of[PB_MAX_VCPUS]; /* by vCPU index, of those that went, too */
static unsigned hit_filter_bits;
static bool (*maybe_marked)(const uint8_t *host, uint64_t addr);

static Ranges *ranges_of(CPUState *cpu)
{
    return (Ranges *)(pb_env_of(cpu) + distance);
}

static void set_range(CPUState *cpu, int mode, PbFilterRange w)
{
    ranges_of(cpu)->mode[mode] = w;
    pb_access_count_range(cpu, mode, w);
}

/* A page has another place than before, or may have. */
static void forget_lines(CPUState *cpu, int mode, vaddr addr)
{
    uint64_t first = (addr >> PB_PAGE_BITS << PB_PAGE_BITS >> hit_filter_bits) % PB_HIT_LINES;

    memset(&ranges_of(cpu)->hit_filter[mode]->line[first], 0xff, sizeof(PbHitLine) << (PB_PAGE_BITS - hit_filter_bits));
}

static void filled(CPUState *cpu, vaddr addr, MMUAccessType type, int mode)
{
    const CPUTLBEntryFull *full;
    const CPUTLBEntry *entry;
    const PbFilterRange w = ranges_of(cpu)->mode[mode];
    uint64_t low, high;
    uintptr_t tag, index;

    if (hit_filter_bits) {
        forget_lines(cpu, mode, addr);
    }
    index = pb_tlb_index(cpu, mode, addr);
    entry = &pb_tlb_fast(cpu, mode)->table[index];
    tag = entry->addr_idx[type];
    full = pb_tlb_full(cpu, mode, index);
    if (maybe_marked(PB_TLB_IS_DEVICE(tag, full->slow_flags[type]) ? NULL : (const uint8_t *)(uintptr_t)(addr + entry->addend), full->phys_addr)) {
        high = addr | ((1 << PB_PAGE_BITS) - 1);
        low = high - ((1 << PB_PAGE_BITS) - 1) - (LONGEST_ACCESS - 1); /* one that begins in the page before */
        if (w.high != nowhere.high) {
            low = MIN(low, w.high - w.span);
            high = MAX(high, w.high);
        }
        set_range(cpu, mode, (PbFilterRange){ high, high - low });
    }
}

static void forget(CPUState *cpu)
{
    for (int i = 0; i < NB_MMU_MODES; i++) {
        set_range(cpu, i, nowhere);
    }
}

static void refill(CPUState *cpu, run_on_cpu_data unused)
{
    pb_vcpu_work_begins(cpu, PB_VCPU_WORK_FILTER);
    if (distance) {
        forget(cpu);
    }
    tlb_flush(cpu);
}

/* In each vCPU's own thread, before its next block. A store that another vCPU's store has let happen is in a later block: a
 * block has no branch within it. */
void pb_filter_changed(void)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        if (maybe_marked && pb_vcpu_work_wanted(cpu, PB_VCPU_WORK_FILTER)) {
            async_run_on_cpu(cpu, refill, RUN_ON_CPU_NULL);
        }
    }
}

#ifndef MAP_32BIT /* Linux has it on x86 only */
#define MAP_32BIT 0
#endif

/* Where an operation has the address as a constant, if there is room; else it comes from beside the vCPU's state. */
static PbHitFilter *place_lines(void)
{
    void *at = mmap(NULL, NB_MMU_MODES * sizeof(PbHitFilter), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    return at == MAP_FAILED ? g_new(PbHitFilter, NB_MMU_MODES) : at;
}

void pb_filter_start(bool (*maybe)(const uint8_t *host, uint64_t addr))
{
    PbEnvSpan span;
    CPUState *cpu;

    maybe_marked = maybe;
    pb_cpu_on_fill(qemu_get_cpu(0), NULL); /* without a filter, too, accesses' entries are read */
    if (distance || !pb_translator_known() || !pb_env_span(&span) || !pb_ops_alone()) {
        return;
    }
    distance = pb_env_place(&span, 0, sizeof(Ranges));
    if (!distance) {
        return;
    }
    pb_access_count_start(&span);
    CPU_FOREACH(cpu) {
        PbHitFilter *hit_filter = lines_of[pb_vcpu_index(cpu)] = place_lines();
        memset(hit_filter, 0xff, NB_MMU_MODES * sizeof(*hit_filter));
        for (int i = 0; i < NB_MMU_MODES; i++) {
            ranges_of(cpu)->hit_filter[i] = &hit_filter[i];
        }
        forget(cpu);
    }
    pb_cpu_on_fill(qemu_get_cpu(0), filled);
    pb_filter_changed();
}

PbHitFilter *pb_hit_filter_table(unsigned vcpu)
{
    g_assert(vcpu < PB_MAX_VCPUS);
    return distance && pb_ops_alone() ? lines_of[vcpu] : NULL;
}

void pb_hit_filter_lines(unsigned bits)
{
    hit_filter_bits = bits;
}

bool pb_hit_filter_at(unsigned mode, PbHitFilterAt *at)
{
    CPUState *cpu = pb_running_cpu();
    bool alone = cpu && !(cpu->tcg_cflags & CF_PARALLEL);

    *at = (PbHitFilterAt){ .bits = hit_filter_bits, .from_env = distance + offsetof(Ranges, hit_filter[mode]) };
    if (!distance || !hit_filter_bits) {
        return false;
    }
    at->table = alone ? (uintptr_t)ranges_of(cpu)->hit_filter[mode] : 0;
    at->table = at->table <= INT32_MAX - sizeof(PbHitFilter) ? at->table : 0;
    return true;
}

bool pb_filter_range_at(unsigned mode, intptr_t *from_env)
{
    *from_env = distance + offsetof(Ranges, mode) + mode * sizeof(PbFilterRange);
    return distance;
}
