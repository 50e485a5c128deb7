/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Watched pages - accesses to other pages cost nothing, not even an instruction of translated code (plugins/machine.h).
 *
 * Of a watched page the TLB's entry says that translated code is to call QEMU, and that QEMU is to look for watchpoints. There QEMU asks
 * adjust_watchpoint_address(), which is ours: neither x86 nor POWER has one. Callbacks are on those instructions alone that have ever made
 * such an access, beside those whose helpers make it (watch_block.c). Of any other one the block is given up, as for a watchpoint, and translated
 * anew, now with the callback: from this instruction on, to where it ended before, and with no interrupt in between. So nothing that a guest
 * can see tells the first access from the next ones. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/time/time.h"
#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/series/insides.h"
#include "hw/qemu/series/per_target.h"
#include "hw/qemu/series/tcg.h"
#include "hw/qemu/series/tlb.h"
#include "hw/qemu/tcg/cpu_kind.h"
#include "hw/qemu/tcg/cpu_ops.h"
#include "hw/qemu/tcg/ops.h"

typedef struct Watch {
    CPUWatchpoint here; /* by it QEMU gives up the block in which an instruction without callback makes an access */
    bool giving_up;
    int64_t executed;    /* before QEMU takes back what the block has not */
} Watch;

static Watch watches[PB_MAX_VCPUS];
static bool (*wanted)(const PbFilledPage *page, bool store); /* NULL: no page is watched */

bool pb_watches(void)
{
    return qatomic_read(&wanted);
}

static void flag(CPUState *cpu, uint64_t *tag, const PbFilledPage *page, MMUAccessType type)
{
    uint8_t *slow_flags = &pb_tlb_full(cpu, page->mmu_mode, page->entry)->slow_flags[type];

    if (*tag == (uint64_t)-1 || PB_TLB_IS_DEVICE(*tag, *slow_flags) || !wanted(page, type == MMU_DATA_STORE)) {
        return;
    }
    *slow_flags |= PB_TLB_WATCHPOINT;
    qemu_spin_lock(&cpu->neg.tlb.c.lock); /* another vCPU's thread may say of the page that it is no longer dirty */
    qatomic_set(tag, *tag | PB_TLB_FORCE_SLOW);
    qemu_spin_unlock(&cpu->neg.tlb.c.lock);
}

static void flag_entry(CPUState *cpu, vaddr addr, int mode, uintptr_t index)
{
    CPUTLBEntry *entry = &pb_tlb_fast(cpu, mode)->table[index];
    PbFilledPage page = { .page = pb_tlb_full(cpu, mode, index)->phys_addr >> PB_PAGE_BITS, .vaddr = addr, .entry = index, .vcpu = pb_vcpu_index(cpu),
                          .mmu_mode = mode, .view.cpu = cpu };

    if (pb_watches()) {
        flag(cpu, &entry->addr_read, &page, MMU_DATA_LOAD);
        flag(cpu, &entry->addr_write, &page, MMU_DATA_STORE);
    }
}

/* QEMU itself finds of the first load and the first store in a watched page that it is to look for watchpoints there. */
static void try_flags(CPUState *cpu, vaddr addr, MMUAccessType type, int mode, const CPUTLBEntry *entry, const CPUTLBEntryFull *flagged)
{
    static bool tried[MMU_ACCESS_COUNT];
    const uint64_t flags = entry->addr_idx[type] & ((1 << PB_PAGE_BITS) - 1);
    CPUTLBEntryFull *full;
    void *host;

    /* Asked of a page of code, QEMU would take it for stored to; of one that has other flags it says these. */
    if (type == MMU_INST_FETCH || qatomic_read(&tried[type]) || flags != PB_TLB_FORCE_SLOW || flagged->slow_flags[type] != PB_TLB_WATCHPOINT) {
        return;
    }
    qatomic_set(&tried[type], true);
    pb_inside_needed("watched", probe_access_full_mmu(cpu_env(cpu), addr, 1, type, mode, &host, &full) == PB_TLB_WATCHPOINT && full == flagged);
}

static void filled(CPUState *cpu, vaddr addr, MMUAccessType type, int mode)
{
    uintptr_t index = pb_tlb_index(cpu, mode, addr);

    flag_entry(cpu, addr, mode, index);
    try_flags(cpu, addr, type, mode, &pb_tlb_fast(cpu, mode)->table[index], pb_tlb_full(cpu, mode, index));
}

