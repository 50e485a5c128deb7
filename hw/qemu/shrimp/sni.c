/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * shrimp-sni: the SHRIMP network interface on QEMU's side. Behaviour is in hw/shrimp/.
 * Its traffic - what is observed, what arrives - is in sni_traffic.c. */
#include "qemu/osdep.h"
#include "qemu/units.h"
#include "qapi/error.h"

#include "hw/qemu/core/board_type.h"
#include "hw/qemu/core/host_glue.h"
#include "hw/qemu/core/windows.h"
#include "hw/qemu/shrimp/sni.h"

static void sni_device_set_irq(void *dev, bool level)
{
    eisa_set_irq(dev, sni_irq_number(&SHRIMP_SNI(dev)->board), level);
}

static char *sni_describe(void *dev)
{
    return eisa_describe(dev);
}

static void sni_lock(void *dev, bool on)
{
    (on ? qemu_mutex_lock : qemu_mutex_unlock)(&SHRIMP_SNI(dev)->lock);
}

static void sni_run_window(void *opaque)
{
    sni_run(opaque);
}

static const PbGlueOps sni_glue = {
    .set_irq = sni_device_set_irq, .describe = sni_describe, .expired = sni_expired, .lock = sni_lock, .catch_up = sni_run_window,
    .snapshot = &sni_snapshot,
};

/* --- registers -------------------------------------------------------------- */

static uint32_t sni_slot_read(EisaDevice *dev, uint32_t offset, uint32_t size)
{
    return sni_io_read(&SHRIMP_SNI(dev)->board, offset, size);
}

static void sni_slot_write(EisaDevice *dev, uint32_t offset, uint32_t value, uint32_t size)
{
    SniDevice *s = SHRIMP_SNI(dev);
    sni_take_counts(s);
    qemu_mutex_lock(&s->lock);
    sni_io_write(&s->board, offset, value, size);
    qemu_mutex_unlock(&s->lock);
    sni_run(s);
}

/* An access that crosses a register is one access to each of the two: EISA's 32-bit bus runs two cycles. */
static unsigned in_register(hwaddr addr, unsigned size)
{
    return MIN(size, 4 - (addr & 3));
}

static uint64_t sni_mem_read(void *opaque, hwaddr addr, unsigned size)
{
    SniDevice *s = opaque;
    uint64_t value = 0;

    qemu_mutex_lock(&s->lock);
    for (unsigned done = 0, n; done < size; done += n) {
        n = in_register(addr + done, size - done);
        value |= (uint64_t)sni_reg_read(&s->board, addr + done, n) << (8 * done);
    }
    qemu_mutex_unlock(&s->lock);
    return value;
}

static void sni_mem_write(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
    SniDevice *s = opaque;

    qemu_mutex_lock(&s->lock);
    for (unsigned done = 0, n; done < size; done += n) {
        n = in_register(addr + done, size - done);
        sni_reg_write(&s->board, addr + done, value >> (8 * done), n);
    }
    qemu_mutex_unlock(&s->lock);
    sni_run(s);
}

static const MemoryRegionOps sni_ops = {
    .read = sni_mem_read,
    .write = sni_mem_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 4, .unaligned = true },
};

static void sni_remap(void *opaque)
{
    SniDevice *s = opaque;
    MemoryRegion *space = eisa_memory(EISA_DEVICE(s));

    memory_region_transaction_begin();
    if (s->window.container) {
        memory_region_del_subregion(space, &s->window);
    }
    if (sni_enabled(&s->board)) {
        memory_region_add_subregion(space, sni_window(&s->board), &s->window);
    }
    pb_windows_commit();
}

/* --- life ------------------------------------------------------------------- */

