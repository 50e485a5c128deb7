/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/memory/map_update.h"
#include "hw/qemu/core/time/time.h"
#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/series/per_target.h"
#include "plugins/port.h"

static unsigned waiting; /* transactions that are not committed; big lock, as for: */
static GSList *going;    /* Going */

typedef struct Going {
    Object *board;
    void (*gone)(void *board);
} Going;

static void let_board_go(void *data)
{
    Going *g = data;

    if (g->gone) {
        g->gone(g->board);
    }
    object_unref(g->board);
    g_free(g);
}

static void show(void)
{
    for (; waiting; waiting--) {
        memory_region_transaction_commit();
    }
    g_slist_free_full(g_steal_pointer(&going), let_board_go);
}

/*
 * A vCPU has its maps of memory until it comes to QEMU's own work that gives it the new ones. In between it may do an atomic access alone
 * (cpu_exec_step_atomic()), which QEMU 10.0 forgets to make a reader in the sense of RCU: the old maps, which nobody else reads, would be free by
 * then. So each vCPU's are held until behind that work.
 */
typedef struct Maps {
    FlatView *views[2];
} Maps;

static void let_go(CPUState *cpu, run_on_cpu_data data)
{
    Maps *maps = data.host_ptr;

    for (unsigned i = 0; i < ARRAY_SIZE(maps->views); i++) {
        flatview_unref(maps->views[i]);
    }
    g_free(maps);
}

static Maps *hold(CPUState *cpu)
{
    /* Of ordinary accesses, and of those in SMM. CPUState.num_ases would say how many there are, but 10.0.13 has it at another place than 10.0.2. */
    static const MemTxAttrs kinds[] = { { .secure = 0 }, { .secure = 1 } };
    Maps *maps = g_new(Maps, 1);

    QEMU_BUILD_BUG_ON(ARRAY_SIZE(kinds) != ARRAY_SIZE(maps->views));
    for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++) {
        maps->views[i] = address_space_get_flatview(cpu_get_address_space(cpu, cpu_asidx_from_attrs(cpu, kinds[i])));
    }
    return maps;
}

/* QEMU empties a vCPU's TLB before its next block, but if an interrupt comes first, its frame is pushed with what the TLB holds. */
static void show_to_all(CPUState *unused)
{
    Maps *held[PB_MAX_VCPUS];
    CPUState *cpu;

    bql_lock();
    if (waiting) {
        CPU_FOREACH(cpu) {
            held[pb_vcpu_index(cpu)] = hold(cpu);
        }
        show();
        CPU_FOREACH(cpu) {
            tlb_flush(cpu);
            async_run_on_cpu(cpu, let_go, RUN_ON_CPU_HOST_PTR(held[pb_vcpu_index(cpu)]));
        }
    }
    bql_unlock();
}

void pb_map_update_last(Object *board, void (*gone)(void *board))
{
    Going *g = g_new(Going, 1);

    *g = (Going){ object_ref(board), gone };
    going = g_slist_prepend(going, g);
    pb_map_update();
}

void pb_map_update(void)
{
    static PbStopVcpus shown = { .work = show_to_all, .does = PB_VCPU_WORK_MAP, .waits = PB_VCPU_WORK_MAP_WAIT };

    waiting++;
    if (pb_time_vcpus_run()) {
        pb_stop_vcpus_for(&shown);
    } else {
        show();
    }
}

/* --- a card's configuration space ---------------------------------------------------- */

static bool moves_windows(uint32_t addr, int len)
{
    return ranges_overlap(addr, len, PCI_COMMAND, 1) || ranges_overlap(addr, len, PCI_BASE_ADDRESS_0, 24) ||
           ranges_overlap(addr, len, PCI_ROM_ADDRESS, 4);
}

void pb_pci_write_config(PCIDevice *pci, uint32_t addr, uint32_t value, int len)
{
    if (!moves_windows(addr, len)) {
        pci_default_write_config(pci, addr, value, len);
        return;
    }
    memory_region_transaction_begin();
    pci_default_write_config(pci, addr, value, len);
    pb_map_update();
}

void pb_pci_reset_config(PCIDevice *pci)
{
    pb_pci_write_config(pci, PCI_COMMAND, 0, 2);
    for (unsigned i = 0; i < PCI_NUM_REGIONS - 1; i++) {
        pb_pci_write_config(pci, PCI_BASE_ADDRESS_0 + 4 * i, 0, 4);
    }
    pci_default_write_config(pci, PCI_CACHE_LINE_SIZE, 0, 1);
    pci_default_write_config(pci, PCI_LATENCY_TIMER, 0, 1);
    pci_default_write_config(pci, PCI_INTERRUPT_LINE, 0, 1);
}
