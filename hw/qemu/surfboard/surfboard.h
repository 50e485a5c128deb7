/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The ribbon cables between the SNI and its SurfBoards (J2, J3). */
#ifndef PERFBOARD_QEMU_SURFBOARD_H
#define PERFBOARD_QEMU_SURFBOARD_H

#include "hw/qemu/eisa/eisa.h"
#include "hw/shrimp/packet.h"

#define TYPE_SURFBOARD "surfboard"

/* In sni_traffic.c: deliver the packets that are due. An access calls it first, so that it comes after
 * every packet that arrived before it, also if the timer that would deliver the packet has yet to run. */
void sni_catch_up(EisaBus *bus);

/* Every SurfBoard of the bus hears the SNI of the node. Big lock held. */
void surfboards_packet(EisaBus *bus, const ShrimpPacket *packet);
void surfboards_global_reset(EisaBus *bus);

#endif
