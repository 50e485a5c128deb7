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
 *
 * Other machines. A wire with a name may go on to other machines that have one of the same name (cluster_wires.c): whoever sees to that
 * hears when this machine's ends begin or cease to pull it (pb_wire_reaches), and pulls for the others (pb_wire_pull_from).
 */
#ifndef PERFBOARD_QEMU_WIRE_H
#define PERFBOARD_QEMU_WIRE_H

#include <stdbool.h>
#include <stdint.h>

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

enum { PB_WIRE_MACHINES = 32 };

typedef struct PbWireReach {
    void (*joined)(const char *name);           /* this machine has one of that name */
    void (*pulls)(const char *name, bool low); /* some of this machine's ends, or none */
} PbWireReach;
void pb_wire_reaches(const PbWireReach *reach); /* once, before there is a wire */
/* machine: less than PB_WIRE_MACHINES. No wire of that name: nothing happens. */
void pb_wire_pull_from(unsigned machine, const char *name, bool low);
/* For a snapshot: each wire that other machines pull, and which, a bit each; and that they do, of which nobody is told. */
void pb_wire_each_pulled_from(void (*f)(const char *name, uint32_t machines, void *opaque), void *opaque);
void pb_wire_restore_from(const char *name, uint32_t machines);

#endif
