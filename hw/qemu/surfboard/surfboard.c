/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * surfboard: the SurfBoard of TR-596-99 on QEMU's side. Behaviour is in hw/surfboard/. */
#include "qemu/osdep.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "system/runstate.h"

#include "hw/qemu/core/board_type.h"
#include "hw/qemu/core/windows.h"
#include "hw/qemu/surfboard/surfboard.h"

static void surfboard_set_irq(void *dev, bool level)
{
    eisa_set_irq(dev, surf_irq_number(&SURFBOARD(dev)->board), level);
}

static char *surfboard_describe(void *dev)
{
    return eisa_describe(dev);
}

static void surfboard_expired(void *dev)
{
    surf_timer(&SURFBOARD(dev)->board);
}

/* Before an access, which has not done what has come due by then. */
static void surfboard_catch_up(void *opaque)
{
    SurfBoardDevice *s = opaque;
    pb_cable_catch_up(&s->cable);
    surf_catch_up(&s->board);
}

static const PbGlueOps surfboard_glue = {
    .set_irq = surfboard_set_irq, .describe = surfboard_describe, .expired = surfboard_expired, .catch_up = surfboard_catch_up,
    .snapshot = &surfboard_snapshot,
};

/* --- what the model asks for ---------------------------------------------- */

static void surfboard_place(MemoryRegion *space, MemoryRegion *mr, bool on, hwaddr base)
{
    if (mr->container) {
        memory_region_del_subregion(space, mr);
    }
    if (on) {
        memory_region_add_subregion(space, base, mr);
    }
}

static void surfboard_remap(void *opaque)
{
    SurfBoardDevice *s = opaque;
    MemoryRegion *space = eisa_memory(EISA_DEVICE(s));
    bool on = surf_enabled(&s->board);

    memory_region_transaction_begin();
    surfboard_place(space, &s->memory, on, surf_window_memory(&s->board));
    surfboard_place(space, &s->registers, on, surf_window_registers(&s->board));
    pb_windows_commit();
}

static void surfboard_ext_drive(void *opaque, bool low)
{
    SurfBoardDevice *s = opaque;
    if (s->loading) {
        pb_wire_restore(s->wire, &s->own, low);
    } else {
        pb_wire_pull(s->wire, &s->own, low);
    }
}

static void surfboard_wire_changed(void *opaque, bool high)
{
    surf_ext_input(&((SurfBoardDevice *)opaque)->board, high);
}

static bool surfboard_wire_level(void *opaque)
{
    return ((SurfBoardDevice *)opaque)->board.state.ext_high;
}

static void outside_changed(void *opaque, bool high)
{
}

static void surfboard_run_state(void *opaque, bool running, RunState state)
{
    if (running) {
        pb_wire_agree(((SurfBoardDevice *)opaque)->wire);
    }
}

/* --- what the bus brings --------------------------------------------------- */

static uint32_t surfboard_slot_read(EisaDevice *dev, uint32_t offset, uint32_t size)
{
    return surf_io_read(&SURFBOARD(dev)->board, offset, size);
}

static void surfboard_slot_write(EisaDevice *dev, uint32_t offset, uint32_t value, uint32_t size)
{
    SurfBoardDevice *s = SURFBOARD(dev);
    pb_cable_catch_up(&s->cable);
    surf_io_write(&s->board, offset, value, size);
}

static uint64_t surfboard_read(void *opaque, hwaddr addr, unsigned size)
{
    return surf_reg_read(&((SurfBoardDevice *)opaque)->board, addr, size);
}

static void surfboard_write(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
    surf_reg_write(&((SurfBoardDevice *)opaque)->board, addr, value, size);
}

static const MemoryRegionOps surfboard_ops = {
    .read = surfboard_read,
    .write = surfboard_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 4, .unaligned = true },
};

/* --- what the cables bring -------------------------------------------------- */

static void surfboard_packet(Object *monitor, const void *packet)
{
    surf_packet(&SURFBOARD(monitor)->board, packet);
}

