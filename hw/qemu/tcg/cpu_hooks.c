/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/tcg/cpu_kind.h"
#include "hw/qemu/tcg/cpu_ops.h"

/* One for each vCPU. Only that vCPU's thread uses it. */
typedef struct Hooked {
    /* An exception or interrupt is being delivered. If the delivery faults, QEMU jumps out of it and comes back
     * with the new exception. */
    bool delivering;
    /* The context in which the exception arose that is being delivered. */
    bool privileged;
    /* A software interrupt is being delivered. If the delivery faults, the INT instruction has faulted. */
    bool software;
    bool unwound;   /* abandoned() was called for the exception that will be delivered next */
    bool misaligned; /* QEMU restores the state first, and names the exception (alignment) after that */
    bool again;     /* pb_cpu_again() was called */
} Hooked;

static Hooked *hooked; /* by vCPU index */
static unsigned hooked_count;
static TCGCPUOps original;
static const PbCpuEvents *listeners[4]; /* the event counters, the taps, the counts of blocks and of special numbers */

#define TELL(what, ...)                                                         \
    do {                                                                        \
        const PbCpuEvents *of;                                                  \
        for (size_t l = 0; l < ARRAY_SIZE(listeners) && (of = qatomic_load_acquire(&listeners[l])); l++) { \
            if (of->what) {                                                     \
                of->what(__VA_ARGS__);                                          \
            }                                                                   \
        }                                                                       \
    } while (0)

/* Each function that QEMU calls here begins with it. QEMU has read which one it calls: what pb_cpu_hook() wrote before that is read behind it. */
static Hooked *hooked_of(CPUState *cpu)
{
    smp_rmb();
    return &hooked[cpu->cpu_index];
}

static PbCpuState state_of(CPUState *cpu)
{
    PbCpuState s = { 0 };
    pb_cpu_kind->state(cpu, &s);
    return s;
}

static void tell_mark(CPUState *cpu)
{
    TELL(marked, cpu->cpu_index, state_of(cpu).marked);
}

/* Whether QEMU leaves the block because an instruction in the middle of it accesses a device. QEMU then runs that
 * instruction again in a block of its own. Plugins do not see the instruction a second time. */
static bool is_recompile(CPUState *cpu, const TranslationBlock *tb)
{
    uintptr_t pc = cpu->mem_io_pc, code = (uintptr_t)tb->tc.ptr;
    return cpu->exception_index < 0 && !cpu->neg.can_do_io && pc >= code && pc - code <= tb->tc.size;
}

static void restore_state_to_opc(CPUState *cpu, const TranslationBlock *tb, const uint64_t *data)
{
    Hooked *h = hooked_of(cpu);
    bool fault = h->misaligned || pb_cpu_kind->is_exception(cpu->exception_index);
    PbAbandoned why = fault ? PB_FAULTS : !pb_watch_gives_up(cpu) && is_recompile(cpu, tb) ? PB_AGAIN_COUNTED : PB_AGAIN;
    bool goes_on = cpu->exception_index == EXCP_INTERRUPT && !h->again;

    original.restore_state_to_opc(cpu, tb, data);
    h->again = h->misaligned = false;
    if (!goes_on) {
        /* At a watchpoint QEMU unwinds first, and raises the guest's own exception after that. */
        h->unwound = fault || cpu->exception_index == EXCP_DEBUG;
        TELL(abandoned, cpu->cpu_index, pb_cpu_kind->privileged_block(tb->flags), why);
    }
    pb_watch_unwound(cpu, tb);
}

static G_NORETURN void do_unaligned_access(CPUState *cpu, vaddr addr, MMUAccessType type, int mmu_idx, uintptr_t ra)
{
    hooked_of(cpu)->misaligned = true;
    original.do_unaligned_access(cpu, addr, type, mmu_idx, ra);
    g_assert_not_reached();
}

/* Nothing is delivered: a hypercall, or x86's exit from a guest's guest, which ends a delivery. QEMU may jump out of
 * a hypercall, back into the execution loop. */
static void serve(CPUState *cpu, Hooked *h)
{
    bool translations = pb_cpu_kind->changes_translations && pb_cpu_kind->changes_translations(cpu);

    if (h->delivering && h->software) {
        TELL(abandoned, cpu->cpu_index, h->privileged, PB_FAULTS);
    }
    h->delivering = h->software = false;
    pb_serve(cpu, original.do_interrupt);
    if (translations) {
        TELL(translations, cpu->cpu_index, PB_ALL_PAGES);
        pb_tlb_shootdown(cpu->cpu_index, PB_ALL_PAGES);
    }
    tell_mark(cpu);
}

