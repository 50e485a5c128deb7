/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"

#include "hw/qemu/surfboard_device.h"

static int surfboard_post_load(void *opaque, int version)
{
    surf_post_load(&((SurfBoardDevice *)opaque)->board);
    return 0;
}

const VMStateDescription vmstate_surfboard = {
    .name = TYPE_SURFBOARD,
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = surfboard_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_BUFFER_UNSAFE(board.state, SurfBoardDevice, 1, sizeof(SurfState)),
        VMSTATE_END_OF_LIST()
    }
};
