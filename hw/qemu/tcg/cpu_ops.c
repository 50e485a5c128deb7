/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include <dlfcn.h>

#include "hw/qemu/series/insides.h"
#include "hw/qemu/tcg/cpu_ops.h"

static bool is(const void *function, const char *job)
{
    Dl_info info;
    return dladdr(function, &info) && info.dli_sname && g_str_has_suffix(info.dli_sname, job);
}

/* Functions of QEMU's stand where its headers say: x86_cpu_do_interrupt() and so on. */
static bool as_known(const TCGCPUOps *ops)
{
    return is(ops->do_interrupt, "_cpu_do_interrupt") && is(ops->cpu_exec_interrupt, "_cpu_exec_interrupt") &&
           is(ops->do_unaligned_access, "_cpu_do_unaligned_access") && is(ops->tlb_fill, "_cpu_tlb_fill") && ops->cpu_exec_enter &&
           ops->restore_state_to_opc;
}

TCGCPUOps *pb_cpu_ops(CPUState *cpu)
{
    static TCGCPUOps ours;

    if (cpu->cc->tcg_ops != &ours) {
        pb_inside_needed("cpu-ops", as_known(cpu->cc->tcg_ops));
        ours = *cpu->cc->tcg_ops;
        cpu->cc->tcg_ops = &ours;
    }
    return &ours;
}

/* --- the TLB is filled --------------------------------------------------------------- */

static PbFilled *listeners[2]; /* memory types, filter ranges */
static typeof(((TCGCPUOps *)0)->tlb_fill) fill_of_qemu;

static bool tlb_fill(CPUState *cpu, vaddr addr, int size, MMUAccessType type, int mode, bool probe, uintptr_t ra)
{
    if (!fill_of_qemu(cpu, addr, size, type, mode, probe, ra)) {
        return false;
    }
    for (size_t l = 0; l < ARRAY_SIZE(listeners) && listeners[l]; l++) {
        listeners[l](cpu, addr, type, mode);
    }
    return true;
}

void pb_cpu_on_fill(CPUState *cpu, PbFilled *filled)
{
    TCGCPUOps *ops = pb_cpu_ops(cpu);
    size_t at = 0;

    while (listeners[at]) {
        at++;
        g_assert(at < ARRAY_SIZE(listeners));
    }
    listeners[at] = filled;
    if (!fill_of_qemu) {
        fill_of_qemu = ops->tlb_fill;
        ops->tlb_fill = tlb_fill;
    }
}
