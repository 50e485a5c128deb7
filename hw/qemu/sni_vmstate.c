/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"

#include "hw/qemu/sni.h"

const VMStateDescription vmstate_sni = {
    .name = TYPE_SHRIMP_SNI,
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = sni_device_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_BUFFER_UNSAFE(board.state, SniDevice, 1, sizeof(SniState)),
        VMSTATE_VBUFFER_UINT32(cache_memory, SniDevice, 1, NULL, cache_bytes),
        VMSTATE_END_OF_LIST()
    }
};
