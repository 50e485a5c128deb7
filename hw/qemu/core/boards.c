/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"

#include "hw/qemu/core/boards.h"
#include "hw/qemu/eisa/eisa_bus.h"
#include "hw/qemu/multikron/multikron.h"
#include "hw/qemu/shrimp/sni.h"
#include "hw/qemu/surfboard/surfboard.h"
#include "hw/qemu/core/types.h"

/* The bridge is first: it brings the bus that EISA boards are of. */
const PbBoard pb_boards[] = {
    { TYPE_I82375, perfboard_register_eisa },
    { TYPE_SURFBOARD, perfboard_register_surfboard },
    { TYPE_SHRIMP_SNI, perfboard_register_sni },
    { TYPE_MULTIKRON, perfboard_register_multikron },
};
const size_t pb_board_count = ARRAY_SIZE(pb_boards);

void perfboard_register_devices(void)
{
    for (size_t i = 0; i < pb_board_count; i++) {
        pb_boards[i].register_types();
    }
}
