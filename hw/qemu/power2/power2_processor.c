/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a monitor asks and tells of its processor: its mark, its context, the pattern that IMR holds, and that its totals are rebased to
 * what came to its end. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/time/stall.h"
#include "hw/qemu/core/time/time.h"
#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/power2/power2.h"
#include "plugins/blocks.h"

static bool marks[PB_MAX_VCPUS]; /* by vCPU: what is to be its mark. Big lock held */

static void mark_elsewhere(CPUState *cpu, run_on_cpu_data unused)
{
    pb_vcpu_work_begins(cpu, PB_VCPU_WORK_MARK);
    pb_event_mark(cpu->cpu_index, marks[pb_vcpu_index(cpu)], false);
}

/* Another processor's monitor may be written while that processor runs: its mark changes between two of its blocks. */
void power2_mark(void *opaque, bool marked)
{
    P2Cpu *own = opaque;
    CPUState *cpu = qemu_get_cpu(own->vcpu);

    if (!cpu) {
        return; /* not plugged in */
    }
    if (pb_running_cpu() == cpu) {
        pb_event_mark(own->vcpu, marked, true);
    } else if (!runstate_is_running() || pb_time_counts_instructions()) {
        pb_event_mark(own->vcpu, marked, false);
    } else {
        marks[pb_vcpu_index(cpu)] = marked;
        if (pb_vcpu_work_wanted(cpu, PB_VCPU_WORK_MARK)) {
            async_run_on_cpu(cpu, mark_elsewhere, RUN_ON_CPU_NULL);
        }
    }
}

void power2_match(void *opaque, uint32_t imr)
{
    pb_blocks_pattern(((P2Cpu *)opaque)->vcpu, imr);
}

void power2_context(void *opaque, bool *privileged, bool *marked)
{
    pb_blocks_context(((P2Cpu *)opaque)->vcpu, privileged, marked);
}

bool power2_rebase(void *opaque)
{
    const P2Cpu *own = opaque;
    bool fell = pb_blocks_rebase(own->vcpu);

    for (unsigned i = 0; i < P2_MOST_FEEDS; i++) {
        if (own->card->events[i] && pb_events_rebase(own->card->events[i], own->vcpu)) {
            fell = true;
        }
    }
    return fell;
}
