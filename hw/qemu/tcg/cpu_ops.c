/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include <dlfcn.h>

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/series/insides.h"
#include "hw/qemu/series/tlb.h"
#include "hw/qemu/tcg/cpu_kind.h"
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
           ops->cpu_exec_exit && ops->cpu_exec_halt && ops->restore_state_to_opc;
}

TCGCPUOps *pb_cpu_ops(CPUState *cpu)
{
    static TCGCPUOps ours;

    if (cpu->cc->tcg_ops != &ours) {
        pb_inside_needed("cpu-ops", as_known(cpu->cc->tcg_ops));
        ours = *cpu->cc->tcg_ops;
        qatomic_store_release(&((CPUClass *)cpu->cc)->tcg_ops, &ours); /* vCPUs may run */
    }
    return &ours;
}

/* --- the TLB is filled --------------------------------------------------------------- */

static PbFilled *listeners[3]; /* memory types, filter ranges, watched pages */
static typeof(((TCGCPUOps *)0)->tlb_fill) fill_of_qemu;
static bool window_of_flushes;

/* QEMU makes an MMU mode's TLB smaller when it empties it and has used little of it since the window began, 100 ms of the host's time before. A guest that takes
 * accessed bits from pages without telling the TLB, as Linux does, finds which pages were accessed since by what the TLB still had. So a window is
 * so many flushes here. QEMU finds that it begins in its far future, or long ago. */
enum { WINDOW_FLUSHES = 128 };
#define AHEAD (INT64_C(1) << 62)

static void count_flush(CPUTLBDesc *tlb)
{
    if (tlb->n_used_entries != 1) {
        return; /* not the first entry since */
    }
    if (tlb->window_begin_ns < AHEAD) {
        tlb->window_begin_ns = AHEAD; /* QEMU has begun it */
    } else if (tlb->window_begin_ns < AHEAD + WINDOW_FLUSHES) {
        tlb->window_begin_ns++;
    } else {
        tlb->window_begin_ns = 0;
    }
}

