/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * surfboard: the SurfBoard of TR-596-99 on QEMU's side. Behaviour is in hw/surfboard/. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/memory/map_update.h"
#include "hw/qemu/surfboard/surfboard.h"

static void surfboard_set_irq(void *dev, bool level)
{
    eisa_set_irq(dev, surf_irq_number(&SURFBOARD(dev)->board), level);
}

PB_MODEL(timer, SurfBoardDevice, board, surf_timer)

/* Before an access, which has not done what has come due by then. */
static void surfboard_catch_up(void *opaque)
{
    SurfBoardDevice *s = opaque;
    pb_cable_catch_up(&s->cable);
    surf_catch_up(&s->board);
}

/* --- what the model asks for ---------------------------------------------- */

static void surfboard_remap(void *opaque)
{
    SurfBoardDevice *s = opaque;
    EisaDevice *dev = EISA_DEVICE(s);
    bool on = surf_enabled(&s->board);

    memory_region_transaction_begin();
    eisa_place(dev, &s->memory, on, surf_window_memory(&s->board));
    eisa_place(dev, pb_window_region(&s->glue, SURF_WINDOW_REGISTERS), on, surf_window_registers(&s->board));
    pb_map_update();
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

static uint64_t read_slot(void *dev, const PbAccess *a)
{
    return surf_io_read(&SURFBOARD(dev)->board, a->offset, a->size);
}

static void write_slot(void *dev, const PbAccess *a, uint64_t value)
{
    pb_cable_catch_up(&SURFBOARD(dev)->cable);
    surf_io_write(&SURFBOARD(dev)->board, a->offset, value, a->size);
}

static uint64_t read_register(void *dev, const PbAccess *a)
{
    return surf_reg_read(&((SurfBoardDevice *)dev)->board, a->offset, a->size);
}

static void write_register(void *dev, const PbAccess *a, uint64_t value)
{
    surf_reg_write(&((SurfBoardDevice *)dev)->board, a->offset, value, a->size);
}

static const PbWindow surfboard_windows[] = {
    { .name = EISA_SLOT, .read = read_slot, .write = write_slot },
    { .name = "surfboard-registers", .bytes = 64 * KiB, .unaligned = true, .most = 4, .read = read_register, .write = write_register,
      .catch_up = surfboard_catch_up },
    { NULL }
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
    s->own = (PbWireEnd){ surfboard_wire_changed, s, surfboard_wire_level };
    s->outside = (PbWireEnd){ outside_changed, s };
    s->wire = pb_wire_join(s->wire_name, &s->own);
    pb_wire_attach(s->wire, &s->outside);
    pb_board_begin(s);
    surf_init(&s->board, &(SurfConfig){
        .trace_bytes = s->trace.bytes, .hist_bytes = s->hist.bytes,
        .trace = simm_pointer(&s->trace), .hist = simm_pointer(&s->hist),
        .product_id = EISA_SURFBOARD_ID, .opaque = s,
        .wrote = surfboard_wrote, .watch_memory = surfboard_watch_memory, .remap = surfboard_remap,
        .ext_drive = surfboard_ext_drive,
    }, &s->glue.host);
    if (!pb_board_open(s, &s->board, errp)) {
        return;
    }
    surf_ext_input(&s->board, pb_wire_high(s->wire));
    pb_cable_join(&s->cable, OBJECT(s), SURFBOARD_ADAPTER, errp);
}

/* --- snapshot: the state, and what somebody outside does to the wire. The memories are RAM that QEMU saves itself ------- */

#define STATE_LIST "hw/surfboard/has_state.def"
#include "hw/qemu/core/board/state_vmstate.h"
#define STATE_LIST "hw/surfboard/state.def"
#include "hw/qemu/core/board/state_vmstate.h"
QEMU_BUILD_BUG_MSG(SurfState_bytes != 9197, "SurfState has changed: count up surfboard_snapshot's version, then correct this number");

static void save(void *dev)
{
    SURFBOARD(dev)->image_pulls = SURFBOARD(dev)->outside.pulls;
}

static void clean(void *dev)
{
    SurfBoardDevice *s = SURFBOARD(dev);

    s->loading = true;
    surf_power_on(&s->board);
    s->loading = false;
}

static bool load(void *dev, const void *image, char *why, size_t why_size)
{
    SurfBoardDevice *s = SURFBOARD(dev);
    bool ok;

    s->loading = true;
    ok = surf_load(&s->board, image, why, why_size);
    s->loading = false;
    if (ok) {
        pb_wire_restore(s->wire, &s->outside, s->image_pulls);
    }
    return ok;
}

static const VMStateField behind[] = {
    VMSTATE_BOOL(image_pulls, SurfBoardDevice),
    VMSTATE_END_OF_LIST()
};

static const PbSnapshot surfboard_snapshot = {
    .version = 3, PB_SNAPSHOT_STATE(SurfBoardDevice, board.state, SurfState), .behind = behind, .save = save, .clean = clean, .load = load,
};

/* --- QOM ------------------------------------------------------------------- */

static const PbProperty surfboard_properties[] = {
    { DEFINE_PROP_SIZE("trace-size", SurfBoardDevice, trace.bytes, 16 * MiB), "trace SIMM: 0 (empty), 4M, 16M or 64M" },
    { DEFINE_PROP_SIZE("hist-size", SurfBoardDevice, hist.bytes, 16 * MiB), "histogram SIMM: 0 (empty), 4M, 16M or 64M" },
    { DEFINE_PROP_STRING("wire", SurfBoardDevice, wire_name), "name of the external wire; boards that name one share it" },
    { DEFINE_PB_CABLE("listens", SurfBoardDevice, cable, SURFBOARD_ADAPTER), "id of the shrimp-sni whose packets it hears; default: the only one" },
    { { NULL } }
};

PB_MODEL(reset, SurfBoardDevice, board, surf_bus_reset)

static void surfboard_class_init(ObjectClass *klass)
{
    EisaDeviceClass *ec = EISA_DEVICE_CLASS(klass);
    PbCableMonitorClass *mc = PB_CABLE_MONITOR_CLASS(klass);

    ec->board_realize = surfboard_realize;
    mc->packet = surfboard_packet;
    mc->reset = surfboard_clock_reset;
    surfboard_add_properties(klass);
}

static const PbBoardType surfboard_board = {
    .name = TYPE_SURFBOARD, .desc = "SurfBoard, hardware performance monitor of the SHRIMP multicomputer", .category = DEVICE_CATEGORY_MISC,
    .parent = TYPE_EISA_DEVICE, .interface = TYPE_PB_CABLE_MONITOR, PB_BOARD_DEVICE(SurfBoardDevice),
    .properties = surfboard_properties, .windows = surfboard_windows, .view = surf_board_view, .snapshot = &surfboard_snapshot,
    .ops = { .set_irq = surfboard_set_irq, .timer = timer, .catch_up = surfboard_catch_up, .run_state = surfboard_run_state },
    .reset = reset, .more = surfboard_class_init,
};

void perfboard_register_surfboard(void)
{
    pb_board_register(&surfboard_board);
}