static void sni_realize(EisaDevice *dev, Error **errp)
{
    SniDevice *s = SHRIMP_SNI(dev);
    SniConfig config = {
        .node = s->node, .nodes = s->nodes, .mesh_width = s->mesh_width, .fifo_words = s->fifo_words,
        .product_id = EISA_SNI_ID, .opaque = s,
        .remap = sni_remap, .observe = sni_observe, .global_reset = sni_global_reset,
    };
    bool ambiguous = false;
    char why[160];

    object_resolve_path_type("", TYPE_SHRIMP_SNI, &ambiguous);
    if (ambiguous) {
        error_setg(errp, "shrimp-sni: a machine is one node and has one; start another QEMU for another node");
        return;
    }
    if (!sni_config_ok(&config, why, sizeof(why)) || !cache_geometry_ok(&s->geometry, why, sizeof(why))) {
        error_setg(errp, "%s", why);
        return;
    }
    qemu_mutex_init(&s->lock);
    if (!sni_open_tap(s, errp)) {
        return;
    }
    pb_region_init_io(&s->region, &s->glue, SNI_WINDOW_REGISTERS, &s->window, OBJECT(s), &sni_ops, s, "shrimp-sni", 1 * MiB);
    s->region.catch_up = sni_run_window; /* so that the registers show what has come due */
    pb_glue_init(&s->glue, dev, &sni_glue);
    sni_init(&s->board, &config, &s->glue.host);
    dev->glue = &s->glue;
    if (!pb_glue_inspect(&s->glue, DEVICE(s), sni_board_view(), &s->board, errp)) {
        return;
    }
}

static void sni_device_bus_reset(Object *obj, ResetType type)
{
    SniDevice *s = SHRIMP_SNI(obj);

    sni_take_counts(s);
    qemu_mutex_lock(&s->lock);
    sni_bus_reset(&s->board);
    qemu_mutex_unlock(&s->lock);
    sni_update_observation(s);
}

static const Property sni_properties[] = {
    DEFINE_PROP_UINT32("node", SniDevice, node, 0),
    DEFINE_PROP_UINT32("nodes", SniDevice, nodes, 4),
    DEFINE_PROP_UINT32("mesh-width", SniDevice, mesh_width, 4),
    DEFINE_PROP_UINT32("fifo-words", SniDevice, fifo_words, 4096),
    DEFINE_PROP_BOOL("snoop-loads", SniDevice, snoop_loads, true),
    DEFINE_PROP_SIZE32("l1d-size", SniDevice, geometry.l1_size, 8 * KiB),
    DEFINE_PROP_UINT32("l1d-ways", SniDevice, geometry.l1_ways, 2),
    DEFINE_PROP_SIZE32("l2-size", SniDevice, geometry.l2_size, 256 * KiB),
    DEFINE_PROP_UINT32("l2-ways", SniDevice, geometry.l2_ways, 1),
    DEFINE_PROP_UINT32("line-size", SniDevice, geometry.line, 32),
    DEFINE_PB_INSPECT(SniDevice, glue),
};

static const char *const sni_texts[][2] = {
    { "node", "number of this node, 0..nodes-1" },
    { "nodes", "nodes of the multicomputer, 1..4096" },
    { "mesh-width", "columns of the backplane's mesh, 1..64" },
    { "fifo-words", "outgoing FIFO, 64-bit words, 1100..65536" },
    { "snoop-loads", "loads that miss the caches end combining (off: only stores are observed)" },
    { "l1d-size", "level 1 data cache, bytes; 0: none" },
    { "l1d-ways", "its associativity" },
    { "l2-size", "level 2 cache, bytes; 0: none" },
    { "l2-ways", "its associativity" },
    { "line-size", "cache line, bytes" },
    { NULL }
};

static void sni_class_init(ObjectClass *klass)
{
    EisaDeviceClass *ec = EISA_DEVICE_CLASS(klass);

    ec->board_realize = sni_realize;
    ec->slot_read = sni_slot_read;
    ec->slot_write = sni_slot_write;
    PB_CABLE_ADAPTER_CLASS(klass)->catch_up = sni_catch_up;
}

static const PbBoardType sni_board = {
    .name = TYPE_SHRIMP_SNI, .desc = "SHRIMP network interface (SNI): automatic and deliberate update", .category = DEVICE_CATEGORY_NETWORK,
    .parent = TYPE_EISA_DEVICE, .interface = TYPE_PB_CABLE_ADAPTER, PB_BOARD_DEVICE(SniDevice), PB_BOARD_PROPERTIES(sni_properties),
    .texts = sni_texts, .view = sni_board_view, .vmsd = &vmstate_sni, .reset = sni_device_bus_reset, .more = sni_class_init,
};

void perfboard_register_shrimp(void)
{
    pb_board_register(&sni_board);
}
