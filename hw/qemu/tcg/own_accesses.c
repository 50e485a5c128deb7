/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a processor accesses itself, outside of instructions: while it delivers an exception or interrupt this is told as an instruction's accesses
 * are, or not at all. QEMU keeps whose callbacks these are (plugin_mem_cbs); of an access that has none watch.c gives up the block, and here is none. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/series/tcg.h"
#include "hw/qemu/tcg/cpu_kind.h"
#include "hw/qemu/tcg/cpu_ops.h"

/* Stores, then loads. QEMU's functions for a processor's accesses call them back while the vCPU has them, as they do in a helper of an
 * instruction. Who leaves by cpu_loop_exit() has none any more. */
static TCGHelperInfo touches_nothing = { .flags = TCG_CALL_NO_RWG };
static struct qemu_plugin_dyn_cb own_calls[] = {
    { .type = PLUGIN_CB_MEM_REGULAR, .regular.rw = QEMU_PLUGIN_MEM_W, .regular.info = &touches_nothing },
    { .type = PLUGIN_CB_MEM_REGULAR, .regular.rw = QEMU_PLUGIN_MEM_R, .regular.info = &touches_nothing },
};
/* None, the first, both: QEMU reads a length and then the calls in no particular order, so a length never changes. */
static GArray own[] = { { (gchar *)own_calls, 0 }, { (gchar *)own_calls, 1 }, { (gchar *)own_calls, 2 } };
static unsigned told;

void pb_cpu_own_accesses(PbAccessCallback load, PbAccessCallback store)
{
    own_calls[0].regular.f.vcpu_mem = store ? store : own_calls[0].regular.f.vcpu_mem;
    own_calls[1].regular.f.vcpu_mem = load ? load : own_calls[1].regular.f.vcpu_mem;
    qatomic_store_release(&told, load ? 2 : store ? 1 : 0); /* behind what they are */
}

static void tell_own(CPUState *cpu)
{
    cpu->neg.plugin_mem_cbs = &own[qatomic_load_acquire(&told)];
}

static bool keep_mark;

void pb_cpu_keep_mark(bool on)
{
    keep_mark = on;
}

void pb_deliver(CPUState *cpu, void (*do_interrupt)(CPUState *cpu))
{
    bool keeps = keep_mark && pb_cpu_kind->keeps_mark && pb_cpu_kind->keeps_mark(cpu);

    tell_own(cpu);
    do_interrupt(cpu);
    qemu_plugin_disable_mem_helpers(cpu);
    if (keeps) {
        pb_cpu_kind->set_mark(cpu);
    }
}

bool pb_deliver_interrupt(CPUState *cpu, int request, bool (*serves)(CPUState *cpu, int request))
{
    bool changed;

    tell_own(cpu);
    changed = serves(cpu, request);
    qemu_plugin_disable_mem_helpers(cpu);
    return changed;
}

GArray *pb_cpu_tell_nobody(CPUState *cpu)
{
    GArray *before = cpu->neg.plugin_mem_cbs;

    cpu->neg.plugin_mem_cbs = &own[0];
    return before;
}

void pb_serve(CPUState *cpu, void (*do_interrupt)(CPUState *cpu))
{
    pb_cpu_tell_nobody(cpu);
    do_interrupt(cpu);
    qemu_plugin_disable_mem_helpers(cpu);
}

static bool (*halt_of_qemu)(CPUState *cpu);

static bool cpu_exec_halt(CPUState *cpu)
{
    bool leaves;

    pb_cpu_tell_nobody(cpu);
    smp_rmb(); /* as in hooked_of(), cpu_hooks.c */
    leaves = halt_of_qemu(cpu);
    qemu_plugin_disable_mem_helpers(cpu);
    return leaves;
}

void pb_halt_begin(TCGCPUOps *ops)
{
    halt_of_qemu = ops->cpu_exec_halt;
    qatomic_store_release(&ops->cpu_exec_halt, cpu_exec_halt);
}
