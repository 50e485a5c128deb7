/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * multikron: NIST's MULTIKRON chip on a PCI card of ours. Behaviour is in hw/multikron/. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/multikron/multikron.h"
#include "plugins/profile.h"

#define MULTIKRON_PCI_ID 0x4d4b          /* INFERRED: the card of NISTIR 5993 is not public; 'MK', vendor 1234 */
#define PCI_CLASS_PERFORMANCE 0x1101     /* data acquisition: performance counters */

static void multikron_sampled(void *opaque, uint64_t data)
{
    pb_profile_event(data);
}

static void multikron_release_at(void *opaque, uint64_t ns)
{
    pb_stall_release_at(&MULTIKRON(opaque)->stall, ns);
}

static void multikron_network(void *opaque, const uint16_t *words, size_t n)
{
    MultiKronDevice *s = MULTIKRON(opaque);

    if (s->collect) {
        mk_collect_words(s->collect, words, n);
    } else {
        mk_net_words(&s->net, words, n);
    }
}

static void multikron_whole(void *opaque, uint64_t ns)
{
    mk_collect_whole(MULTIKRON(opaque)->collect, ns);
}

/* --- life ----------------------------------------------------------------------- */

PB_MODEL(timer, MultiKronDevice, chip, mk_timer)

/* Whenever the machine stops, all that has left the chip goes to the network's reader. */
static void multikron_stopped(void *opaque, bool running, RunState state)
{
    MultiKronDevice *s = opaque;
    if (running) {
        s->net.paused = false;
    } else {
        mk_catch_up(&s->chip);
    }
    if (state == RUN_STATE_SHUTDOWN) {
        mk_collect_end(s->collect);
    }
    mk_net_flush(&s->net, state == RUN_STATE_SHUTDOWN);
}

/* QEMU ends. It stops a running machine first, and multikron_stopped() does this. A machine that stands still is not stopped again. */
static void multikron_ends(void *dev)
{
    MultiKronDevice *s = dev;

    if (!runstate_is_running()) {
        mk_collect_end(s->collect);
        mk_net_flush(&s->net, true);
    }
}

static bool multikron_configure(MultiKronDevice *s, MkConfig *c, Error **errp)
{
    static const char *const drivers[] = { [MK_FREE_ALWAYS] = "always", [MK_FREE_FIFO] = "fifo", [MK_FREE_PIN] = "pin" };
    char why[200];
    unsigned free = 0;

    while (free < ARRAY_SIZE(drivers) && s->free && strcmp(s->free, drivers[free])) {
        free++;
    }
    if (free == ARRAY_SIZE(drivers)) {
        error_setg(errp, "multikron: free=%s: legal are always, fifo and pin", s->free);
        return false;
    }
    if (s->free_size > UINT32_MAX || s->free_rate > UINT32_MAX) {
        bool size = s->free_size > UINT32_MAX;
        error_setg(errp, "multikron: %s=%" PRIu64 ": legal are values up to 4294967295",
                   size ? "free-size" : "free-rate", size ? s->free_size : s->free_rate);
        return false;
    }
    if (s->net.limit > MK_NET_MOST_LIMIT) {
        error_setg(errp, "multikron: buffer-limit=%" PRIu64 ": legal are 0 to %" PRIu64 " bytes", s->net.limit, MK_NET_MOST_LIMIT);
        return false;
    }
    if (!pb_file_size("chardev-size", s->net.most, DEVICE(s), errp)) {
        return false;
    }
    *c = (MkConfig){
        .node_hz = s->node_clock, .timestamp_hz = s->timestamp_clock,
        .fifo_depth = s->fifo_depth, .wait_states = s->wait_states,
        .free = free, .free_bytes = s->free_size, .drain_hz = s->free_rate,
        .opaque = s, .network = multikron_network, .external = multikron_external,
        .watch = multikron_watch, .rebase = multikron_rebase, .release_at = multikron_release_at, .sampled = multikron_sampled,
    };
    if (!mk_config_ok(c, why, sizeof(why))) {
        error_setg(errp, "multikron: %s", why);
        return false;
    }
    return true;
}

static void multikron_realize(PCIDevice *pci, Error **errp)
{
    MultiKronDevice *s = MULTIKRON(pci);
    MkConfig config;

    if (!multikron_configure(s, &config, errp) || !multikron_connect_lines(s, &config, errp) ||
        !multikron_connect_pins(s, errp) || !pb_record_takes("multikron", &s->net.chr, errp)) {
        return;
    }
    if (s->collect_node != -1) {
        s->collect = mk_collect_open(s->collect_node, &s->net, &config, DEVICE(s)->hotplugged, errp);
        if (!s->collect) {
            return;
        }
        config.whole = multikron_whole;
    }
    mk_net_init(&s->net);
    pb_stall_init(&s->stall);
    pb_board_begin(s);
    mk_init(&s->chip, &config, &s->glue.host);
    if (!pb_board_open(s, &s->chip, errp)) {
        return;
    }
    mk_set_test_mode(&s->chip, s->test_mode);
    mk_set_external_free(&s->chip, s->external_free);
}

