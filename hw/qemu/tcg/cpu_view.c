/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/time/time.h"
#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/series/tlb.h"
#include "hw/qemu/tcg/cpu_kind.h"

const PbCpuKind *pb_cpu_kind;

bool pb_cpu_view(unsigned vcpu, PbCpuView *view)
{
    CPUState *cpu = qemu_get_cpu(vcpu);
    if (!cpu) {
        return false;
    }
    *view = (PbCpuView){
        .cpu = cpu,
        .tlb = (const PbTlbFast *)pb_tlb_tables(cpu),
    };
    return true;
}

static __thread CPUState *only; /* the vCPU that alone runs in this thread */

/* QEMU's current_cpu would do, but it is thread-local, and a plugin cannot refer weakly to QEMU's thread-local data.
 * Free-running the list of vCPUs is not to be read here: QEMU frees at once one that another vCPU ejects. */
void *pb_running_cpu(void)
{
    CPUState *cpu = only;

    if (cpu) {
        return qatomic_read(&cpu->running) ? cpu : NULL;
    }
    CPU_FOREACH(cpu) {
        if (qatomic_read(&cpu->running) && qemu_cpu_is_self(cpu)) {
            return cpu;
        }
    }
    return NULL;
}

uint64_t pb_tlb_phys(const PbCpuView *view, unsigned mmu_mode, uintptr_t entry)
{
    return pb_tlb_full(view->cpu, mmu_mode, entry)->phys_addr & ~(uint64_t)((1 << PB_PAGE_BITS) - 1);
}

uint8_t pb_tlb_slow_flags(const PbCpuView *view, unsigned mmu_mode, uintptr_t entry, bool store)
{
    return pb_tlb_full(view->cpu, mmu_mode, entry)->slow_flags[store ? MMU_DATA_STORE : MMU_DATA_LOAD];
}

PB_CODE_PAGE(code_page)

bool pb_code_addr(uint64_t vaddr, uint64_t *addr)
{
    CPUState *cpu = pb_running_cpu();
    hwaddr page;

    if (!cpu || !code_page(cpu, vaddr & ~(uint64_t)((1 << PB_PAGE_BITS) - 1), &page)) {
        return false;
    }
    *addr = page | (vaddr & ((1 << PB_PAGE_BITS) - 1));
    return true;
}

bool pb_devices_alone(void)
{
    return pb_time_counts_instructions();
}

void pb_prepare_vcpu(unsigned vcpu)
{
    CPUState *cpu = qemu_get_cpu(vcpu);

    QEMU_BUILD_BUG_ON(PB_MAX_VCPUS > CF_CLUSTER_MASK >> CF_CLUSTER_SHIFT); /* which is what QEMU gives to a vCPU without a cluster */
    g_assert(vcpu < PB_MAX_VCPUS);
    pb_vcpu_work_fresh(vcpu);
    if (cpu && cpu->tcg_cflags & CF_PARALLEL) {
        only = cpu;
    }
    if (cpu && current_machine->smp.max_cpus > 1 && !(cpu->tcg_cflags & CF_PARALLEL)) {
        cpu->tcg_cflags = (cpu->tcg_cflags & ~CF_CLUSTER_MASK) | vcpu << CF_CLUSTER_SHIFT;
    }
}

size_t pb_peek(void *cpu, uint64_t vaddr, uint8_t *bytes, size_t size)
{
    size_t in_page = MIN(size, 4096 - (vaddr & 4095));

    if (cpu_memory_rw_debug(cpu, vaddr, bytes, in_page, false)) {
        return 0;
    }
    if (in_page < size && cpu_memory_rw_debug(cpu, vaddr + in_page, bytes + in_page, size - in_page, false)) {
        return in_page;
    }
    return size;
}

bool pb_cpu_state(void *cpu, PbCpuState *state)
{
    if (!pb_cpu_kind || !cpu) {
        return false;
    }
    *state = (PbCpuState){ .vcpu = ((CPUState *)cpu)->cpu_index };
    pb_cpu_kind->state(cpu, state);
    state->relative = ((CPUState *)cpu)->tcg_cflags & CF_PCREL;
    return true;
}

bool pb_cpu_registers(void *cpu, uint64_t registers[PB_REGISTERS])
{
    if (!pb_cpu_kind || !cpu) {
        return false;
    }
    pb_cpu_kind->registers(cpu, registers);
    return true;
}

bool pb_cpu_float(void *cpu, unsigned number, uint64_t words[4])
{
    return pb_cpu_kind && cpu && pb_cpu_kind->float_register(cpu, number, words);
}

bool pb_address_space(void *cpu, bool fetch, uint64_t *space)
{
    return pb_cpu_kind && pb_cpu_kind->address_space(cpu, fetch, space);
}

bool pb_access_pc(void *cpu, uint64_t *pc)
{
    uint64_t data[8] = { 0 }; /* no target has so many words for an instruction */
    CPUState *cs = cpu;

    if (!pb_cpu_isa() || !pb_cpu_kind->unwound_pc || !cpu_unwind_state_data(cs, cs->mem_io_pc, data)) {
        return false;
    }
    *pc = pb_cpu_kind->unwound_pc(cpu, data);
    return true;
}

bool pb_running_state(PbCpuState *state)
{
    return pb_cpu_state(pb_running_cpu(), state);
}

/* What a memory callback is told of an access: the MMU mode, log2 of the size (PB_INFO_MODE_BITS), a store in bit 17. QEMU's
 * headers make the word, QEMU itself and plugins/access.h take it apart. Without flags of the access, and with all of them. */
bool pb_info_word_ok(void)
{
    static const unsigned flags[] = { 0, MO_BSWAP | MO_SIGN | MO_AMASK | MO_ATOM_MASK };

    for (unsigned i = 0; i < PB_MMU_MODES * ARRAY_SIZE(flags); i++) {
        const unsigned mode = i / ARRAY_SIZE(flags);

        for (unsigned size = MO_8; size <= MO_128; size++) {
            MemOpIdx index = make_memop_idx(size | flags[i % ARRAY_SIZE(flags)], mode);
            qemu_plugin_meminfo_t load = make_plugin_meminfo(index, QEMU_PLUGIN_MEM_R);
            qemu_plugin_meminfo_t store = make_plugin_meminfo(index, QEMU_PLUGIN_MEM_W);

            if ((store & ((1 << PB_INFO_MODE_BITS) - 1)) != mode || (store >> PB_INFO_MODE_BITS & 7) != size || qemu_plugin_mem_size_shift(store) != size ||
                !qemu_plugin_mem_is_store(store) || qemu_plugin_mem_is_store(load)) {
                return false;
            }
        }
    }
    return true;
}

bool pb_in_processor(uint64_t addr)
{
    return pb_cpu_isa() && (addr & ~((UINT64_C(1) << PB_PAGE_BITS) - 1)) == pb_cpu_kind->own_page;
}
