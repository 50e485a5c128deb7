/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include <dlfcn.h>
#include <link.h>

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

/* Empty tables of the sizes that QEMU makes: so they may be read. What is in them is tried when they are filled. */
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

/* The word makes QEMU look by its own code, so this also tries what callbacks are told (info-word). */
static hwaddr phys_of_qemu(vaddr addr, MMUAccessType type, int mode)
{
    struct qemu_plugin_hwaddr *found = qemu_plugin_get_hwaddr(
        make_plugin_meminfo(make_memop_idx(MO_8, mode), type == MMU_DATA_STORE ? QEMU_PLUGIN_MEM_W : QEMU_PLUGIN_MEM_R), addr);

    return found ? qemu_plugin_hwaddr_phys_addr(found) : -1;
}

static bool filled_ok(const CPUState *cpu, vaddr addr, MMUAccessType type, int mode, const CPUTLBEntry *entry)
{
    const vaddr in_page = (1 << PB_PAGE_BITS) - 1;
    const CPUTLBEntryFull *full = pb_tlb_full(cpu, mode, entry - pb_tlb_fast(cpu, mode)->table);

    return full->prot & (type == MMU_DATA_STORE ? PAGE_WRITE : PAGE_READ) && full->lg_page_size >= PB_PAGE_BITS &&
           phys_of_qemu(addr, type, mode) == ((full->phys_addr & ~in_page) | (addr & in_page));
}

void pb_inside_filled(CPUState *cpu, vaddr addr, MMUAccessType type, int mode)
{
    static uint32_t tried[PB_MAX_VCPUS]; /* a bit for each mode */
    uint32_t *of_vcpu = &tried[cpu->cpu_index];
    const CPUTLBEntry *entry;
    uint64_t tag;

    QEMU_BUILD_BUG_ON(PB_MMU_MODES > 32);
    if (*of_vcpu & BIT(mode) || type == MMU_INST_FETCH) {
        return;
    }
    entry = &pb_tlb_fast(cpu, mode)->table[pb_tlb_index(cpu, mode, addr)];
    tag = entry->addr_idx[type];
    if ((tag ^ addr) >> PB_PAGE_BITS == 0 && tag & PB_TLB_INVALID) {
        return; /* it is good for one access only, and QEMU says nothing of it */
    }
    *of_vcpu |= BIT(mode);
    pb_inside_needed("tlb", (tag ^ addr) >> PB_PAGE_BITS == 0 && filled_ok(cpu, addr, type, mode, entry));
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