static void multikron_exit(PCIDevice *pci)
{
    MultiKronDevice *s = MULTIKRON(pci);

    if (s->net.kept) { /* once */
        mk_catch_up(&s->chip);
    }
    mk_collect_end(s->collect);
    mk_net_end(&s->net);
    pb_stall_end(&s->stall);
    multikron_disconnect_pins(s);
    multikron_disconnect_lines(s);
}

/* All chips share one reset line, so a reset of one card resets all chips. A machine's reset calls each card, but is
 * one pulse: the first call resets all chips, the others find was_reset. */
static void multikron_reset_enter(Object *obj, ResetType type)
{
    MULTIKRON(obj)->was_reset = false;
}

static void multikron_reset_hold(Object *obj, ResetType type)
{
    if (!DEVICE(obj)->realized) { /* it is being plugged in */
        multikron_reset(MULTIKRON(obj));
    } else if (!MULTIKRON(obj)->was_reset) {
        multikron_reset_all();
    }
}

/* --- QOM -------------------------------------------------------------------------- */

#define PIN(n) { DEFINE_PROP_STRING("ext" #n, MultiKronDevice, pin[n].source), \
                 "what the counter's external input counts: an event source or wire:NAME" }

static const PbProperty multikron_properties[] = {
    { DEFINE_PROP_CHR("chardev", MultiKronDevice, net.chr), "where the data collection network goes: words of hw/multikron/stream.h" },
    { DEFINE_PROP_INT32("collect", MultiKronDevice, collect_node, -1), "of a cluster, the node whose chardev gets the samples of all; -1: each has its own" },
    { DEFINE_PROP_STRING("cpus", MultiKronDevice, cpus), "vCPUs on the CPU ID lines, as 0-3:6; default: eight to a chip, in order" },
    { DEFINE_PROP_UINT32("node-clock", MultiKronDevice, node_clock, MK_DEFAULT_NODE_HZ), "Hz; the network clock is half of it" },
    { DEFINE_PROP_UINT32("timestamp-clock", MultiKronDevice, timestamp_clock, MK_DEFAULT_TIMESTAMP_HZ), "Hz; at most a third of node-clock" },
    { DEFINE_PROP_UINT32("fifo-depth", MultiKronDevice, fifo_depth, MK_DEFAULT_FIFO_DEPTH), "samples in the internal FIFO" },
    { DEFINE_PROP_UINT32("wait-states", MultiKronDevice, wait_states, 0), "0 to 3, the two pins that CSR bits 12-13 show" },
    { DEFINE_PROP_STRING("free", MultiKronDevice, free), "External FIFO Free: always, fifo (free-size, free-rate) or pin (external-free)" },
    { DEFINE_PROP_SIZE("free-size", MultiKronDevice, free_size, 4096), "bytes of the external FIFO" },
    { DEFINE_PROP_SIZE("free-rate", MultiKronDevice, free_rate, 25 * 1000 * 1000), "bytes a second that leave the external FIFO; 0: none" },
    { DEFINE_PROP_SIZE("buffer-limit", MultiKronDevice, net.limit, 64 * MiB),
      "bytes that may wait for the chardev's reader before the machine waits, too" },
    { DEFINE_PROP_SIZE("chardev-size", MultiKronDevice, net.most, PB_INSPECT_LOG_SIZE), "bytes that a chardev of kind file gets (256M), 0: any number" },
    PIN(0), PIN(1), PIN(2), PIN(3), PIN(4), PIN(5), PIN(6), PIN(7),
    PIN(8), PIN(9), PIN(10), PIN(11), PIN(12), PIN(13), PIN(14), PIN(15),
    { { NULL } }
};

static void multikron_instance_init(Object *obj)
{
    MULTIKRON(obj)->external_free = true;
}

static void multikron_class_init(ObjectClass *klass)
{
    RESETTABLE_CLASS(klass)->phases.enter = multikron_reset_enter;
    RESETTABLE_CLASS(klass)->phases.hold = multikron_reset_hold;
    multikron_add_properties(klass);
}

static const PbBoardType multikron_board = {
    .name = TYPE_MULTIKRON, .desc = "MULTIKRON, NIST's performance instrumentation chip for MIMD computers",
    .category = DEVICE_CATEGORY_MISC, PB_BOARD_DEVICE(MultiKronDevice), .properties = multikron_properties,
    .windows = multikron_windows, .ops = { .timer = timer, .run_state = multikron_stopped, .ends = multikron_ends },
    .view = mk_board_view, .snapshot = &multikron_snapshot,
    .init = multikron_instance_init, .more = multikron_class_init,
    .pci = { PCI_VENDOR_ID_QEMU, MULTIKRON_PCI_ID, PCI_CLASS_PERFORMANCE, multikron_realize, multikron_exit },
};

void perfboard_register_multikron(void)
{
    pb_board_register(&multikron_board);
}
