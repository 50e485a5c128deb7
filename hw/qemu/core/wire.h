/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PbWire - an open-collector wire: low while anybody pulls it, high otherwise.
 *
 * Boards that name the same wire share it. An unnamed wire is the board's own.
 *
 *   PbWire *w = pb_wire_join(name, &me);    me.changed(me.opaque, high) on every change
 *   pb_wire_pull(w, &me, true);
 *   pb_wire_leave(w, &me);                  it pulls no more; the wire goes with its last end
 *
 * Snapshots. Loading one is no edge: while boards are loaded one by one the wire may rise and fall, and no
 * board hears of it (pb_wire_restore). Each board has its snapshot's level. When the machine goes on, those
 * that take the wire to have another level than it has are told (pb_wire_agree): there are some only
 * if a board's snapshot was refused.
 */
#ifndef PERFBOARD_QEMU_WIRE_H
#define PERFBOARD_QEMU_WIRE_H

#include <stdbool.h>

typedef struct PbWire PbWire;

typedef struct PbWireEnd {
    void (*changed)(void *opaque, bool high);
    void *opaque;
    bool (*level)(void *opaque); /* that this end takes the wire to have; NULL: it remembers none */
    bool pulls;
} PbWireEnd;

PbWire *pb_wire_join(const char *name, PbWireEnd *end);
void pb_wire_attach(PbWire *wire, PbWireEnd *end);
void pb_wire_leave(PbWire *wire, PbWireEnd *end);
void pb_wire_pull(PbWire *wire, PbWireEnd *end, bool low);
void pb_wire_restore(PbWire *wire, PbWireEnd *end, bool low); /* as pb_wire_pull, but nobody is told */
void pb_wire_agree(PbWire *wire);
bool pb_wire_high(const PbWire *wire);

#endif
