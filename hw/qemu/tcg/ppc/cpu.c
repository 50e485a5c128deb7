/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "cpu.h"
#include "hw/ppc/spapr.h"
#include "hw/ppc/spapr_cpu_core.h"

#include "hw/qemu/series/per_target.h"
#include "hw/qemu/tcg/cpu_kind.h"
#include "plugins/isa/ppc/cpu.h"

QEMU_BUILD_BUG_ON(MSR_PMM != PB_PPC_MSR_PMM || MSR_PR != PB_PPC_MSR_PR || MSR_HV != PB_PPC_MSR_HV);
QEMU_BUILD_BUG_ON(PB_PPC_MSR != PB_PPC_GENERAL + 32 || (int)PB_PPC_REGISTERS > (int)PB_REGISTERS);
QEMU_BUILD_BUG_ON(sizeof(((CPUPPCState *)0)->gpr) != 32 * sizeof(uint64_t));
QEMU_BUILD_BUG_ON(HFLAGS_PR != MSR_PR || HFLAGS_LE != MSR_LE); /* so both are part of a block's flags */
QEMU_BUILD_BUG_ON(POWERPC_EXCP_NB > EXCP_INTERRUPT);

/* container_of, not POWERPC_CPU(): that macro's check calls QOM functions, and pb_cpu_hook() has checked the type. */
static PowerPCCPU *cpu_of(void *cpu)
{
    return container_of((CPUState *)cpu, PowerPCCPU, parent_obj);
}

static bool msr_has(const CPUPPCState *env, unsigned bit)
{
    return env->msr >> bit & 1;
}

/* The 64-bit server processors. Others of the same emulator have other registers and exceptions. */
static bool known(void *cpu)
{
    return cpu_of(cpu)->env.insns_flags & PPC_SEGMENT_64B;
}

static bool privileged_block(uint32_t flags)
{
    return !(flags >> HFLAGS_PR & 1);
}

static void state_of(void *cpu, PbCpuState *s)
{
    CPUPPCState *env = &cpu_of(cpu)->env;

    s->pc = msr_has(env, MSR_SF) ? env->nip : (uint32_t)env->nip;
    s->mode = (msr_has(env, MSR_LE) ? PB_PPC_LITTLE_ENDIAN : 0) |
              (env->insns_flags2 & PPC2_ISA310 ? PB_PPC_PREFIXES : 0);
    s->privileged = !msr_has(env, MSR_PR);
    s->marked = msr_has(env, MSR_PMM);
}

static void registers_of(void *cpu, uint64_t *registers)
{
    CPUPPCState *env = &cpu_of(cpu)->env;

    memcpy(&registers[PB_PPC_GENERAL], env->gpr, sizeof(env->gpr));
    registers[PB_PPC_MSR] = env->msr;
    registers[PB_PPC_MSR_LEGAL] = env->msr_mask;
    registers[PB_PPC_SRR1] = env->spr[SPR_SRR1];
    registers[PB_PPC_HSRR1] = env->spr[SPR_HSRR1];
    registers[PB_PPC_CTR] = env->ctr;
}

static bool float_register(void *cpu, unsigned number, uint64_t *words)
{
    CPUPPCState *env = &cpu_of(cpu)->env;

    if (number >= ARRAY_SIZE(env->vsr)) {
        return false;
    }
    words[0] = env->vsr[number].VsrD(0);
    words[1] = env->vsr[number].VsrD(1);
    return true;
}

static bool address_space(void *cpu, bool fetch, uint64_t *space)
{
    CPUPPCState *env = &cpu_of(cpu)->env;

    *space = env->spr[SPR_BOOKS_PID] << 32 | (uint32_t)env->spr[SPR_LPIDR];
    return msr_has(env, fetch ? MSR_IR : MSR_DR);
}

static bool is_exception(int index)
{
    return index >= 0 && index < POWERPC_EXCP_NB;
}

/* A hypercall to the hypervisor that QEMU plays (pseries). Nothing is delivered to the guest. */
static bool is_hypercall(PowerPCCPU *cpu)
{
    return cpu->parent_obj.exception_index == POWERPC_EXCP_SYSCALL && cpu->env.error_code == 1 && cpu->vhyp &&
           !cpu->vhyp_class->cpu_in_nested(cpu);
}

/* QEMU drops a floating-point exception that has become illegal since it arose. */
static bool is_dropped(const CPUPPCState *env)
{
    return (env->error_code & ~0xF) == POWERPC_EXCP_FP &&
           !((msr_has(env, MSR_FE0) || msr_has(env, MSR_FE1)) && msr_has(env, MSR_FP));
}

