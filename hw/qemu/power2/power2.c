/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * power2-pm: the POWER2 performance monitor, on a PCI card of ours. Behaviour is in hw/power2/. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/boards.h"
#include "hw/core/cpu.h"

#include "hw/qemu/core/board_type.h"
#include "hw/qemu/core/pci.h"
#include "hw/qemu/core/stall.h"
#include "hw/qemu/power2/power2.h"
#include "plugins/blocks.h"

#define P2_PCI_ID 0x5032             /* INFERRED: the monitor is part of the processor, and no card existed; 'P2', vendor 1234 */
#define PCI_CLASS_PERFORMANCE 0x1101 /* data acquisition: performance counters */

/* --- accesses ----------------------------------------------------------------- */

static P2Access power2_access(const P2Window *w, hwaddr addr, unsigned size)
{
    const CPUState *cpu = pb_accessing_cpu();
    return (P2Access){ .offset = addr, .size = size, .big = w->big, .processor = cpu ? cpu->cpu_index : -1 };
}

/* An access from which on something counts that nobody has watched so far: it is watched first, by blocks that are translated anew, and the
 * access made then. So what is counted does not depend on what was watched before. */
static void watch_first(P2Window *w, const P2Access *a, bool write, uint64_t value)
{
    P2Sources sources = { { 0 } };
    CPUState *cpu = pb_accessing_cpu();

    p2_card_begins(&w->card->card, a, write, value, sources.word);
    if (power2_begin_feeds(w->card, &sources) && cpu) {
        pb_event_retried(cpu->cpu_index);
        pb_inspect_given_up();
        pb_time_begin_again(cpu);
    }
}

static uint64_t power2_read(void *opaque, hwaddr addr, unsigned size)
{
    P2Window *w = opaque;
    const P2Access a = power2_access(w, addr, size);
    watch_first(w, &a, false, 0);
    return p2_card_load(&w->card->card, &a);
}

static void power2_write(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
    P2Window *w = opaque;
    const P2Access a = power2_access(w, addr, size);
    watch_first(w, &a, true, value);
    p2_card_store(&w->card->card, &a, value);
}

#define OPS(order) { \
    .read = power2_read, .write = power2_write, .endianness = order, \
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true }, \
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true }, \
}
static const MemoryRegionOps power2_ops[2] = { OPS(DEVICE_LITTLE_ENDIAN), OPS(DEVICE_BIG_ENDIAN) };

/* --- life ----------------------------------------------------------------------- */

static char *power2_describe(void *dev)
{
    return pb_pci_describe(PCI_DEVICE(dev), TYPE_POWER2_PM);
}

static void power2_expired(void *dev)
{
    power2_settle_feeds(POWER2_PM(dev));
}

static void power2_gone(void *dev) { power2_end_opcodes(dev); }

static const PbGlueOps power2_glue = { .describe = power2_describe, .expired = power2_expired, .gone = power2_gone };

static Power2Device *only; /* of the machine; big lock held */

static void power2_realize(PCIDevice *pci, Error **errp)
{
    static const char *const names[] = { "power2", "power2-big" };
    Power2Device *s = POWER2_PM(pci);
    P2Config *c = &s->config;

    if (only) {
        error_setg(errp, "power2-pm: the machine has one already, with a monitor for each vCPU");
        return;
    }
    only = s;
    if (!power2_configure(s, c, errp) || !power2_open_feeds(s, c, errp) || !power2_open_opcodes(s, errp)) {
        return;
    }
    pb_glue_init(&s->glue, s, &power2_glue);
    s->card.count = current_machine->smp.max_cpus;
    s->card.monitors = g_new0(P2Monitor, s->card.count);
    for (unsigned i = 0; i < s->card.count; i++) {
        c->opaque = &s->cpu[i];
        p2_init(&s->card.monitors[i], c, &s->glue.host);
    }
    if (!pb_glue_inspect(&s->glue, DEVICE(s), p2_board_view(), &s->card, errp)) {
        return;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(s->window); i++) {
        P2Window *w = &s->window[i];
        w->card = s;
        w->big = i;
        pb_region_init_io(&w->region, &s->glue, i, &w->mr, OBJECT(s), &power2_ops[i], w, names[i], P2_WINDOW_BYTES);
        w->mr.disable_reentrancy_guard = true; /* stall.h */
        pci_register_bar(pci, 2 * i, PCI_BASE_ADDRESS_SPACE_MEMORY, &w->mr);
    }
    pb_blocks_keep_mark(true);
}

static void reset_monitors(Power2Device *s)
{
    for (unsigned i = 0; i < s->card.count; i++) {
        p2_reset(&s->card.monitors[i]);
    }
}

void power2_reset_monitors(Power2Device *s)
{
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
    s->counts_opcodes = false;
    if (s->card.monitors) {
        reset_monitors(s);
        power2_reset_feeds(s);
        pb_blocks_keep_mark(false);
    }
    power2_close_feeds(s);
}

static void power2_bus_reset(Object *obj, ResetType type)
{
    power2_reset_monitors(POWER2_PM(obj));
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

void perfboard_register_power2(void)
{
    static PbBoardType power2_board = {
        .name = TYPE_POWER2_PM, .desc = "POWER2 performance monitor: 22 counters for each processor",
        .category = DEVICE_CATEGORY_MISC, PB_BOARD_DEVICE(Power2Device), .view = p2_board_view, .vmsd = &vmstate_power2,
        .init = power2_instance_init, .reset = power2_bus_reset, .free = power2_free,
        .pci = { PCI_VENDOR_ID_QEMU, P2_PCI_ID, PCI_CLASS_PERFORMANCE, power2_realize, power2_exit },
    };

    power2_add_properties(&power2_board);
    pb_board_register(&power2_board);
}
