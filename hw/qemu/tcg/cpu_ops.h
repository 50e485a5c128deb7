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

#include "hw/core/cpu.h"
#include "accel/tcg/cpu-ops.h"

/* The one copy that QEMU uses from now on. */
TCGCPUOps *pb_cpu_ops(CPUState *cpu);

/* In the vCPU's thread; the address's entry in the MMU mode's table is fresh (series/tlb.h). */
typedef void PbFilled(CPUState *cpu, vaddr addr, MMUAccessType type, int mode);
/* From now on, for all vCPUs. Those that came first are called first. */
void pb_cpu_on_fill(CPUState *cpu, PbFilled *filled);

#endif