static void surfboard_clock_reset(Object *monitor)
{
    surf_global_reset(&SURFBOARD(monitor)->board);
}

/* --- life ------------------------------------------------------------------- */

static void surfboard_realize(EisaDevice *dev, Error **errp)
{
    SurfBoardDevice *s = SURFBOARD(dev);

    if (!surfboard_realize_memory(s, errp)) {
        return;
    }
    pb_region_init_io(&s->register_region, &s->glue, SURF_WINDOW_REGISTERS, &s->registers, OBJECT(s), &surfboard_ops, s,
                      "surfboard-registers", 64 * KiB);
    s->register_region.catch_up = surfboard_catch_up;
    s->own = (PbWireEnd){ surfboard_wire_changed, s, surfboard_wire_level };
    s->outside = (PbWireEnd){ outside_changed, s };
    s->wire = pb_wire_join(s->wire_name, &s->own);
    pb_wire_attach(s->wire, &s->outside);
    pb_glue_init(&s->glue, dev, &surfboard_glue);
    surf_init(&s->board, &(SurfConfig){
        .trace_bytes = s->trace.bytes, .hist_bytes = s->hist.bytes,
        .trace = simm_pointer(&s->trace), .hist = simm_pointer(&s->hist),
        .product_id = EISA_SURFBOARD_ID, .opaque = s,
        .wrote = surfboard_wrote, .watch_memory = surfboard_watch_memory, .remap = surfboard_remap,
        .ext_drive = surfboard_ext_drive,
    }, &s->glue.host);
    if (!pb_glue_inspect(&s->glue, DEVICE(s), surf_board_view(), &s->board, errp)) {
        return;
    }
    dev->glue = &s->glue;
    surf_ext_input(&s->board, pb_wire_high(s->wire));
    qemu_add_vm_change_state_handler(surfboard_run_state, s);
    pb_cable_join(&s->cable, OBJECT(s), SURFBOARD_ADAPTER, errp);
}

/* --- QOM ------------------------------------------------------------------- */

static const Property surfboard_properties[] = {
    DEFINE_PROP_SIZE("trace-size", SurfBoardDevice, trace.bytes, 16 * MiB),
    DEFINE_PROP_SIZE("hist-size", SurfBoardDevice, hist.bytes, 16 * MiB),
    DEFINE_PROP_STRING("wire", SurfBoardDevice, wire_name),
    DEFINE_PB_CABLE("listens", SurfBoardDevice, cable, SURFBOARD_ADAPTER),
    DEFINE_PB_INSPECT(SurfBoardDevice, glue),
};

static void surfboard_bus_reset(Object *obj, ResetType type)
{
    surf_bus_reset(&SURFBOARD(obj)->board);
}

static void surfboard_class_init(ObjectClass *klass)
{
    EisaDeviceClass *ec = EISA_DEVICE_CLASS(klass);
    PbCableMonitorClass *mc = PB_CABLE_MONITOR_CLASS(klass);

    ec->board_realize = surfboard_realize;
    ec->slot_read = surfboard_slot_read;
    ec->slot_write = surfboard_slot_write;
    mc->packet = surfboard_packet;
    mc->reset = surfboard_clock_reset;
    surfboard_add_properties(klass);
}

static const PbBoardType surfboard_board = {
    .name = TYPE_SURFBOARD, .desc = "SurfBoard, hardware performance monitor of the SHRIMP multicomputer", .category = DEVICE_CATEGORY_MISC,
    .parent = TYPE_EISA_DEVICE, .interface = TYPE_PB_CABLE_MONITOR, PB_BOARD_DEVICE(SurfBoardDevice),
    PB_BOARD_PROPERTIES(surfboard_properties), .texts = surfboard_texts, .view = surf_board_view, .vmsd = &vmstate_surfboard, .reset = surfboard_bus_reset,
    .more = surfboard_class_init,
};

void perfboard_register_surfboard(void)
{
    pb_board_register(&surfboard_board);
}
