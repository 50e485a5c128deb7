/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the guest's mapping makes of a page's memory, kept in QEMU's own TLB: where an entry goes, its type goes, too, and the
 * type is as old as the translation. It is kept in a byte of the entry's attributes that QEMU reserves. These attributes also
 * come with an access to a device (core/vcpu/vcpu.h). */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/series/insides.h"
#include "hw/qemu/series/per_target.h"
#include "hw/qemu/series/tlb.h"
#include "hw/qemu/tcg/cpu_kind.h"
#include "hw/qemu/tcg/cpu_ops.h"
#include "plugins/instrument.h"

static bool (*wanted)(uint64_t page);

QEMU_BUILD_BUG_ON(sizeof(((MemTxAttrs *)0)->_reserved1) != sizeof(uint8_t));

/* QEMU leaves the byte alone. */
static void try_reserved(const CPUTLBEntryFull *full)
{
    static bool tried;

    if (!qatomic_xchg(&tried, true)) {
        pb_inside_needed("attributes", !full->attrs._reserved1);
    }
}

static void filled(CPUState *cpu, vaddr addr, MMUAccessType type, int mode)
{
    CPUTLBEntryFull *full = pb_tlb_full(cpu, mode, pb_tlb_index(cpu, mode, addr));

    if (wanted(full->phys_addr >> PB_PAGE_BITS)) {
        try_reserved(full);
        full->attrs._reserved1 = pb_cpu_kind->memory_type(cpu, addr) + 1;
    }
}

static void flush(CPUState *cpu, run_on_cpu_data unused)
{
    pb_vcpu_work_begins(cpu, PB_VCPU_WORK_FLUSH);
    tlb_flush(cpu);
}

void pb_cpu_flush(CPUState *cpu)
{
    if (pb_vcpu_work_wanted(cpu, PB_VCPU_WORK_FLUSH)) {
        async_run_on_cpu(cpu, flush, RUN_ON_CPU_NULL);
    }
}

void pb_memory_types(bool (*those)(uint64_t page))
{
    CPUState *cpu = qemu_get_cpu(0);
    bool first;

    if (!pb_cpu_isa() || !pb_cpu_kind->memory_type) {
        return;
    }
    first = !wanted;
    wanted = those;
    if (first) {
        pb_cpu_on_fill(cpu, filled);
    }
    CPU_FOREACH(cpu) {
        pb_cpu_flush(cpu);
    }
}

uint8_t pb_memory_type(const PbCpuView *view, unsigned mmu_mode, uintptr_t entry, uint64_t vaddr)
{
    uint8_t kept = pb_tlb_full(view->cpu, mmu_mode, entry)->attrs._reserved1;

    if (kept) {
        return kept - 1;
    }
    return pb_cpu_isa() && pb_cpu_kind->memory_type ? pb_cpu_kind->memory_type(view->cpu, vaddr) : PB_MEMORY_UNCACHED;
}

PbAccessKind pb_access_kind(CPUState *cpu, MemTxAttrs attrs)
{
    PbUnderWay insn = pb_instrument_under_way(cpu);

    return (PbAccessKind){
        .locked = insn.locked,
        .hides_loads = insn.hides_loads,
        .hides_stores = insn.hides_stores,
        .type = attrs._reserved1 ? attrs._reserved1 - 1 : PB_MEMORY_UNCACHED,
    };
}