static PbDue due(void *opaque)
{
    PowerPCCPU *cpu = cpu_of(opaque);

    switch (cpu->parent_obj.exception_index) {
    case POWERPC_EXCP_SYSCALL:
        return is_hypercall(cpu) ? PB_DUE_NOTHING : PB_DUE_BEHIND;
    case POWERPC_EXCP_SYSCALL_VECTORED:
    case POWERPC_EXCP_TRACE:
    case POWERPC_EXCP_DEBUG:
        return PB_DUE_BEHIND;
    case POWERPC_EXCP_PROGRAM:
        return is_dropped(&cpu->env) ? PB_DUE_NOTHING : PB_DUE_FAULT;
    case POWERPC_EXCP_ISI:
    case POWERPC_EXCP_ISEG:
    case POWERPC_EXCP_HISI:
    case POWERPC_EXCP_HISEG:
    case POWERPC_EXCP_ITLB:
    case POWERPC_EXCP_MCHECK: /* of a fetch, or unwound */
        return PB_DUE_FETCH;
    default:
        return PB_DUE_FAULT;
    }
}

static bool keeps_mark(void *opaque)
{
    const PowerPCCPU *cpu = cpu_of(opaque);
    int index = cpu->parent_obj.exception_index;

    return (index == POWERPC_EXCP_SYSCALL || index == POWERPC_EXCP_SYSCALL_VECTORED) && msr_has(&cpu->env, MSR_PMM);
}

/* No flag of translated blocks depends on it. */
static void set_mark(void *cpu)
{
    cpu_of(cpu)->env.msr |= (target_ulong)1 << MSR_PMM;
}

static bool changes_translations(void *opaque)
{
    PowerPCCPU *cpu = cpu_of(opaque);

    if (!is_hypercall(cpu)) {
        return false;
    }
    switch (cpu->env.gpr[3]) {
    case H_REMOVE:
    case H_BULK_REMOVE:
    case H_PROTECT:
    case H_RESIZE_HPT_COMMIT:
    case H_REGISTER_PROC_TBL:
        return true;
    default:
        return false;
    }
}

/* As ppc_restore_state_to_opc() does it. */
static uint64_t unwound_pc(void *cpu, const uint64_t *data)
{
    return data[0];
}

static uint64_t pending(void *cpu, int request)
{
    return cpu_of(cpu)->env.pending_interrupts;
}

/* One interrupt in a call. A machine check is taken off the pending ones when it is delivered. */
static PbServed served(void *cpu, int request, uint64_t before)
{
    return before & ~(uint64_t)cpu_of(cpu)->env.pending_interrupts & PPC_INTERRUPT_MCK ? PB_SERVED_EXCEPTION
                                                                                     : PB_SERVED_INTERRUPT;
}

/* --- turns of vCPUs that a guest cannot count ----------------------------------------- */

static void (*exec_enter_of_qemu)(PPCVirtualHypervisor *vhyp, PowerPCCPU *cpu);

/* Even: it runs. QEMU makes it odd, 1, behind the turn. */
static void exec_enter(PPCVirtualHypervisor *vhyp, PowerPCCPU *cpu)
{
    const SpaprCpuState *s = spapr_cpu_state(cpu);

    exec_enter_of_qemu(vhyp, cpu);
    if (s->vpa_addr) {
        stl_be_phys(CPU(cpu)->as, s->vpa_addr + VPA_DISPATCH_COUNTER, 0);
    }
}

static void hide_turns(void *cpu)
{
    PPCVirtualHypervisor *vhyp = cpu_of(cpu)->vhyp;

    if (vhyp) {
        PPCVirtualHypervisorClass *hypervisor = PPC_VIRTUAL_HYPERVISOR_GET_CLASS(vhyp);
        exec_enter_of_qemu = hypervisor->cpu_exec_enter;
        qatomic_set(&hypervisor->cpu_exec_enter, exec_enter);
    }
}

const PbCpuKind PB_KIND = {
    .type = TYPE_POWERPC_CPU,
    .isa = "ppc",
    .own_page = UINT64_MAX,
    .known = known,
    .state = state_of,
    .registers = registers_of,
    .float_register = float_register,
    .address_space = address_space,
    .unwound_pc = unwound_pc,
    .keeps_mark = keeps_mark,
    .set_mark = set_mark,
    .privileged_block = privileged_block,
    .is_exception = is_exception,
    .due = due,
    .changes_translations = changes_translations,
    .pending = pending,
    .served = served,
    .hide_turns = hide_turns,
};
