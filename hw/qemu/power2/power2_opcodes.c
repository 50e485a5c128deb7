/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * opcodes=FILE: how often each opcode was executed, by all processors, since the machine was started; what the instruction match
 * register's samples approach. Counting needs no guest. The file is whole whenever the machine stands still, when the card is gone, and when QEMU
 * has ended. A file that cannot be written costs one line, never the machine. */
#include "hw/qemu/series/qemu.h"

#include "hw/power2/machine_c.h"
#include "hw/qemu/core/time/stall.h"
#include "hw/qemu/core/time/time.h"
#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/power2/power2.h"
#include "plugins/blocks.h"

typedef struct Row {
    uint32_t code;
    uint64_t times;
} Row;

static void take_row(void *rows, uint32_t code, uint64_t times)
{
    g_array_append_val((GArray *)rows, ((Row){ code, times }));
}

/* The most frequent first; of equal ones the smallest, as they come. */
static gint by_times(gconstpointer a, gconstpointer b)
{
    uint64_t x = ((const Row *)a)->times, y = ((const Row *)b)->times;
    return (x < y) - (x > y);
}

static bool write_rows(FILE *file, const GArray *rows)
{
    rewind(file);
    fputs("opcode,times\n", file);
    for (guint i = 0; i < rows->len; i++) {
        const Row *r = &g_array_index(rows, Row, i);
        fprintf(file, "0x%x,%" PRIu64 "\n", r->code, r->times);
    }
    return !fflush(file) && !ferror(file) && !ftruncate(fileno(file), ftell(file));
}

static void write_file(Power2Device *s)
{
    g_autoptr(GArray) rows = NULL;

    if (!s->opcodes) {
        return;
    }
    rows = g_array_new(FALSE, FALSE, sizeof(Row));
    pb_blocks_read_opcodes(take_row, rows);
    g_array_sort(rows, by_times); /* is stable */
    if (!write_rows(s->opcodes, rows)) {
        warn_report("power2-pm: opcodes=%s: %s: it is written no more", s->opcodes_file, strerror(errno));
        fclose(s->opcodes);
        s->opcodes = NULL;
    }
}

static void opcodes_stopped(void *opaque, bool running, RunState state)
{
    if (!running) {
        write_file(opaque);
    }
}

static Power2Device *counting; /* whose file the counts are for; one that has gone stays it until no vCPU is in a block */

void power2_end_opcodes(void *dev)
{
    Power2Device *s = dev;

    if (counting != s) {
        return;
    }
    counting = NULL;
    write_file(s);
    if (s->opcodes) {
        fclose(s->opcodes);
        s->opcodes = NULL;
    }
    qemu_del_vm_change_state_handler(s->opcodes_changes);
    pb_blocks_opcodes(NULL);
}

bool power2_open_opcodes(Power2Device *s, Error **errp)
{
    if (!s->opcodes_file) {
        return true;
    }
    if (counting) {
        power2_end_opcodes(counting); /* one has gone, and its last block has not ended yet */
    }
    s->opcodes = fopen(s->opcodes_file, "w");
    if (!s->opcodes) {
        error_setg(errp, "power2-pm: opcodes=%s: %s", s->opcodes_file, strerror(errno));
        return false;
    }
    pb_blocks_opcodes(p2_machine_imr_of);
    s->counts_opcodes = true;
    s->opcodes_changes = qemu_add_vm_change_state_handler(opcodes_stopped, s);
    counting = s;
    return true;
}

/* What a monitor asks and tells of its processor: its mark, its context, the pattern that IMR holds, and that its totals are rebased to
 * what came to its end. */

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
