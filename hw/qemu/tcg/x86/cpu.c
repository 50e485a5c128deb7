/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "cpu.h"

#include "hw/qemu/core/time.h"
#include "hw/qemu/tcg/cpu_kind.h"
#include "hw/qemu/tcg/page_shapes.h"
#include "plugins/isa/x86/cpu.h"

enum { VECTORS = 256, USER = 3 };

QEMU_BUILD_BUG_ON(CPU_NB_REGS > PB_X86_SEGMENT_BASE - PB_X86_GENERAL);
QEMU_BUILD_BUG_ON(R_ES != 0 || R_CS != 1 || R_SS != 2 || R_DS != 3 || R_FS != 4 || R_GS != 5);
QEMU_BUILD_BUG_ON(PB_X86_CR0 != PB_X86_SEGMENT_BASE + 6 || (int)PB_X86_REGISTERS > (int)PB_REGISTERS);
QEMU_BUILD_BUG_ON(HF_CPL_MASK != USER); /* of a block's flags too */

/* container_of, not X86_CPU(): that macro's check calls QOM functions, and pb_cpu_hook() has checked the type. */
static CPUX86State *env_of(void *cpu)
{
    return &container_of((CPUState *)cpu, X86CPU, parent_obj)->env;
}

static bool privileged_block(uint32_t flags)
{
    return (flags & HF_CPL_MASK) != USER;
}

static void state_of(void *cpu, PbCpuState *s)
{
    CPUX86State *env = env_of(cpu);
    bool single = pb_time_counts_instructions() || env->hflags & (HF_TF_MASK | HF_INHIBIT_IRQ_MASK);

    s->pc = env->eip + (env->hflags & HF_CS64_MASK ? 0 : env->segs[R_CS].base);
    s->mode = env->hflags & HF_CS64_MASK ? 64 : env->hflags & HF_CS32_MASK ? 32 : 16;
    s->mode |= single ? PB_X86_SINGLE : 0;
    s->privileged = privileged_block(env->hflags);
}

static void registers_of(void *cpu, uint64_t *registers)
{
    CPUX86State *env = env_of(cpu);

    for (unsigned i = 0; i < CPU_NB_REGS; i++) {
        registers[PB_X86_GENERAL + i] = env->regs[i];
    }
    for (unsigned i = 0; i < 6; i++) {
        registers[PB_X86_SEGMENT_BASE + i] = env->segs[i].base;
    }
    registers[PB_X86_CR0] = env->cr[0];
    registers[PB_X86_CR4] = env->cr[4];
    registers[PB_X86_CPL] = env->hflags & HF_CPL_MASK;
}

static bool address_space(void *cpu, uint64_t *space)
{
    *space = env_of(cpu)->cr[3];
    return env_of(cpu)->cr[0] & CR0_PG_MASK;
}

static bool is_exception(int index)
{
    return index >= 0 && index < VECTORS;
}

static PbDue due(void *cpu)
{
    if (env_of(cpu)->exception_is_int) {
        return PB_DUE_SOFTWARE;
    }
    switch (((CPUState *)cpu)->exception_index) {
    case EXCP0E_PAGE: /* in translation, or unwound */
        return PB_DUE_FETCH;
    case EXCP01_DB:
        return PB_DUE_BEHIND;
    default:
        return PB_DUE_FAULT;
    }
}

static uint64_t pending(void *cpu, int request)
{
    return 0;
}

/* QEMU serves one request in a call. POLL and SIPI are served before others and deliver nothing. interrupt_request does
 * not tell whether an interrupt was served: the next interrupt may have set its bit again. */
static PbServed served(void *cpu, int request, uint64_t before)
{
    if (request & (CPU_INTERRUPT_POLL | CPU_INTERRUPT_SIPI)) {
        return PB_SERVED_NOTHING;
    }
    return request & ~((CPUState *)cpu)->interrupt_request & CPU_INTERRUPT_MCE ? PB_SERVED_EXCEPTION
                                                                              : PB_SERVED_INTERRUPT;
}

const PbCpuKind PB_KIND = {
    .type = TYPE_X86_CPU,
    .isa = "x86",
    .own_page = APIC_DEFAULT_ADDRESS,
    .state = state_of,
    .registers = registers_of,
    .address_space = address_space,
    .privileged_block = privileged_block,
    .is_exception = is_exception,
    .due = due,
    .pending = pending,
    .served = served,
};
