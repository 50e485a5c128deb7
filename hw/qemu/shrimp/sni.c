/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * shrimp-sni: the SHRIMP network interface on QEMU's side. Behaviour is in hw/shrimp/.
 * Its traffic - what is observed, what arrives - is in sni_traffic.c. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/memory/map_update.h"
#include "hw/qemu/shrimp/sni.h"

static void sni_device_set_irq(void *dev, bool level)
{
    eisa_set_irq(dev, sni_irq_number(&SHRIMP_SNI(dev)->board), level);
}

/* --- registers -------------------------------------------------------------- */

static uint64_t read_slot(void *dev, const PbAccess *a)
{
    return sni_io_read(&SHRIMP_SNI(dev)->board, a->offset, a->size);
}

static void write_slot(void *dev, const PbAccess *a, uint64_t value)
{
    sni_take_counts(dev);
    sni_io_write(&SHRIMP_SNI(dev)->board, a->offset, value, a->size);
}

/* An access that crosses a register is one access to each of the two: EISA's 32-bit bus runs two cycles. */
static unsigned in_register(uint64_t offset, unsigned left)
{
    return MIN(left, 4 - (offset & 3));
}

static uint64_t read_register(void *dev, const PbAccess *a)
{
    return sni_reg_read(&((SniDevice *)dev)->board, a->offset, a->size);
}

static void write_register(void *dev, const PbAccess *a, uint64_t value)
{
    sni_reg_write(&((SniDevice *)dev)->board, a->offset, value, a->size);
}

static const PbWindow sni_windows[] = {
    { .name = EISA_SLOT, .read = read_slot, .write = write_slot, .behind = sni_run },
    { .name = "shrimp-sni", .bytes = 1 * MiB, .before = sni_wait_for_bus, .stalls = true, .unaligned = true, .most = 4, .piece = in_register, .read = read_register,
      .write = write_register, .catch_up = sni_run /* the registers show what has come due */, .behind = sni_run },
    { NULL }
};

static void sni_remap(void *opaque)
{
    SniDevice *s = opaque;

    memory_region_transaction_begin();
    eisa_place(EISA_DEVICE(s), pb_window_region(&s->glue, SNI_WINDOW_REGISTERS), sni_enabled(&s->board), sni_window(&s->board));
    eisa_place(EISA_DEVICE(s), &s->proxies, sni_proxy_enabled(&s->board), sni_proxy_window(&s->board));
    pb_map_update();
}

/* --- life ------------------------------------------------------------------- */

static void sni_realize(EisaDevice *dev, Error **errp)
{
    SniDevice *s = SHRIMP_SNI(dev);
    SniConfig config = {
        .node = s->node, .nodes = s->nodes, .mesh_width = s->mesh_width, .fifo_words = s->fifo_words,
        .cable_ns = s->cable_ns, .acquire_ns = s->acquire_ns, .contention = s->contention, .links = s->links,
        .product_id = EISA_SNI_ID, .opaque = s,
        .remap = sni_remap, .observe = sni_observe, .global_reset = sni_global_reset,
    };
    char why[160];

    if (!sni_config_ok(&config, why, sizeof(why)) || !cache_geometry_ok(&s->geometry, why, sizeof(why))) {
        error_setg(errp, "%s", why);
        return;
    }
    if (!sni_open_port(s, &config, errp)) {
        return;
    }
    if (s->links && (!config.cluster || pb_cluster_is_free())) {
        error_setg(errp, "links=on: legal with fabric=cluster, of nodes in step");
        return;
    }
    s->waits_for_bus = s->contention && pb_cluster_nodes() && !pb_cluster_is_free();
    if (!sni_fits_bus(s, errp)) {
        return;
    }
    pb_board_begin(s);
    sni_join_bus(s, &config);
    sni_open_proxies(s);
    if (!sni_open_tap(s, errp)) {
        return;
    }
    sni_init(&s->board, &config, &s->glue.host);
    if (s->waits_for_bus) {
        sni_open_bus_wait(s);
    }
    pb_board_open(s, &s->board, errp);
}

static void reset(void *dev)
{
    sni_take_counts(dev);
    sni_bus_reset(&SHRIMP_SNI(dev)->board);
}

/* --- snapshot ---------------------------------------------------------------------- */

#define STATE_LIST "hw/shrimp/state.def"
#include "hw/qemu/core/board/state_vmstate.h"
QEMU_BUILD_BUG_MSG(SniState_bytes != 2126278, "SniState has changed: count up sni_snapshot's version, then correct this number");

static void save(void *dev)
{
    SniDevice *s = SHRIMP_SNI(dev);

    qemu_mutex_lock(s->glue.mutex);
    sni_take_counts(s);
    qemu_mutex_unlock(s->glue.mutex);
}

