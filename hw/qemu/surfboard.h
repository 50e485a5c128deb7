/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The ribbon cables between the SNI and its SurfBoards (J2, J3). */
#ifndef PERFBOARD_QEMU_SURFBOARD_H
#define PERFBOARD_QEMU_SURFBOARD_H

#include "hw/qemu/eisa.h"
#include "hw/shrimp/packet.h"

#define TYPE_SURFBOARD "surfboard"

/* In sni.c: deliver what is due, so that a register access sees every packet that came before
 * it, even where the timer's turn is yet to come. */
void sni_catch_up(EisaBus *bus);

/* Every SurfBoard of the bus hears the SNI of the node. Big lock held. */
void surfboards_packet(EisaBus *bus, const ShrimpPacket *packet);
void surfboards_global_reset(EisaBus *bus);

#endif
