/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a snapshot holds of a SurfBoard (hw/qemu/core/snapshot.h), and what somebody outside does to its wire. The memories are RAM that QEMU
 * saves itself. */
#include "qemu/osdep.h"

#include "hw/qemu/core/snapshot.h"
#include "hw/qemu/surfboard/surfboard.h"

#define STATE_LIST "hw/surfboard/has_state.def"
#include "hw/qemu/core/state_vmstate.h"
#define STATE_LIST "hw/surfboard/state.def"
#include "hw/qemu/core/state_vmstate.h"
QEMU_BUILD_BUG_MSG(SurfState_bytes != 9197, "SurfState has changed: count up vmstate_surfboard's versions, then correct this number");

static void *save(void *dev)
{
    SurfBoardDevice *s = SURFBOARD(dev);

    s->image_pulls = s->outside.pulls;
    return &s->board.state;
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

const PbSnapshot surfboard_snapshot = { sizeof(SurfState), save, clean, load };

const VMStateDescription vmstate_surfboard = {
    .name = TYPE_SURFBOARD,
    .version_id = 3,
    .minimum_version_id = 3,
    PB_SNAPSHOT_FUNCTIONS,
    .fields = (const VMStateField[]) {
        PB_SNAPSHOT_STATE(SurfBoardDevice, SurfState),
        VMSTATE_BOOL(image_pulls, SurfBoardDevice),
        VMSTATE_END_OF_LIST()
    }
};
