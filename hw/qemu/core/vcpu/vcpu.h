/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Machine - QEMU as observation is handed it (plugins/machine.h): each function there is one here, and hw/qemu calls it by its name.
 *
 * load.c hands it over, before anything of plugins/ is called.
 *
 *   pb_retranslate();       is PbMachine::retranslate; and so are all in the list below
 *
 * Files of tcg implement them; of core vcpu_work.c (stop_vcpu), bus.c (bus_*) and time.c (event_time).
 */
#ifndef PERFBOARD_QEMU_CORE_VCPU_H
#define PERFBOARD_QEMU_CORE_VCPU_H

#include "hw/qemu/series/qemu.h"
#include "plugins/machine.h"
#include "plugins/taps.h"

#define PB_MACHINE_FUNCTIONS(F) \
    /* vCPUs */ \
    F(cpu_view) F(running_state) F(cpu_state) F(access_pc) F(cpu_registers) F(cpu_float) F(address_space) F(peek) F(own_thread) F(cpu_runs) \
    F(cpu_isa) F(cpu_hook) F(cpu_own_accesses) F(tlb_shootdown) F(prepare_vcpu) F(stop_vcpu) F(cpu_gone) \
    /* time */ \
    F(event_time) F(devices_alone) \
    /* memory */ \
    F(ram_map) F(ram_watch) F(release_later) F(tlb_phys) F(tlb_slow_flags) F(memory_type) F(memory_types) F(in_processor) F(code_addr) \
    F(bus_open) F(bus_watch) F(models_saved) \
    /* blocks */ \
    F(retranslate) F(no_blocks_yet) F(see_blocks) F(drop_values) \
    F(filter_start) F(filter_changed) F(filter_block) F(watch) F(watch_anew) F(access_count_block) F(access_count) F(access_count_none) F(hit_filter_block) F(hit_filter_table) F(hit_filter_lines) \
    F(counts) F(count_inline) F(fetched_start) F(fetched) F(fetch_page) \
    F(block_slots) F(block_count) F(block_count_accesses) F(block_again)

/* Of the type that it has in the table. */
#define PB_MACHINE_DECLARE(name) __typeof__(*((PbMachine *)0)->name) pb_##name;
PB_MACHINE_FUNCTIONS(PB_MACHINE_DECLARE)

/* What hw/qemu alone asks of its files in tcg. */

/* A board held the vCPU: the instruction under way is given up, will be made again, and is to count once. Call it in the
 * vCPU's thread, right before cpu_loop_exit_restore() with EXCP_INTERRUPT. */
void pb_cpu_again(unsigned vcpu);
/* POWER: a system call (sc, scv) leaves MSR[PMM] as it is, where QEMU clears it. */
void pb_cpu_keep_mark(bool on);
/* The vCPU (CPUState) whose execution loop the calling thread is in; NULL: none. */
void *pb_running_cpu(void);
/* When the machine is complete, and no vCPU has run: nothing that the guest can read depends on how often QEMU begins and ends vCPUs' turns. */
void pb_cpu_hide_turns(void);
/* There, under icount: the size of a vCPU's TLB, which a guest can find out, does not depend on the host's time. */
void pb_cpu_count_flushes(void);
/* When the machine is complete, under icount: what is called whenever a vCPU has left its execution loop. In its thread, big lock not held. */
void pb_cpu_on_exit(void (*leaves)(CPUState *cpu));
/* There: what watched pages were to change (tcg/watch_density.c), if this was the last turn of all. */
void pb_watch_settle(CPUState *cpu);
/* Whether the word that tells of an access has the bits that plugins/access.h takes for MMU mode and size. For the load guard. */
bool pb_info_word_ok(void);

/* Memory of a guest's that devices read and write is seen in lines of so many bytes (bus.c): a power of two, 16 to 4096; at first PB_BUS_LINE. While
 * devices are made. */
#define PB_BUS_LINE 128
void pb_bus_line(uint32_t bytes);

