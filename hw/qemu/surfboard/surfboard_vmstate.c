/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a snapshot holds of a SurfBoard: its state, member by member, and what somebody outside
 * does to its wire. The memories are RAM that QEMU saves itself.
 *
 * A snapshot is read into `image`, and only a whole one that surf_load() accepts gets into the board.
 * The board is powered on anew before the reading begins, and stays so if that or the check fails. */
#include "qemu/osdep.h"
#include "qemu/error-report.h"

#include "hw/qemu/surfboard/surfboard.h"

#define STATE_LIST "hw/surfboard/has_state.def"
#include "hw/qemu/core/state_vmstate.h"
#define STATE_LIST "hw/surfboard/state.def"
#include "hw/qemu/core/state_vmstate.h"
QEMU_BUILD_BUG_MSG(SurfState_bytes != 9197, "SurfState has changed: count up vmstate_surfboard's versions, then correct this number");

static int surfboard_pre_save(void *opaque)
{
    SurfBoardDevice *s = opaque;
    s->image = &s->board.state;
    s->image_pulls = s->outside.pulls;
    return 0;
}

static int surfboard_pre_load(void *opaque)
{
    SurfBoardDevice *s = opaque;
    s->loading = true;
    surf_power_on(&s->board);
    s->loading = false;
    g_free(s->loaded);
    s->image = s->loaded = g_new0(SurfState, 1);
    return 0;
}

static int surfboard_post_load(void *opaque, int version)
{
    SurfBoardDevice *s = opaque;
    g_autofree char *who = eisa_describe(EISA_DEVICE(s));
    char why[PB_WHY_BYTES];
    bool ok;

    s->loading = true;
    ok = surf_load(&s->board, s->image, why, sizeof(why));
    s->loading = false;
    g_clear_pointer(&s->loaded, g_free);
    if (!ok) {
        error_report("%sthe snapshot is damaged, and the board was reset instead: %s", who, why);
        return -EINVAL;
    }
    pb_wire_restore(s->wire, &s->outside, s->image_pulls);
    return 0;
}

const VMStateDescription vmstate_surfboard = {
    .name = TYPE_SURFBOARD,
    .version_id = 3,
    .minimum_version_id = 3,
    .pre_save = surfboard_pre_save,
    .pre_load = surfboard_pre_load,
    .post_load = surfboard_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_STRUCT_POINTER(image, SurfBoardDevice, vmstate_SurfState, SurfState),
        VMSTATE_BOOL(image_pulls, SurfBoardDevice),
        VMSTATE_END_OF_LIST()
    }
};
