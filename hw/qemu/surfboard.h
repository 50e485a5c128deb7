/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the SNI's shim needs of SurfBoards: the ribbon cables between the boards (J2, J3). */
#ifndef PERFBOARD_QEMU_SURFBOARD_H
#define PERFBOARD_QEMU_SURFBOARD_H

#include "hw/qemu/eisa.h"
#include "hw/shrimp/packet.h"

#define TYPE_SURFBOARD "surfboard"

/* Every SurfBoard of the bus hears the SNI of the node. Big lock held. */
void surfboards_packet(EisaBus *bus, const ShrimpPacket *packet);
void surfboards_global_reset(EisaBus *bus);

#endif