PB_MODEL(clean, SniDevice, board, sni_power_on)
PB_MODEL_LOAD(load, SniDevice, board, sni_load)

/* Which pages and how much are observed. */
static void replaced(void *dev)
{
    SniDevice *s = SHRIMP_SNI(dev);

    pb_tap_take(s->glue.tap); /* the snapshot has its own */
    sni_observe(s, 0, SNI_PAGES);
    sni_update_observation(s);
}

static const VMStateField equal[] = {
    PB_VMSTATE_EQUAL(node, SniDevice, "node"),
    PB_VMSTATE_EQUAL(nodes, SniDevice, "nodes"),
    PB_VMSTATE_EQUAL(mesh_width, SniDevice, "mesh-width"),
    PB_VMSTATE_EQUAL(fifo_words, SniDevice, "fifo-words"),
    VMSTATE_END_OF_LIST()
};

static const PbSnapshot sni_snapshot = {
    .version = 8, PB_SNAPSHOT_STATE(SniDevice, board.state, SniState), .before = equal, .save = save, .clean = clean, .load = load,
    .replaced = replaced,
};

static const PbProperty sni_properties[] = {
    { DEFINE_PROP_UINT32("node", SniDevice, node, 0), "number of this node, 0..nodes-1" },
    { DEFINE_PROP_UINT32("nodes", SniDevice, nodes, 4), "nodes of the multicomputer, 1..4096" },
    { DEFINE_PROP_UINT32("mesh-width", SniDevice, mesh_width, 4), "columns of the backplane's mesh, 1..64" },
    { DEFINE_PROP_STRING("fabric", SniDevice, fabric), "what is behind the cable: loopback, this node for all (default), or cluster, machines of their own" },
    { DEFINE_PROP_UINT32("cable", SniDevice, cable_ns, 0), "each way through the backplane takes so many ns longer, 0..100000000" },
    { DEFINE_PROP_BOOL("contention", SniDevice, contention, false), "processor and board wait for each other's bus cycles (off: one grant waits for one store)" },
    { DEFINE_PROP_BOOL("links", SniDevice, links, false), "packets wait for each other's links of the backplane; with fabric=cluster, of up to 64 nodes in step" },
    { DEFINE_PROP_UINT32("acquire", SniDevice, acquire_ns, SNI_ACQUIRE), "EISA acquisition after the bus clock's edge, ns, 0..3600" },
    { DEFINE_PROP_UINT32("fifo-words", SniDevice, fifo_words, 4096), "outgoing FIFO, 64-bit words, 1100..65536" },
    { DEFINE_PROP_BOOL("snoop-loads", SniDevice, snoop_loads, true), "loads that miss the caches end combining (off: only stores are observed)" },
    { DEFINE_PROP_SIZE32("l1d-size", SniDevice, geometry.l1_size, 8 * KiB), "level 1 data cache, bytes; 0: none" },
    { DEFINE_PROP_UINT32("l1d-ways", SniDevice, geometry.l1_ways, 2), "its associativity" },
    { DEFINE_PROP_SIZE32("l2-size", SniDevice, geometry.l2_size, 256 * KiB), "level 2 cache, bytes; 0: none" },
    { DEFINE_PROP_UINT32("l2-ways", SniDevice, geometry.l2_ways, 1), "its associativity" },
    { DEFINE_PROP_UINT32("line-size", SniDevice, geometry.line, 32), "cache line, bytes" },
    { { NULL } }
};

static void sni_class_init(ObjectClass *klass)
{
    EisaDeviceClass *ec = EISA_DEVICE_CLASS(klass);

    ec->board_realize = sni_realize;
    PB_CABLE_ADAPTER_CLASS(klass)->catch_up = sni_catch_up;
}

static const PbBoardType sni_board = {
    .name = TYPE_SHRIMP_SNI, .desc = "SHRIMP network interface (SNI): automatic and deliberate update", .category = DEVICE_CATEGORY_NETWORK,
    .parent = TYPE_EISA_DEVICE, .interface = TYPE_PB_CABLE_ADAPTER, PB_BOARD_DEVICE(SniDevice), .properties = sni_properties,
    .windows = sni_windows, .view = sni_board_view, .snapshot = &sni_snapshot, .reset = reset, .more = sni_class_init,
    .ops = { .lock = PB_MUTEX, .set_irq = sni_device_set_irq, .expired = sni_run, .catch_up = sni_run, .behind = sni_update_observation },
};

void perfboard_register_shrimp(void)
{
    pb_board_register(&sni_board);
}
