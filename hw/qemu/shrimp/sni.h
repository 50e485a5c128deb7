/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SNI's QOM object: shared by its shim (sni.c) and its traffic (sni_traffic.c). */
#ifndef PERFBOARD_QEMU_SNI_H
#define PERFBOARD_QEMU_SNI_H

#include "hw/qemu/series/qemu.h"
#include "hw/qemu/core/board/window.h"
#include "hw/qemu/core/inspect/inspect.h"
#include "hw/qemu/core/links/cluster.h"
#include "hw/qemu/core/links/links.h"
#include "hw/qemu/core/time/time.h"
#include "hw/qemu/eisa/eisa.h"
#include "hw/shrimp/sni.h"
#include "plugins/taps.h"

#define TYPE_SHRIMP_SNI "shrimp-sni"
OBJECT_DECLARE_SIMPLE_TYPE(SniDevice, SHRIMP_SNI)

enum { SNI_WINDOW_REGISTERS = 1 }; /* of the board's view; 0 is the slot */

struct SniDevice {
    EisaDevice parent_obj;
    SniBoard board;
    PbGlue glue; /* with a mutex around every call of the model */
    SniDelivery delivery;
    /* What the model wants to be observed has changed: pages changed_first to changed_end - 1, perhaps none. */
    bool observe_pending;
    uint32_t changed_first, changed_end;

    uint32_t node, nodes, mesh_width, fifo_words, cable_ns;
    char *fabric;
    PbClusterPort port;
    uint32_t acquire_ns;
    bool snoop_loads, contention, links;
    bool waits_for_bus; /* contention in a node in step: the processor stands still between two instructions (hw/shrimp/bus_wait.cc) */
    uint64_t accessed; /* then: the end of the last instruction that has stored to a page, or accessed a register, ns */
    PbBusWait bus_wait;

    MemoryRegion proxies;
    PbRegion proxy_region;

    CacheGeometry geometry; /* of each vCPU's caches; the observation layer has them */
};

void sni_open_proxies(SniDevice *s); /* sni_bus.c */

/* sni_bus.c. Of several in a machine: whether they agree on its bus, and may share it; with contention they do, and a lock. */
bool sni_fits_bus(SniDevice *s, Error **errp);
void sni_join_bus(SniDevice *s, SniConfig *config); /* behind pb_board_begin() */
bool sni_shares_bus(void); /* several do */

/* sni_traffic.c; big lock held, the board's own lock not. */
bool sni_open_tap(SniDevice *s, Error **errp);
void sni_run(void *dev); /* bring the model to the present, carry out what has come due */
void sni_catch_up(Object *adapter); /* the same, for the cable */
/* The processor gets its bus, and has made its access: so much time has passed then. */
void sni_wait_for_bus(void *dev, const PbAccess *a, bool write, uint64_t value);
void sni_update_observation(void *dev);
void sni_take_counts(SniDevice *s); /* the model learns of bus cycles that were only counted; the board's own lock held, too */
void sni_say_what_counts(SniDevice *s); /* a packet is open, or may be when what waits for the bus has it: then a bus cycle does more than count */
/* sni_bus.c: the processor of a node in step, with contention. */
void sni_open_bus_wait(SniDevice *s);
void sni_observed_in_step(void *opaque, const PbTapAccess *a);
void sni_access_in_step(SniDevice *s, CPUState *cpu); /* may not return: the instruction is begun again */
/* Called by the model, under its lock. */
void sni_observe(void *opaque, uint32_t first, uint32_t n);
void sni_global_reset(void *opaque);
/* The fabric cluster. */
bool sni_open_port(SniDevice *s, SniConfig *config, Error **errp);

#endif
