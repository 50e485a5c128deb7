/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What joins boards: cables and wires.
 *
 * The cable over which a monitor (surfboard, smile-hwm) listens to its adapter (shrimp-sni, smile-sci).
 *
 * Neither shim knows the other's. What they know of each other is an interface:
 *
 *   adapter   implements TYPE_PB_CABLE_ADAPTER
 *             pb_cable_packet(OBJECT(s), lane, &packet);        in the order in which packets pass; an adapter with one lane: 0
 *             pb_cable_reset(OBJECT(s));
 *   monitor   implements TYPE_PB_CABLE_MONITOR, and has a PbCable
 *             DEFINE_PB_CABLE("listens", SurfBoardDevice, cable, "shrimp-sni")   among its properties
 *             pb_cable_join(&s->cable, OBJECT(s), "shrimp-sni", errp);           last when it is realized
 *             pb_cable_catch_up(&s->cable);      before an access, which thus comes after every packet before it
 *             pb_cable_arrive(&s->cable);        before an access that is to come after every packet that is on its way, too
 *
 * listens= names the adapter, which stands before the monitor on the command line. Without it the monitor listens to the
 * machine's only adapter of that type, wherever that stands. It is looked for when the machine starts: if there are
 * several, QEMU ends with one line. If there is none, the monitor hears nothing. Of a monitor that comes later it is looked for at once, and
 * what is wrong is why it does not come.
 *
 *   boards that come and go (board_type.h)
 *             pb_cable_leave(&s->cable);                                         in a monitor's exit
 *             pb_cable_adapter_join(OBJECT(s), errp);                            last when an adapter is realized
 *             pb_cable_adapter_leave(OBJECT(s));                                 in its exit
 *
 * A monitor whose adapter goes hears nothing more. Its cable hangs loose until an adapter of that type comes: one with the same id, if listens=
 * named one; else any. If the monitor does not fit it (fits()), the adapter does not come. INFERRED: somebody plugs the cable in again.
 *
 * Several monitors may listen to one adapter. The one that was made last hears a packet first.
 *
 * Locks. The shrimp-sni makes all calls with the big lock held; it may hold a lock of its own while it calls reset(), so a
 * monitor does not catch up there. The smile-sci tells packets in the thread of the vCPU whose access they are of, mostly without
 * the big lock. It holds a spin lock of its own meanwhile. So a smile-hwm's packet() guards its model by a lock of its own,
 * sleeps on nothing, calls nothing of the adapter, and drives its interrupt line from a timer. A packet may be on its way to a monitor that is
 * leaving; its packet() finds that out under its lock.
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
 * Other machines. A wire with a name may go on to other machines that have one of the same name (cluster_node.c): whoever sees to that
 * hears when this machine's ends begin or cease to pull it (pb_wire_reaches), and pulls for the others (pb_wire_pull_from).
 */
#ifndef PERFBOARD_QEMU_CORE_LINKS_H
#define PERFBOARD_QEMU_CORE_LINKS_H

#include "hw/qemu/series/qemu.h"

#define TYPE_PB_CABLE_ADAPTER "perfboard-cable-adapter"
#define TYPE_PB_CABLE_MONITOR "perfboard-cable-monitor"

typedef struct PbCableAdapterClass {
    InterfaceClass parent_class;
    void (*catch_up)(Object *adapter); /* packets that are due leave now, although their timer has yet to run. NULL: none is ever late */
    void (*arrive)(Object *adapter); /* packets that are on their way leave now, before their time. NULL: there are none */
    void (*listened)(Object *adapter); /* others listen than before, or want other packets. NULL: it is all the same to the adapter */
} PbCableAdapterClass;

typedef struct PbCableMonitorClass {
    InterfaceClass parent_class;
    void (*packet)(Object *monitor, const void *packet); /* of the adapter's kind: ShrimpPacket, SciPacket */
    void (*reset)(Object *monitor); /* the adapter resets its monitors' clocks. NULL: it has no line for that */
    bool (*fits)(Object *monitor, Object *adapter, Error **errp); /* NULL: any of its type */
    void (*plugged)(Object *monitor); /* cable->adapter is another one, or none any more. NULL: no matter */
} PbCableMonitorClass;

DECLARE_CLASS_CHECKERS(PbCableAdapterClass, PB_CABLE_ADAPTER, TYPE_PB_CABLE_ADAPTER)
DECLARE_CLASS_CHECKERS(PbCableMonitorClass, PB_CABLE_MONITOR, TYPE_PB_CABLE_MONITOR)

typedef struct PbCable {
    Object *adapter; /* the property; NULL: none. Other threads than that with the big lock read it, too */
    char *id;        /* listens= */
    bool named;      /* it was given */
    bool joined;
    Object *monitor;
    const char *adapter_type;
    const PbCableAdapterClass *adapter_class;
    const PbCableMonitorClass *monitor_class;
    /* What the monitor asks for, before it joins. */
    uint32_t lane; /* 0: packets of every lane; n: those of lane n - 1 only */
    bool payload;  /* packets with what they carry (SciPacket.payload), if the adapter would leave it out */
} PbCable;

#define DEFINE_PB_CABLE(name, state, field, type) DEFINE_PROP_LINK(name, state, field.adapter, type, Object *)

void perfboard_register_core(void); /* before the boards: the interfaces that they implement */

bool pb_cable_join(PbCable *cable, Object *monitor, const char *adapter_type, Error **errp);
void pb_cable_leave(PbCable *cable); /* also of one that has not joined */
void pb_cable_catch_up(const PbCable *cable);
void pb_cable_arrive(const PbCable *cable);

void pb_cable_packet(Object *adapter, uint32_t lane, const void *packet);
bool pb_cable_adapter_join(Object *adapter, Error **errp);
void pb_cable_adapter_leave(Object *adapter);
/* The lanes, a bit each, that a monitor of this adapter hears; payload: of those monitors that have asked for it. */
uint64_t pb_cable_lanes(Object *adapter, bool payload);
void pb_cable_reset(Object *adapter);

/* --- wire.c --- */

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
