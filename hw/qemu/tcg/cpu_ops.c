/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"

#include "hw/qemu/tcg/cpu_ops.h"

TCGCPUOps *pb_cpu_ops(CPUState *cpu)
{
    static TCGCPUOps ours;

    if (cpu->cc->tcg_ops != &ours) {
        ours = *cpu->cc->tcg_ops;
        cpu->cc->tcg_ops = &ours;
    }
    return &ours;
}