static bool tlb_fill(CPUState *cpu, vaddr addr, int size, MMUAccessType type, int mode, bool probe, uintptr_t ra)
{
    GArray *before;
    bool ok;

    smp_rmb(); /* QEMU has read that this is called: what was written before that is read now (pb_cpu_on_fill) */
    before = pb_cpu_tell_nobody(cpu);
    ok = fill_of_qemu(cpu, addr, size, type, mode, probe, ra);
    cpu->neg.plugin_mem_cbs = before;
    if (!ok) {
        return false;
    }
    if (window_of_flushes) {
        count_flush(pb_tlb_desc(cpu, mode));
    }
    pb_inside_filled(cpu, addr, type, mode);
    for (size_t l = 0; l < ARRAY_SIZE(listeners); l++) {
        PbFilled *filled = qatomic_load_acquire(&listeners[l]); /* and what it looks at */
        if (!filled) {
            break;
        }
        filled(cpu, addr, type, mode);
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
    qatomic_store_release(&listeners[at], filled);
    if (!fill_of_qemu) {
        fill_of_qemu = ops->tlb_fill;
        qatomic_store_release(&ops->tlb_fill, tlb_fill);
    }
}

static bool windows_ok(CPUState *cpu)
{
    const int64_t now = get_clock_realtime(), day = INT64_C(86400) * NANOSECONDS_PER_SECOND;

    for (int mode = 0; mode < NB_MMU_MODES; mode++) {
        const CPUTLBDesc *tlb = pb_tlb_desc(cpu, mode);

        if (tlb->window_begin_ns < now - day || tlb->window_begin_ns > now + day || tlb->window_max_entries || tlb->n_used_entries) {
            return false;
        }
    }
    return true;
}

void pb_cpu_count_flushes(void)
{
    if (first_cpu) {
        pb_inside_needed("tlb-window", windows_ok(first_cpu));
        window_of_flushes = true;
        pb_cpu_on_fill(first_cpu, NULL);
    }
}

/* --- a vCPU leaves its execution loop --------------------------------------------------- */

static void (*leaves)(CPUState *cpu), (*exec_exit_of_qemu)(CPUState *cpu);

static void cpu_exec_exit(CPUState *cpu)
{
    exec_exit_of_qemu(cpu);
    leaves(cpu);
}

void pb_cpu_on_exit(void (*call)(CPUState *cpu))
{
    TCGCPUOps *ops = pb_cpu_ops(first_cpu);

    leaves = call;
    exec_exit_of_qemu = ops->cpu_exec_exit;
    ops->cpu_exec_exit = cpu_exec_exit;
}

/* --- TLB shootdown ---------------------------------------------------------------------- */

enum { MOST = 4096 };

/* What the others have told a vCPU: pages that its TLBs are to drop, the oldest first, or PB_ALL_PAGES alone. */
typedef struct Shootdown {
    GMutex lock;
    GArray *pages; /* of uint64_t */
} Shootdown;

static Shootdown *shootdowns; /* by vCPU index */
static unsigned shootdown_count;
static void (*drop_page)(unsigned vcpu, uint64_t page);

/* In the vCPU's thread, or while no vCPU is in a block. */
static void take_shootdown(unsigned vcpu)
{
    Shootdown *s = &shootdowns[vcpu];
    g_autoptr(GMutexLocker) guard = g_mutex_locker_new(&s->lock);

    for (unsigned i = 0; i < s->pages->len; i++) {
        drop_page(vcpu, g_array_index(s->pages, uint64_t, i));
    }
    g_array_set_size(s->pages, 0);
}

void pb_tlb_shootdown_begin(unsigned vcpus, void (*drop)(unsigned vcpu, uint64_t page))
{
    shootdowns = g_new0(Shootdown, vcpus);
    shootdown_count = vcpus;
    drop_page = drop;
    for (unsigned i = 0; i < vcpus; i++) {
        shootdowns[i].pages = g_array_new(false, false, sizeof(uint64_t));
    }
}

void pb_tlb_shootdown_gone(unsigned vcpu)
{
    g_autoptr(GMutexLocker) guard = g_mutex_locker_new(&shootdowns[vcpu].lock);

    g_array_set_size(shootdowns[vcpu].pages, 0);
}

static void take(CPUState *cpu, run_on_cpu_data data)
{
    pb_vcpu_work_begins(cpu, PB_VCPU_WORK_PAGES);
    take_shootdown(cpu->cpu_index);
}

void pb_tlb_shootdown_take(void)
{
    for (unsigned i = 0; i < shootdown_count; i++) {
        take_shootdown(i);
    }
}

static void take_all(CPUState *cpu)
{
    pb_tlb_shootdown_take();
}

static void shoot_down(CPUState *cpu, uint64_t page)
{
    static PbStopVcpus full = { .work = take_all, .does = PB_VCPU_WORK_FULL, .waits = PB_VCPU_WORK_FULL_WAIT };
    Shootdown *s = &shootdowns[cpu->cpu_index];
    g_autoptr(GMutexLocker) guard = g_mutex_locker_new(&s->lock);

    if (s->pages->len && g_array_index(s->pages, uint64_t, 0) == PB_ALL_PAGES) {
        return;
    }
    if (page == PB_ALL_PAGES) {
        g_array_set_size(s->pages, 0);
    }
    g_array_append_val(s->pages, page);
    if (s->pages->len >= MOST) {
        pb_stop_vcpus_for(&full);
    }
}

void pb_tlb_shootdown(unsigned vcpu, uint64_t page)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        if (cpu->cpu_index != vcpu) {
            shoot_down(cpu, page);
            if (pb_vcpu_work_wanted(cpu, PB_VCPU_WORK_PAGES)) {
                async_run_on_cpu(cpu, take, RUN_ON_CPU_NULL);
            }
        }
    }
}