/*
 * What a tap tells of an access (plugins/taps.h), for a board that answers the access itself:
 *
 *   static MemTxResult my_read(void *opaque, hwaddr addr, uint64_t *value, unsigned size, MemTxAttrs attrs)
 *       CPUState *cpu = pb_accessing_cpu();                 (stall.h) NULL: no instruction makes the access
 *       PbAccessKind kind = pb_access_kind(cpu, attrs);
 *
 * The region's pages must be marked for a tap that asked for memory types (pb_tap_pages(), pb_tap_types()); its level may be
 * PB_TAP_NOTHING. The instruction under way may make several accesses. hw/qemu/tcg/memory_type.c implements it.
 */
typedef struct PbAccessKind {
    bool locked; /* the instruction locks the bus */
    /* QEMU's loads, or stores, are not the processor's: no transaction. A load of POWER's conditional store, for example. */
    bool hides_loads, hides_stores;
    uint8_t type; /* PbMemory, as the mapping says through which the access came */
} PbAccessKind;

/* In the vCPU's thread, before anything else changes it. */
PbAccessKind pb_access_kind(CPUState *cpu, MemTxAttrs attrs);

/*
 * Work on vCPUs: what one has the others' threads do.
 *
 * Work for a vCPU's own thread, of which one piece of a kind waits at most. A guest asks for it by a register, as often as it
 * likes, and the other vCPU's thread gets to its work when the host lets it.
 *
 *   if (pb_vcpu_work_wanted(cpu, PB_VCPU_WORK_FLUSH)) async_run_on_cpu(cpu, work, ...);
 *                                                                 false: such work waits already
 *   pb_vcpu_work_begins(cpu, PB_VCPU_WORK_FLUSH);                 first in the work: what is wanted now is looked up behind it
 *   pb_vcpu_work_fresh(vcpu);                                     a vCPU begins: work of one that went is not its
 *
 * Stopped vCPUs - something is done while no vCPU is in a block: before the calling vCPU's next block, and before any other's.
 *
 *   static PbStopVcpus flush = { .work = flush_all, .does = PB_VCPU_WORK_FLUSH, .waits = PB_VCPU_WORK_FLUSH_WAIT };
 *   pb_stop_vcpus_for(&flush);                  any thread, as often as a guest makes it; work() is done once for all that have asked
 *
 * It is safe work of the first vCPU, which nobody can eject. The others, the caller too, wait between two blocks until it is done. While one
 * waits it does what others want of it: QEMU's kvmvapic has a vCPU wait within an access for each other one. One that is to go goes: the
 * vCPU that ejects it waits within an access, too. With safe work for each of them either would wait for ever.
 *
 * With all vCPUs in turn on one thread nobody runs before this one stops: that which is in a block has the work, or each has (`each`).
 *
 * Whoever waits with the big lock held for what another thread does yields it: that thread may need the lock for it.
 *
 *   while (!done) { pb_bql_yield(20); }
 */
enum {
    PB_VCPU_WORK_RETRANSLATE = 1,
    PB_VCPU_WORK_RETRANSLATE_WAIT = 2,
    PB_VCPU_WORK_MAP = 4,
    PB_VCPU_WORK_MAP_WAIT = 8,
    PB_VCPU_WORK_FLUSH = 16,
    PB_VCPU_WORK_MARK = 32,
    PB_VCPU_WORK_PAGES = 64,
    PB_VCPU_WORK_FULL = 128,
    PB_VCPU_WORK_FULL_WAIT = 256,
    PB_VCPU_WORK_FILTER = 512,
};

/* For arrays of PB_MAX_VCPUS. */
unsigned pb_vcpu_index(const CPUState *cpu);

bool pb_vcpu_work_wanted(const CPUState *cpu, unsigned what);
void pb_vcpu_work_begins(const CPUState *cpu, unsigned what);
void pb_vcpu_work_fresh(unsigned vcpu);

typedef struct PbStopVcpus {
    void (*work)(CPUState *cpu); /* whose thread it is; without the big lock */
    unsigned does, waits;        /* bits of PB_VCPU_WORK_* of its own */
    bool each;
    unsigned asked, done;
} PbStopVcpus;

void pb_stop_vcpus_for(PbStopVcpus *a);

/* Big lock held, before and after; without it for so many microseconds of the host, or more. */
static inline void pb_bql_yield(unsigned us)
{
    bql_unlock();
    g_usleep(us);
    bql_lock();
}

#endif
