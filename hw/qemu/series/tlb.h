/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Tlb - a vCPU's softmmu TLB. In its own thread, or while it does not run.
 *
 *   i = pb_tlb_index(cpu, mode, addr);        where an address's entry stands in an MMU mode's table
 *   pb_tlb_fast(cpu, mode)->table[i]          what translated code looks at
 *   pb_tlb_full(cpu, mode, i)                 what else QEMU knows of the page: where it is, attributes
 *   pb_tlb_desc(cpu, mode)                    how much of the table is used, and how long it has been so
 */
#ifndef PB_TLB_H
#define PB_TLB_H

#include "hw/qemu/series/qemu.h"
#include "plugins/port.h"

QEMU_BUILD_BUG_ON(sizeof(PbTlbEntry) != sizeof(CPUTLBEntry));
QEMU_BUILD_BUG_ON(offsetof(PbTlbEntry, addr_read) != offsetof(CPUTLBEntry, addr_read));
QEMU_BUILD_BUG_ON(offsetof(PbTlbEntry, addr_write) != offsetof(CPUTLBEntry, addr_write));
QEMU_BUILD_BUG_ON(offsetof(PbTlbEntry, addr_code) != offsetof(CPUTLBEntry, addr_code));
QEMU_BUILD_BUG_ON(offsetof(PbTlbEntry, addend) != offsetof(CPUTLBEntry, addend));
QEMU_BUILD_BUG_ON(PB_TLB_ENTRY_BITS != CPU_TLB_ENTRY_BITS);
QEMU_BUILD_BUG_ON(sizeof(PbTlbFast) != sizeof(CPUTLBDescFast));
QEMU_BUILD_BUG_ON(offsetof(PbTlbFast, mask) != offsetof(CPUTLBDescFast, mask));
QEMU_BUILD_BUG_ON(offsetof(PbTlbFast, table) != offsetof(CPUTLBDescFast, table));
QEMU_BUILD_BUG_ON(PB_MMU_MODES != NB_MMU_MODES);

/* All modes', in QEMU's order (PB_TLB_TABLE). */
static inline const CPUTLBDescFast *pb_tlb_tables(const CPUState *cpu)
{
    return cpu->neg.tlb.f;
}

static inline const CPUTLBDescFast *pb_tlb_fast(const CPUState *cpu, unsigned mode)
{
    return &pb_tlb_tables(cpu)[PB_TLB_TABLE(mode)];
}

static inline CPUTLBDesc *pb_tlb_desc(CPUState *cpu, unsigned mode)
{
    return &cpu->neg.tlb.d[mode];
}

static inline CPUTLBEntryFull *pb_tlb_full(const CPUState *cpu, unsigned mode, uintptr_t entry)
{
    return &cpu->neg.tlb.d[mode].fulltlb[entry];
}

static inline uintptr_t pb_tlb_index(const CPUState *cpu, unsigned mode, vaddr addr)
{
    return (addr >> PB_PAGE_BITS) & (pb_tlb_fast(cpu, mode)->mask >> CPU_TLB_ENTRY_BITS);
}

#endif
