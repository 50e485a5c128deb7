/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * power2-pm: the POWER2 performance monitor, on a PCI card of ours. Behaviour is in hw/power2/. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/time/stall.h"
#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/power2/power2.h"
#include "plugins/blocks.h"

#define P2_PCI_ID 0x5032             /* INFERRED: the monitor is part of the processor, and no card existed; 'P2', vendor 1234 */
#define PCI_CLASS_PERFORMANCE 0x1101 /* data acquisition: performance counters */

/* --- accesses ----------------------------------------------------------------- */

/* The second window is big-endian. */
static P2Access access_of(const PbAccess *a)
{
    return (P2Access){ .offset = a->offset, .size = a->size, .big = a->window, .processor = a->cpu ? a->cpu->cpu_index : -1 };
}

/* An access from which on something counts that nobody has watched so far: it is watched first, by blocks that are translated anew, and the
 * access made then. So what is counted does not depend on what was watched before. */
static void watch_first(void *dev, const PbAccess *asked, bool write, uint64_t value)
{
    Power2Device *s = dev;
    const P2Access a = access_of(asked);
    P2Sources sources = { { 0 } };

    p2_card_begins(&s->card, &a, write, value, sources.word);
    if (power2_begin_feeds(s, &sources) && asked->cpu) {
        pb_cpu_again(asked->cpu->cpu_index);
        pb_inspect_given_up();
        pb_time_begin_again(asked->cpu);
    }
}

static uint64_t power2_read(void *dev, const PbAccess *asked)
{
    const P2Access a = access_of(asked);
    return p2_card_load(&((Power2Device *)dev)->card, &a);
}

static void power2_write(void *dev, const PbAccess *asked, uint64_t value)
{
    const P2Access a = access_of(asked);
    p2_card_store(&((Power2Device *)dev)->card, &a, value);
}

#define WINDOW .bytes = P2_WINDOW_BYTES, .stalls = true, .unaligned = true, .most = 8, \
    .before = watch_first, .read = power2_read, .write = power2_write

static const PbWindow power2_windows[] = {
    { .name = "power2", .bar = 0, WINDOW },
    { .name = "power2-big", .bar = 2, .big = true, WINDOW },
    { NULL }
};

/* --- life ----------------------------------------------------------------------- */

static Power2Device *only; /* of the machine; big lock held */

static void power2_realize(PCIDevice *pci, Error **errp)
{
    Power2Device *s = POWER2_PM(pci);
    P2Config *c = &s->config;

    if (only) {
        error_setg(errp, "power2-pm: the machine has one already, with a monitor for each vCPU");
        return;
    }
    only = s;
    if (!power2_configure(s, c, errp) || !power2_open_feeds(s, c, errp) || !power2_open_files(s, errp)) {
        return;
    }
    pb_board_begin(s);
    s->card.count = current_machine->smp.max_cpus;
    s->card.monitors = g_new0(P2Monitor, s->card.count);
    for (unsigned i = 0; i < s->card.count; i++) {
        c->opaque = &s->cpu[i];
        p2_init(&s->card.monitors[i], c, &s->glue.host);
    }
    if (pb_board_open(s, &s->card, errp)) {
        pb_cpu_keep_mark(true);
    }
}

static void reset_monitors(Power2Device *s)
{
    for (unsigned i = 0; i < s->card.count; i++) {
        p2_reset(&s->card.monitors[i]);
    }
}

void power2_reset(void *dev)
{
    Power2Device *s = dev;

    reset_monitors(s);
    pb_blocks_reset();
    power2_reset_feeds(s);
}

/* What translated code and the vCPUs have of a monitor is given up by its reset. Pipelines are emptied when blocks count no more: a vCPU may be in
 * one. */
static void power2_exit(PCIDevice *pci)
{
    Power2Device *s = POWER2_PM(pci);

    if (only != s) {
        return;
    }
    only = NULL;
    s->feeds_always = 0;
    if (s->card.monitors) {
        reset_monitors(s);
        power2_reset_feeds(s);
        pb_cpu_keep_mark(false);
    }
    power2_close_feeds(s);
}

static void power2_instance_init(Object *obj)
{
    power2_nothing_given(POWER2_PM(obj));
}

static void power2_free(Object *obj)
{
    Power2Device *s = POWER2_PM(obj);

    g_free(s->card.monitors);
    g_free(s->cpu);
    g_free(s->image);
    g_free(s->pipelines);
}

/* --- QOM -------------------------------------------------------------------------- */

static const PbBoardType power2_board = {
    .name = TYPE_POWER2_PM, .desc = "POWER2 performance monitor: 22 counters for each processor", .category = DEVICE_CATEGORY_MISC,
    PB_BOARD_DEVICE(Power2Device), .properties = power2_properties, .windows = power2_windows, .view = p2_board_view, .snapshot = &power2_snapshot,
    .ops = { .expired = power2_settle_feeds, .gone = power2_end_files },
    .init = power2_instance_init, .reset = power2_reset, .free = power2_free, .more = power2_add_properties,
    .pci = { PCI_VENDOR_ID_QEMU, P2_PCI_ID, PCI_CLASS_PERFORMANCE, power2_realize, power2_exit },
};

void perfboard_register_power2(void)
{
    pb_board_register(&power2_board);
}