/* Before an access to a watched page. No fault keeps it from being made; QEMU may still begin the instruction anew, as for an access to a device. */
static vaddr before_access(CPUState *cpu, vaddr addr, int len)
{
    Watch *w = &watches[pb_vcpu_index(cpu)];

    if (!pb_watches()) {
        return addr; /* somebody else watches the page */
    }
    if (cpu->neg.plugin_mem_cbs) {
        pb_watch_accessed(cpu);
        return addr;
    }
    w->here = (CPUWatchpoint) { .vaddr = addr, .len = len, .flags = BP_MEM_ACCESS };
    w->giving_up = true;
    w->executed = pb_time_executed(cpu);
    QTAILQ_INSERT_HEAD(&cpu->watchpoints, &w->here, entry);
    return addr;
}

/* Reverse debugging looks for watchpoints in a way of its own. */
static bool can_watch(TCGCPUOps *ops)
{
    return pb_translator_known() && pb_ops_alone() && replay_mode == REPLAY_MODE_NONE &&
           pb_inside_faster("watchpoints", !ops->adjust_watchpoint_address, "a filter stands in front of each access");
}

void pb_watch_never(void)
{
    qatomic_set(&wanted, NULL);
}

void pb_watch(bool (*wants)(const PbFilledPage *page, bool store), const PbDensity *density)
{
    static bool tried, ok;
    CPUState *cpu;

    if (!tried) {
        TCGCPUOps *ops = pb_cpu_ops(first_cpu);
        tried = true;
        ok = can_watch(ops);
        if (ok) {
            ops->adjust_watchpoint_address = before_access;
            pb_cpu_on_fill(first_cpu, filled);
        }
    }
    pb_watch_density(density);
    qatomic_set(&wanted, ok ? wants : NULL);
    CPU_FOREACH(cpu) {
        tlb_flush(cpu);
    }
}

/* In the middle of an access, too: entries stay where they are, and QEMU has none of those in the victim TLB at hand. */
static void look_anew(CPUState *cpu)
{
    for (int mode = 0; mode < NB_MMU_MODES; mode++) {
        const CPUTLBDescFast *fast = pb_tlb_fast(cpu, mode);

        for (uintptr_t i = 0; i <= fast->mask >> CPU_TLB_ENTRY_BITS; i++) {
            const uint64_t tag = fast->table[i].addr_read & fast->table[i].addr_write; /* of one that may not be accessed all bits are set */
            flag_entry(cpu, tag & -(1 << PB_PAGE_BITS), mode, i);
        }
        qemu_spin_lock(&cpu->neg.tlb.c.lock);
        memset(cpu->neg.tlb.d[mode].vtable, -1, sizeof(cpu->neg.tlb.d[mode].vtable));
        qemu_spin_unlock(&cpu->neg.tlb.c.lock);
    }
}

void pb_watch_anew(bool others)
{
    CPUState *own = pb_running_cpu(), *cpu;

    for (cpu = !pb_watches() ? NULL : others ? first_cpu : own; cpu; cpu = others ? CPU_NEXT(cpu) : NULL) {
        if (own && cpu->thread == own->thread) {
            look_anew(cpu); /* with vCPUs in turn their turns stay as they are */
        } else {
            pb_cpu_flush(cpu);
        }
    }
}

bool pb_watch_gives_up(CPUState *cpu)
{
    return watches[pb_vcpu_index(cpu)].giving_up;
}

void pb_watch_unwound(CPUState *cpu, const TranslationBlock *tb)
{
    Watch *w = &watches[pb_vcpu_index(cpu)];
    PbCpuState state = { 0 };
    uint32_t left = w->executed - pb_time_executed(cpu), same = tb->cflags & ~(CF_COUNT_MASK | CF_INVALID);

    if (!w->giving_up) {
        return;
    }
    w->giving_up = false;
    QTAILQ_REMOVE(&cpu->watchpoints, &w->here, entry);
    cpu->watchpoint_hit = NULL;
    pb_cpu_kind->state(cpu, &state);
    pb_watch_calls(state.pc);
    if (!(tb->cflags & CF_USE_ICOUNT)) {
        left = tb->cflags & CF_COUNT_MASK ? 1 : 0;
    }
    /* An instruction that QEMU makes while all other vCPUs stand still begins anew as it did at first. */
    cpu->cflags_next_tb = same | (cpu->tcg_cflags & CF_PARALLEL) | CF_NOIRQ | (left & CF_COUNT_MASK);
    tb_phys_invalidate((TranslationBlock *)tb, -1);
    if (cpu_in_exclusive_context(cpu)) {
        cpu->cc->tcg_ops->cpu_exec_exit(cpu); /* which QEMU leaves out there */
    }
    cpu_loop_exit_noexc(cpu);
}
