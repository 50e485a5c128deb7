/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include <dlfcn.h>
#include <link.h>
#include "qemu/notify.h"
#include "qemu/rcu.h"
#include "exec/address-spaces.h"
#include "exec/cpu-common.h"
#include "exec/memory.h"
#include "exec/tlb-common.h"
#include "gdbstub/internals.h"
#include "hw/core/cpu.h"
#include "qemu/plugin.h"
#include "plugins/plugin.h"
#include "qom/object.h"
#include "system/system.h"

#include "hw/qemu/series/insides.h"
#include "hw/qemu/series/tcg.h"
#include "hw/qemu/series/tlb.h"
#include "plugins/port.h"

extern struct qemu_plugin_state plugin;

/* The tests' object has it; this one does not. */
__attribute__((weak, visibility("hidden"))) bool pb_inside_fails(const char *name);

bool pb_inside_holds(const char *name, bool so)
{
    return so && !(pb_inside_fails && pb_inside_fails(name));
}

void pb_inside_needed(const char *name, bool so)
{
    if (!pb_inside_holds(name, so)) {
        fprintf(stderr, "perfboard: cannot be used here: this QEMU " PERFBOARD_QEMU_SERIES " is not as its headers say (%s); use an unchanged one\n", name);
        exit(1);
    }
}

bool pb_inside_faster(const char *name, bool so, const char *without)
{
    if (pb_inside_holds(name, so)) {
        return true;
    }
    fprintf(stderr, "perfboard: this QEMU " PERFBOARD_QEMU_SERIES " is not as its headers say (%s): %s; counts are the same, the guest is slower\n",
            name, without);
    return false;
}

bool pb_inside_bytes(const void *variable, size_t bytes)
{
    const ElfW(Sym) *symbol;
    Dl_info where;

    return dladdr1(variable, &where, (void **)&symbol, RTLD_DL_SYMENT) && symbol && symbol->st_size == bytes;
}

/* --- when the object is loaded --------------------------------------------------- */

QEMU_BUILD_BUG_ON(offsetof(GDBState, init) != 0); /* breaks.c knows no more of it */

static bool variables_ok(void)
{
    return pb_inside_bytes(&plugin, sizeof(plugin)) && pb_inside_bytes(&gdbserver_state, sizeof(gdbserver_state)) &&
           pb_inside_bytes(&cpus_queue, sizeof(cpus_queue)) && pb_inside_bytes(&address_space_memory, sizeof(address_space_memory));
}

/* --- when the machine is complete --------------------------------------------------- */

/* Members from CPUState's beginning to its end, as they are before the machine runs. */
static bool vcpu_ok(CPUState *cpu)
{
    return (ObjectClass *)cpu->cc == object_get_class(OBJECT(cpu)) && cpu->created && !cpu->running && cpu->halt_cond &&
           cpu->as == cpu_get_address_space(cpu, 0) && qemu_get_cpu(cpu->cpu_index) == cpu && cpu->plugin_state;
}

/* Empty tables of the sizes that QEMU makes. */
static bool tlb_ok(const CPUState *cpu)
{
    for (unsigned mode = 0; mode < NB_MMU_MODES; mode++) {
        const CPUTLBDescFast *fast = pb_tlb_fast(cpu, mode);
        uintptr_t last = fast->mask >> CPU_TLB_ENTRY_BITS;

        if (fast->mask != last << CPU_TLB_ENTRY_BITS || last & (last + 1) || last < 63 || last > 1 << 22 || !fast->table ||
            !pb_tlb_full(cpu, mode, 0) || fast->table[last].addr_read != UINTPTR_MAX || fast->table[last].addr_write != UINTPTR_MAX) {
            return false;
        }
    }
    return true;
}

static unsigned depth(void)
{
    return get_ptr_rcu_reader()->depth;
}

static int depth_within(RAMBlock *block, void *opaque)
{
    *(unsigned *)opaque = depth();
    return 1;
}

/* QEMU goes through the blocks of RAM in a read section. */
static bool rcu_ok(void)
{
    unsigned before = depth(), within = before + 1; /* a machine may have none */

    qemu_ram_foreach_block(depth_within, &within);
    return within == before + 1 && depth() == before;
}

static void machine_complete(Notifier *notifier, void *unused)
{
    CPUState *cpu;

    CPU_FOREACH(cpu) {
        pb_inside_needed("vcpu", vcpu_ok(cpu));
        pb_inside_needed("tlb", tlb_ok(cpu));
    }
    pb_inside_needed("rcu", rcu_ok());
}

void pb_insides_start(void)
{
    static Notifier complete = { .notify = machine_complete };

    pb_inside_needed("variables", variables_ok());
    pb_translator_at_load();
    qemu_add_machine_init_done_notifier(&complete);
}
