/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What QEMU does for the machine's vCPUs (TCGCPUOps), with functions of ours in place of some.
 *
 *   TCGCPUOps *ops = pb_cpu_ops(cpu);
 *   before = ops->tlb_fill;               QEMU's, or that of whoever came first: to be called by ours
 *   ops->tlb_fill = tlb_fill;
 */
#ifndef PB_CPU_OPS_H
#define PB_CPU_OPS_H

#include "hw/core/cpu.h"
#include "accel/tcg/cpu-ops.h"

/* The one copy that QEMU uses from now on. */
TCGCPUOps *pb_cpu_ops(CPUState *cpu);

#endif
