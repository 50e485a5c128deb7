/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What QEMU does for the machine's vCPUs (TCGCPUOps), with functions of ours in place of some.
 *
 *   TCGCPUOps *ops = pb_cpu_ops(cpu);
 *   original = *ops;                      QEMU's: to be called by ours
 *   ops->do_interrupt = do_interrupt;
 *
 *   pb_cpu_on_fill(cpu, filled);          filled() is called when QEMU has filled a vCPU's TLB with the page of an address
 */
#ifndef PB_CPU_OPS_H
#define PB_CPU_OPS_H

#include "hw/qemu/series/qemu.h"
#include "plugins/machine.h"

/* The one copy that QEMU uses from now on. */
TCGCPUOps *pb_cpu_ops(CPUState *cpu);

/* In the vCPU's thread; the address's entry in the MMU mode's table is fresh (series/tlb.h). */
typedef void PbFilled(CPUState *cpu, vaddr addr, MMUAccessType type, int mode);
/* From now on, for all vCPUs. Those that came first are called first. NULL: nobody is called, but what is filled is tried (pb_inside_filled()). */
void pb_cpu_on_fill(CPUState *cpu, PbFilled *filled);
/* Has it filled anew before the vCPU's next block. Any thread. */
void pb_cpu_flush(CPUState *cpu);

/* Its accesses until qemu_plugin_disable_mem_helpers(), which also is where QEMU leaves a block: outside of an instruction watch.c wants them to be
 * somebody's or nobody's. Returns whose they were. */
GArray *pb_cpu_tell_nobody(CPUState *cpu);
/* QEMU's function, while accesses are told to nobody: x86's exits from a guest's guest. */
void pb_serve(CPUState *cpu, void (*do_interrupt)(CPUState *cpu));
/* The same of cpu_exec_halt from now on: x86 delivers a single-step trap behind HLT there, outside of its execution loop. */
void pb_halt_begin(TCGCPUOps *ops);

/* Watched pages (watch.c): QEMU gives up a block for the sake of an access to one. Behind its state's return to the instruction: does not come back
 * then. */
bool pb_watch_gives_up(CPUState *cpu);
void pb_watch_unwound(CPUState *cpu, const TranslationBlock *tb);
void pb_watch_calls(vaddr pc); /* the instruction there calls back from now on */
void pb_watch_density(const PbDensity *of); /* watch_density.c */
void pb_watch_accessed(CPUState *cpu);      /* a watched page, which costs more than elsewhere */
void pb_watch_delivered(CPUState *cpu);     /* to a vCPU: an exception or interrupt */
bool pb_watches(void);
void pb_watch_never(void); /* this QEMU's TCG is not known: behind its first block */
void pb_watch_block(struct qemu_plugin_tb *tb, PbAccessCallback load, PbAccessCallback store); /* before filters */

/* TLB shootdown - what one vCPU tells the others that their TLBs are to drop: pb_tlb_shootdown() (plugins/machine.h).
 *
 *   pb_tlb_shootdown_begin(vcpus, drop);   drop() is called for each page, or for PB_ALL_PAGES: in the vCPU's thread, or while no vCPU is in a block
 *   pb_tlb_shootdown_gone(vcpu);           another one may have its index
 *   pb_tlb_shootdown_take();               what waits of it is done now; while no vCPU is in a block
 *
 * A vCPU takes what it is told before its next block. It may be in a hypervisor call or an access for long, and the others go on telling it.
 * When 4,096 pages wait for one, all vCPUs stop before their next block, and all pages are dropped then. Until then each may tell it
 * as many more as one block has instructions.
 */

void pb_tlb_shootdown_begin(unsigned vcpus, void (*drop)(unsigned vcpu, uint64_t page));
void pb_tlb_shootdown_gone(unsigned vcpu);
void pb_tlb_shootdown_take(void);

#endif
