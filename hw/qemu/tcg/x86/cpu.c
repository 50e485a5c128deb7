/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "cpu.h"

#include "hw/qemu/core/time/time.h"
#include "hw/qemu/series/per_target.h"
#include "hw/qemu/tcg/cpu_kind.h"
#include "plugins/isa/x86/cpu.h"
#include "plugins/taps.h"

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

    s->pc = env->hflags & HF_CS64_MASK ? env->eip : (uint32_t)(env->eip + env->segs[R_CS].base);
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

enum { VECTOR0 = 32 };

static bool float_register(void *cpu, unsigned number, uint64_t *words)
{
    CPUX86State *env = env_of(cpu);

    if (number < ARRAY_SIZE(env->fpregs)) {
        unsigned at = (env->fpstt + number) % ARRAY_SIZE(env->fpregs);
        words[0] = env->fpregs[at].d.low;
        words[1] = env->fpregs[at].d.high;
        return !env->fptags[at];
    }
    if (number < VECTOR0 || number - VECTOR0 >= ARRAY_SIZE(env->xmm_regs)) {
        return false;
    }
    for (unsigned i = 0; i < 4; i++) {
        words[i] = env->xmm_regs[number - VECTOR0].ZMM_Q(i);
    }
    return true;
}

static bool address_space(void *cpu, bool fetch, uint64_t *space)
{
    *space = env_of(cpu)->cr[3];
    return env_of(cpu)->cr[0] & CR0_PG_MASK;
}

/* --- memory types ----------------------------------------------------------- */

/* IA32_PAT's codes; the others are reserved. */
static uint8_t type_of_pat(uint8_t code)
{
    switch (code) {
    case 1:
        return PB_MEMORY_WRITE_COMBINING;
    case 4:
        return PB_MEMORY_WRITE_THROUGH;
    case 5:
        return PB_MEMORY_WRITE_PROTECTED;
    case 6:
        return PB_MEMORY_WRITE_BACK;
    default:
        return PB_MEMORY_UNCACHED; /* UC, and UC-: without the MTRRs the same */
    }
}

enum { PTE_PRESENT = 1, PTE_PWT = 1 << 3, PTE_PCD = 1 << 4, PTE_PS = 1 << 7, PTE_PAT = 1 << 7, PTE_PAT_LARGE = 1 << 12 };
#define PTE_FRAME UINT64_C(0x000ffffffffff000)

static uint8_t type_of_entry(const CPUX86State *env, uint64_t entry, uint64_t pat)
{
    unsigned index = (entry & pat ? 4 : 0) | (entry & PTE_PCD ? 2 : 0) | (entry & PTE_PWT ? 1 : 0);
    return type_of_pat(env->pat >> (8 * index) & 7);
}

/* INFERRED: the page table's entry decides alone. The MTRRs, CR0.CD, and the entries of nested paging's own tables are left out. */
static uint8_t memory_type(void *cpu, uint64_t vaddr)
{
    CPUState *cs = cpu;
    CPUX86State *env = env_of(cpu);
    bool wide = env->cr[4] & CR4_PAE_MASK, lma = env->hflags & HF_LMA_MASK;
    unsigned bits = wide ? 9 : 10, levels = lma ? (env->cr[4] & CR4_LA57_MASK ? 5 : 4) : wide ? 3 : 2;
    uint64_t table = lma ? env->cr[3] & PTE_FRAME : wide ? env->cr[3] & 0xffffffe0 : env->cr[3] & 0xfffff000;

    if (!(env->cr[0] & CR0_PG_MASK) || env->hflags2 & HF2_NPT_MASK) {
        return PB_MEMORY_UNCACHED;
    }
    for (unsigned level = levels; level-- > 0;) {
        uint64_t index = vaddr >> (PB_PAGE_BITS + bits * level) & ((1 << (wide && !lma && level == 2 ? 2 : bits)) - 1);
        uint64_t entry = wide ? address_space_ldq_le(cs->as, table + 8 * index, MEMTXATTRS_UNSPECIFIED, NULL)
                              : address_space_ldl_le(cs->as, table + 4 * index, MEMTXATTRS_UNSPECIFIED, NULL);
        bool may_end = wide ? level == 1 || (lma && level == 2) : level == 1 && env->cr[4] & CR4_PSE_MASK;

        if (!(entry & PTE_PRESENT)) {
            break; /* changed since the TLB was filled */
        }
        if (level == 0) {
            return type_of_entry(env, entry, PTE_PAT);
        }
        if (may_end && entry & PTE_PS) {
            return type_of_entry(env, entry, PTE_PAT_LARGE);
        }
        table = entry & PTE_FRAME;
    }
    return PB_MEMORY_UNCACHED;
}

/* As x86_restore_state_to_opc() does it. */
static uint64_t unwound_pc(void *cpu, const uint64_t *data)
{
    CPUX86State *env = env_of(cpu);
    uint64_t pc = env->eip + (env->hflags & HF_CS64_MASK ? 0 : env->segs[R_CS].base);

    if (((CPUState *)cpu)->tcg_cflags & CF_PCREL) {
        pc = (pc & TARGET_PAGE_MASK) | data[0];
    } else {
        pc = data[0];
    }
    return env->hflags & HF_CS64_MASK ? pc : (uint32_t)pc;
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
    .pc_at = offsetof(CPUX86State, eip),
    .pc_bytes = sizeof_field(CPUX86State, eip),
    .registers = registers_of,
    .float_register = float_register,
    .address_space = address_space,
    .memory_type = memory_type,
    .unwound_pc = unwound_pc,
    .privileged_block = privileged_block,
    .is_exception = is_exception,
    .due = due,
    .pending = pending,
    .served = served,
};
