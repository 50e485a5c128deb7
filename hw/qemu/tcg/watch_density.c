/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Density - where accesses to watched pages (watch.c) are so many that a filter in front of each access costs less, and where they no longer are. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/time/time.h"
#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/tcg/cpu_ops.h"

/* Such an access costs some 160 of the host's instructions more than one to another page, a filter in front of each access 2 to 8
 * (plugins/README.md has the table). So with more than one in MOST_OFTEN of the guest's instructions the filter is better, and with fewer than one
 * in LEAST_OFTEN it is not. That is looked at by the first exception or interrupt behind so many instructions, twice as many each time that the filter
 * has come to serve: each change throws all blocks away. (Not by fills of TLBs: QEMU makes these larger and smaller by the host's clock.)
 * Instructions are what virtual time has room for: idle time counts. */
enum { SPAN = 4096, MOST_OFTEN = 128, LEAST_OFTEN = 512, LOOK_BEHIND = 1 << 20, MOST_TIMES = 8 };

typedef struct Accesses {
    unsigned n;     /* to watched pages, since */
    uint64_t since; /* virtual ns */
} QEMU_ALIGNED(64) Accesses; /* a vCPU's cache line */

static Accesses of_vcpu[PB_MAX_VCPUS];
static PbDensity density;
/* Whether the filter serves instead, for density's sake; whether it is to; and whether that is about to be seen to. */
static bool filters, shall_filter, changes;
static struct {
    unsigned times;        /* how often it has come to serve */
    uint64_t ns, accesses; /* when that was looked at last */
} since;

void pb_watch_density(const PbDensity *of)
{
    density = *of;
}

static uint64_t now_of(CPUState *cpu)
{
    const PbCpuView view = { .cpu = cpu };
    return pb_event_time(&view, 0);
}

static uint64_t ns_of(uint64_t instructions)
{
    return instructions * MAX(pb_time_of_instruction(), 1);
}

/* The tests' object has it: the second access changes to the filter, the first exception or interrupt behind two more changes back. */
__attribute__((weak, visibility("hidden"))) bool pb_watch_in_haste(bool changes_now);

static bool in_haste(void)
{
    return pb_watch_in_haste && pb_watch_in_haste(false);
}

static void settle(CPUState *cpu, run_on_cpu_data unused)
{
    if (!qatomic_xchg(&changes, false) || !density.dense || filters == qatomic_read(&shall_filter)) {
        return;
    }
    qatomic_set(&filters, !filters);
    if (pb_watch_in_haste) {
        pb_watch_in_haste(true);
    }
    if (filters) {
        since.times = MIN(since.times + 1, MOST_TIMES);
        since.ns = now_of(cpu);
        since.accesses = density.accesses();
    }
    density.dense(filters);
}

/* With vCPUs in turn a turn that ended earlier would move the others': that waits until the last one's has ended. */
static void change(CPUState *cpu, bool filter)
{
    qatomic_set(&shall_filter, filter);
    if (!qatomic_xchg(&changes, true) && (!pb_time_counts_instructions() || !CPU_NEXT(first_cpu))) {
        async_run_on_cpu(cpu, settle, RUN_ON_CPU_NULL);
    }
}

void pb_watch_accessed(CPUState *cpu)
{
    Accesses *w = &of_vcpu[pb_vcpu_index(cpu)];
    uint64_t before = w->since;

    if (++w->n < (in_haste() ? 2 : SPAN)) {
        return;
    }
    w->n = 0;
    w->since = now_of(cpu);
    if (in_haste() || w->since - before < ns_of(SPAN * MOST_OFTEN)) {
        change(cpu, true);
    }
}

void pb_watch_delivered(CPUState *cpu)
{
    uint64_t now, accesses;

    if (!qatomic_read(&filters)) {
        return;
    }
    now = now_of(cpu);
    accesses = density.accesses();
    if (now < since.ns) { /* of a snapshot */
        since.ns = now;
        since.accesses = accesses;
    }
    if (in_haste() ? accesses - since.accesses < 2 : now - since.ns < ns_of((uint64_t)LOOK_BEHIND << since.times)) {
        return;
    }
    if (in_haste() || now - since.ns > ns_of((accesses - since.accesses) * LEAST_OFTEN)) {
        change(cpu, false);
    }
    since.ns = now;
    since.accesses = accesses;
}

void pb_watch_settle(CPUState *cpu)
{
    if (!qatomic_read(&changes)) {
        return;
    }
    for (CPUState *next = CPU_NEXT(cpu); next; next = CPU_NEXT(next)) {
        if (!next->halted) {
            return;
        }
    }
    bql_lock();
    settle(cpu, RUN_ON_CPU_NULL);
    bql_unlock();
}
