/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What headers of QEMU say only to files that are compiled once for each emulator (tcg/<isa>/cpu.c, which include this behind cpu.h).
 * Others get prototypes of these functions, and take an emulator's pages, and the flags in its softmmu TLB, for those of plugins/port.h:
 * cpu.c does not compile if either differs. */
#ifndef PB_PER_TARGET_H
#define PB_PER_TARGET_H

#include "hw/qemu/series/qemu.h"

#ifdef COMPILING_PER_TARGET
#include "exec/cputlb.h"
#include "exec/target_page.h"
#include PB_QEMU_FLATVIEW_H
#include PB_QEMU_PROBE_H
#include PB_QEMU_TB_H
#include PB_QEMU_TLB_FLAGS_H

#include "plugins/port.h"

QEMU_BUILD_BUG_ON(TARGET_PAGE_BITS != PB_PAGE_BITS);
QEMU_BUILD_BUG_ON(TLB_INVALID_MASK != PB_TLB_INVALID);
QEMU_BUILD_BUG_ON(TLB_MMIO != PB_TLB_MMIO);
QEMU_BUILD_BUG_ON(TLB_FORCE_SLOW != PB_TLB_FORCE_SLOW);
QEMU_BUILD_BUG_ON(TLB_WATCHPOINT != PB_TLB_WATCHPOINT);
#endif

int probe_access_full_mmu(CPUArchState *env, uint64_t addr, int size, MMUAccessType type, int mmu_idx, void **host, CPUTLBEntryFull **full);
void tlb_flush(CPUState *cpu);
void tb_phys_invalidate(TranslationBlock *tb, uint64_t page_addr);
FlatView *address_space_get_flatview(PbViewedSpace *as);
void flatview_unref(FlatView *view);

#endif
