/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "cpu.h"

#include "hw/qemu/tcg/x86/cpu_x86.h"

/* container_of, not X86_CPU(): that macro's check calls QOM functions, and pb_cpu_hook() has checked the type. */
static void state_of(void *cpu, PbX86State *s)
{
    CPUX86State *env = &container_of((CPUState *)cpu, X86CPU, parent_obj)->env;

    *s = (PbX86State){
        .eip = env->eip,
        .cs_base = env->hflags & HF_CS64_MASK ? 0 : env->segs[R_CS].base,
        .cr0 = env->cr[0],
        .cr3 = env->cr[3],
        .cr4 = env->cr[4],
        .code_bits = env->hflags & HF_CS64_MASK ? 64 : env->hflags & HF_CS32_MASK ? 32 : 16,
        .cpl = env->hflags & HF_CPL_MASK,
        .long_mode = env->hflags & HF_LMA_MASK,
        .is_int = env->exception_is_int,
        .single_string = env->hflags & (HF_TF_MASK | HF_INHIBIT_IRQ_MASK),
    };
    for (unsigned i = 0; i < CPU_NB_REGS; i++) {
        s->reg[i] = env->regs[i];
    }
    for (unsigned i = 0; i < 6; i++) {
        s->segment_base[i] = env->segs[i].base;
    }
}

static bool paging(void *cpu, uint64_t *cr3)
{
    CPUX86State *env = &container_of((CPUState *)cpu, X86CPU, parent_obj)->env;
    *cr3 = env->cr[3];
    return env->cr[0] & CR0_PG_MASK;
}

const PbX86Kind PB_KIND = {
    .type = TYPE_X86_CPU,
    .state = state_of,
    .paging = paging,
    .first = CPU_INTERRUPT_POLL | CPU_INTERRUPT_SIPI,
    .machine_check = CPU_INTERRUPT_MCE,
};