static void do_interrupt(CPUState *cpu)
{
    Hooked *h = hooked_of(cpu);
    PbDue due = pb_cpu_kind->is_exception(cpu->exception_index) ? pb_cpu_kind->due(cpu) : PB_DUE_NOTHING;
    bool unwound = h->unwound;

    h->unwound = h->misaligned = false;
    if (due == PB_DUE_NOTHING) {
        serve(cpu, h);
        return;
    }
    if (!h->delivering) {
        h->privileged = state_of(cpu).privileged;
        h->software = due == PB_DUE_SOFTWARE;
        /* QEMU knows some faults when it translates the instruction, and raises them without unwinding. */
        if (due == PB_DUE_FAULT && !unwound) {
            TELL(abandoned, cpu->cpu_index, h->privileged, PB_FAULTS);
        }
    } else if (h->software) {
        h->software = false;
        TELL(abandoned, cpu->cpu_index, h->privileged, PB_FAULTS);
    }
    h->delivering = true;
    pb_deliver(cpu, original.do_interrupt);
    h->delivering = h->software = false;
    TELL(exception, cpu->cpu_index, h->privileged);
    tell_mark(cpu);
    pb_watch_delivered(cpu);
}

static bool cpu_exec_interrupt(CPUState *cpu, int request)
{
    Hooked *h = hooked_of(cpu);
    uint64_t pending = pb_cpu_kind->pending(cpu, request);
    bool changed;

    h->privileged = state_of(cpu).privileged;
    h->delivering = true;
    changed = pb_deliver_interrupt(cpu, request, original.cpu_exec_interrupt);
    h->delivering = false;
    if (changed) {
        PbServed served = pb_cpu_kind->served(cpu, request, pending);
        if (served == PB_SERVED_EXCEPTION) {
            TELL(exception, cpu->cpu_index, h->privileged);
        } else if (served == PB_SERVED_INTERRUPT) {
            TELL(interrupt, cpu->cpu_index, h->privileged);
        }
        tell_mark(cpu);
        if (served != PB_SERVED_NOTHING) {
            pb_watch_delivered(cpu);
        }
    }
    return changed;
}

/* A triple fault leaves a delivery unfinished. After the reset execution begins here, with nothing being delivered. */
static void cpu_exec_enter(CPUState *cpu)
{
    Hooked *h = hooked_of(cpu);
    h->delivering = h->software = h->unwound = h->misaligned = false;
    tell_mark(cpu);
    original.cpu_exec_enter(cpu);
}

static const PbCpuKind *kind_of(CPUState *cpu)
{
    static const PbCpuKind *const kinds[] = { &pb_cpu_x86_64, &pb_cpu_i386, &pb_cpu_ppc64 };

    for (size_t i = 0; cpu && i < ARRAY_SIZE(kinds); i++) {
        if (object_dynamic_cast(OBJECT(cpu), kinds[i]->type)) {
            return kinds[i];
        }
    }
    return NULL;
}

const char *pb_cpu_isa(void)
{
    if (!pb_cpu_kind) {
        pb_cpu_kind = kind_of(qemu_get_cpu(0)); /* all are of one class */
    }
    return pb_cpu_kind ? pb_cpu_kind->isa : NULL;
}

static void drop_translations(unsigned vcpu, uint64_t page)
{
    TELL(translations, vcpu, page);
}

void pb_cpu_hide_turns(void)
{
    if (pb_cpu_isa() && pb_cpu_kind->hide_turns) {
        pb_cpu_kind->hide_turns(qemu_get_cpu(0));
    }
}

bool pb_cpu_hook(const PbCpuEvents *events, unsigned vcpus)
{
    CPUState *cpu = qemu_get_cpu(0);
    TCGCPUOps *ops;
    size_t at = 0;

    if (!pb_cpu_isa() || (pb_cpu_kind->known && !pb_cpu_kind->known(cpu))) {
        return false;
    }
    while (listeners[at] && listeners[at] != events) {
        at++;
        g_assert(at < ARRAY_SIZE(listeners));
    }
    qatomic_store_release(&listeners[at], events); /* a vCPU that hears of it may use what it needs */
    if (hooked) {
        return true;
    }
    hooked_count = vcpus;
    hooked = g_new0(Hooked, vcpus);
    pb_tlb_shootdown_begin(vcpus, drop_translations);
    ops = pb_cpu_ops(cpu);
    original = *ops;
    pb_halt_begin(ops);
    smp_wmb(); /* vCPUs may run: hooked_of() */
    ops->restore_state_to_opc = restore_state_to_opc;
    ops->do_interrupt = do_interrupt;
    ops->cpu_exec_interrupt = cpu_exec_interrupt;
    ops->cpu_exec_enter = cpu_exec_enter;
    ops->do_unaligned_access = do_unaligned_access;
    return true;
}

void pb_cpu_again(unsigned vcpu)
{
    if (vcpu < hooked_count) {
        hooked[vcpu].again = true;
    }
}

void pb_cpu_gone(unsigned vcpu)
{
    if (vcpu < hooked_count) {
        hooked[vcpu] = (Hooked) { 0 };
        pb_tlb_shootdown_gone(vcpu);
    }
}
