/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PbWire - an open-collector wire: low while anybody pulls it, high otherwise.
 *
 * Boards that name the same wire share it. An unnamed wire is the board's own.
 *
 *   PbWire *w = pb_wire_join(name, &me);    me.changed(me.opaque, high) on every change
 *   pb_wire_pull(w, &me, true);
 */
#ifndef PERFBOARD_QEMU_WIRE_H
#define PERFBOARD_QEMU_WIRE_H

#include <stdbool.h>

typedef struct PbWire PbWire;

typedef struct PbWireEnd {
    void (*changed)(void *opaque, bool high);
    void *opaque;
    bool pulls;
} PbWireEnd;

PbWire *pb_wire_join(const char *name, PbWireEnd *end);
void pb_wire_attach(PbWire *wire, PbWireEnd *end);
void pb_wire_pull(PbWire *wire, PbWireEnd *end, bool low);
bool pb_wire_high(const PbWire *wire);

#endif
