/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "hw/core/cpu.h"
#include "qemu/plugin.h"

#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/tcg/cpu_kind.h"

/* --- what the processor accesses itself ------------------------------------------------- */

/* Stores, then loads. QEMU's functions for a processor's accesses call them back while the vCPU has them, as they do in a helper of an
 * instruction. Who leaves by cpu_loop_exit() has none any more. */
static struct qemu_plugin_dyn_cb own_calls[] = { { .type = PLUGIN_CB_MEM_REGULAR, .regular.rw = QEMU_PLUGIN_MEM_W },
                                                 { .type = PLUGIN_CB_MEM_REGULAR, .regular.rw = QEMU_PLUGIN_MEM_R } };
static GArray own = { .data = (gchar *)own_calls };

void pb_cpu_own_accesses(PbAccessCallback load, PbAccessCallback store)
{
    own_calls[0].regular.f.vcpu_mem = store ? store : own_calls[0].regular.f.vcpu_mem;
    own_calls[1].regular.f.vcpu_mem = load ? load : own_calls[1].regular.f.vcpu_mem;
    qatomic_store_release(&own.len, load ? 2 : store ? 1 : 0);
}

static void tell_own(CPUState *cpu)
{
    cpu->neg.plugin_mem_cbs = qatomic_load_acquire(&own.len) ? &own : NULL;
}

/* --- deliveries ------------------------------------------------------------------------- */

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
