/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "exec/cpu-common.h"
#include "exec/translation-block.h"
#include "exec/memory.h"
#include "exec/address-spaces.h"
#include "exec/tb-flush.h"
#include "exec/tlb-common.h"
#include "hw/boards.h"
#include "hw/core/cpu.h"
#include "qemu/qemu-plugin.h"
#include "qemu/seqlock.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "system/cpu-timers.h"
#include "system/cpu-timers-internal.h"

#include "plugins/cpu_view.h"

QEMU_BUILD_BUG_ON(sizeof(PbTlbEntry) != sizeof(CPUTLBEntry));
QEMU_BUILD_BUG_ON(offsetof(PbTlbEntry, addr_write) != offsetof(CPUTLBEntry, addr_write));
QEMU_BUILD_BUG_ON(offsetof(PbTlbEntry, addend) != offsetof(CPUTLBEntry, addend));
QEMU_BUILD_BUG_ON(PB_TLB_ENTRY_BITS != CPU_TLB_ENTRY_BITS);
QEMU_BUILD_BUG_ON(sizeof(PbTlbFast) != sizeof(CPUTLBDescFast));
QEMU_BUILD_BUG_ON(offsetof(PbTlbFast, table) != offsetof(CPUTLBDescFast, table));
QEMU_BUILD_BUG_ON(PB_MMU_MODES != NB_MMU_MODES);

bool pb_cpu_view(unsigned vcpu, PbCpuView *view)
{
    CPUState *cpu = qemu_get_cpu(vcpu);
    if (!cpu) {
        return false;
    }
    *view = (PbCpuView){
        .cpu = cpu,
        .tlb = (const PbTlbFast *)cpu->neg.tlb.f,
    };
    return true;
}

/* QEMU's current_cpu would do, but it is thread-local, and a plugin cannot refer weakly to QEMU's thread-local data. */
void *pb_running_cpu(void)
{
    CPUState *cpu;
    CPU_FOREACH(cpu) {
        if (cpu->running && qemu_cpu_is_self(cpu)) {
            return cpu;
        }
    }
    return NULL;
}

uint64_t pb_event_time(const PbCpuView *view, unsigned insns_left)
{
    CPUState *cpu = view->cpu;
    int64_t executed;

    if (!use_icount) {
        return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    }
    /* icount_get() ends QEMU if the instruction may not do I/O, so the time is computed here.
     * A block takes all of its instructions off the counter when it starts. insns_left have not run yet. */
    executed = cpu->icount_budget - (cpu->neg.icount_decr.u16.low + cpu->icount_extra) - insns_left;
    return timers_state.qemu_icount_bias +
           ((timers_state.qemu_icount + executed) << timers_state.icount_time_shift);
}

PbRam pb_machine_ram(void)
{
    MemoryRegion *ram = current_machine->ram;
    if (!ram || !memory_region_is_ram(ram)) {
        return (PbRam){ 0 };
    }
    uint64_t below_4g = memory_region_size(ram);
    MemoryRegionSection at_4g = memory_region_find(get_system_memory(), 4 * GiB, 1);
    if (at_4g.mr == ram) { /* RAM that does not fit below the PCI hole is at 4 GiB on a PC */
        below_4g = at_4g.offset_within_region;
    }
    if (at_4g.mr) {
        memory_region_unref(at_4g.mr);
    }
    return (PbRam){ memory_region_get_ram_ptr(ram), memory_region_size(ram), below_4g };
}

bool pb_target(uint32_t meminfo, uint64_t vaddr, PbTarget *target)
{
    struct qemu_plugin_hwaddr *hw = qemu_plugin_get_hwaddr(meminfo, vaddr);
    if (!hw) {
        return false;
    }
    target->addr = qemu_plugin_hwaddr_phys_addr(hw);
    target->is_io = qemu_plugin_hwaddr_is_io(hw);
    target->in_processor = target->is_io && (target->addr & ~UINT64_C(0xfff)) == 0xfee00000;
    return true;
}

static void retranslate(CPUState *cpu, run_on_cpu_data unused)
{
    tb_flush(cpu);
}

/* The flush is safe work, not done at once. The caller may be a register access in the middle of a block: a flush
 * would free that block, and the plugin's data for it, while the block runs. Every vCPU is given the work, so that
 * each one, the caller's too, stops before its next block. */
void pb_retranslate(void)
{
    CPUState *cpu;
    CPU_FOREACH(cpu) {
        async_safe_run_on_cpu(cpu, retranslate, RUN_ON_CPU_NULL);
    }
}

void pb_prepare_vcpu(unsigned vcpu)
{
    CPUState *cpu = qemu_get_cpu(vcpu);
    if (cpu && current_machine->smp.max_cpus > 1 && !(cpu->tcg_cflags & CF_PARALLEL)) {
        cpu->tcg_cflags = (cpu->tcg_cflags & ~CF_CLUSTER_MASK) | vcpu << CF_CLUSTER_SHIFT;
    }
}
