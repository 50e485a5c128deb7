/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "exec/cpu-common.h"
#include "exec/translation-block.h"
#include "hw/core/cpu.h"
#include "accel/tcg/cpu-ops.h"
#include "qom/object.h"
#include "system/cpu-timers.h"

#include "hw/qemu/tcg/cpu_hooks.h"
#include "hw/qemu/tcg/x86/cpu_x86.h"
#include "plugins/cpu_view.h"

/* One for each vCPU. Only that vCPU's thread uses it. */
typedef struct Hooked {
    /* An exception or interrupt is being delivered. If the delivery faults, QEMU jumps out of it and comes back
     * with the new exception. */
    bool delivering;
    /* A software interrupt is being delivered. If the delivery faults, the INT instruction has faulted. */
    bool software;
    bool unwound; /* abandoned() was called for the exception that will be delivered next */
    bool again;   /* pb_cpu_again() was called */
} Hooked;

static Hooked *hooked; /* by vCPU index */
static unsigned hooked_count;
static const PbX86Kind *kind;
static const TCGCPUOps *original;
static const PbCpuEvents *tell;

static Hooked *hooked_of(CPUState *cpu)
{
    return &hooked[cpu->cpu_index];
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
    bool fault = cpu->exception_index >= 0 && cpu->exception_index < PB_VECTORS;
    PbAbandoned why = fault ? PB_FAULTS : is_recompile(cpu, tb) ? PB_AGAIN_COUNTED : PB_AGAIN;
    bool goes_on = cpu->exception_index == EXCP_INTERRUPT && !h->again;

    original->restore_state_to_opc(cpu, tb, data);
    h->again = false;
    if (!goes_on) {
        h->unwound = fault;
        tell->abandoned(cpu->cpu_index, why);
    }
}

static void do_interrupt(CPUState *cpu)
{
    Hooked *h = hooked_of(cpu);
    bool is_vector = cpu->exception_index >= 0 && cpu->exception_index < PB_VECTORS;
    PbX86State s;

    if (is_vector && !h->delivering) {
        kind->state(cpu, &s);
        h->software = s.is_int;
        tell->excepted(cpu->cpu_index, cpu->exception_index, s.is_int, h->unwound);
    } else if (h->software) {
        h->software = false;
        tell->abandoned(cpu->cpu_index, PB_FAULTS);
    }
    h->unwound = false;
    h->delivering = true;
    original->do_interrupt(cpu);
    h->delivering = h->software = false;
    if (is_vector) {
        tell->exception(cpu->cpu_index);
    }
}

static bool cpu_exec_interrupt(CPUState *cpu, int request)
{
    Hooked *h = hooked_of(cpu);
    bool changed;

    h->delivering = true;
    changed = original->cpu_exec_interrupt(cpu, request);
    h->delivering = false;
    /* QEMU serves one request in a call. Those of kind->first deliver nothing. interrupt_request does not tell
     * whether an interrupt was served: the next interrupt may have set its bit again. */
    if (changed && !(request & kind->first)) {
        bool machine_check = request & ~cpu->interrupt_request & kind->machine_check;
        (machine_check ? tell->exception : tell->interrupt)(cpu->cpu_index);
    }
    return changed;
}

/* A triple fault leaves a delivery unfinished. After the reset execution begins here, with nothing being delivered. */
static void cpu_exec_enter(CPUState *cpu)
{
    Hooked *h = hooked_of(cpu);
    h->delivering = h->software = h->unwound = false;
    original->cpu_exec_enter(cpu);
}

bool pb_cpu_hook(const PbCpuEvents *events, unsigned vcpus)
{
    static TCGCPUOps ops;
    static const PbX86Kind *const kinds[] = { &pb_cpu_x86_64, &pb_cpu_i386 };
    CPUState *cpu;

    if (kind) {
        return true;
    }
    CPU_FOREACH(cpu) {
        for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
            if (object_dynamic_cast(OBJECT(cpu), kinds[i]->type)) {
                kind = kinds[i];
            }
        }
        break; /* all are of one class */
    }
    if (!kind) {
        return false;
    }
    tell = events;
    hooked_count = vcpus;
    hooked = g_new0(Hooked, vcpus);
    original = cpu->cc->tcg_ops;
    ops = *original;
    ops.restore_state_to_opc = restore_state_to_opc;
    ops.do_interrupt = do_interrupt;
    ops.cpu_exec_interrupt = cpu_exec_interrupt;
    ops.cpu_exec_enter = cpu_exec_enter;
    cpu->cc->tcg_ops = &ops;
    return true;
}

void pb_cpu_again(unsigned vcpu)
{
    if (vcpu < hooked_count) {
        hooked[vcpu].again = true;
    }
}

bool pb_x86_state(void *cpu, PbX86State *state)
{
    if (!kind || !cpu) {
        return false;
    }
    kind->state(cpu, state);
    state->vcpu = ((CPUState *)cpu)->cpu_index;
    state->parallel = ((CPUState *)cpu)->tcg_cflags & CF_PARALLEL;
    state->single_string |= use_icount != 0;
    return true;
}

bool pb_paging(void *cpu, uint64_t *cr3)
{
    return kind && kind->paging(cpu, cr3);
}

bool pb_running_state(PbX86State *state)
{
    return pb_x86_state(pb_running_cpu(), state);
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
