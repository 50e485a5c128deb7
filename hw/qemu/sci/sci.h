/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The smile-sci's QOM object: shared by its shim (sci.c), its window (sci_window.c; sci_latency.c: with latency=on), its
 * end of the cable and its port to other machines (sci_port.c). */
#ifndef PERFBOARD_QEMU_SCI_H
#define PERFBOARD_QEMU_SCI_H

#include "hw/qemu/series/qemu.h"
#include "hw/qemu/core/board/window.h"
#include "hw/qemu/core/inspect/inspect.h"
#include "hw/qemu/core/links/cluster.h"
#include "hw/qemu/core/links/links.h"
#include "hw/qemu/core/time/stall.h"
#include "hw/sci/sci.h"
#include "plugins/taps.h"

#define TYPE_SMILE_SCI "smile-sci"
OBJECT_DECLARE_SIMPLE_TYPE(SciDevice, SMILE_SCI)

struct SciDevice {
    PCIDevice parent_obj;
    SciAdapter board;
    PbGlue glue; /* with a spin lock: a vCPU that accesses the window comes without the big lock */
    PbRegion io_region;
    MemoryRegion memory;    /* the window's RAM */
    MemoryRegion io;        /* latency=on: the window; `memory` is not mapped then */
    MemoryRegion *window;   /* BAR 2: one of these two */
    PbStall stall[SCI_MAX_NODES]; /* latency=on */

    /* Where the guest sees the window (sci_window.c: Place). Changed with the big lock and the spin lock held. */
    GArray *mapped;
    hwaddr whole; /* where all of it is seen, if it is seen once; else NOWHERE. Read without a lock. */
    MemoryListener listener;
    uint8_t homes[SCI_MAX_PAGES]; /* of the window's pages, as they are observed */
    uint64_t combined; /* a bit for each vCPU that has made a write-combining store: its accesses at home, which empty buffers, are observed, too */
    bool types; /* of memory: the tap asks for them. It is there with latency=on, too, for them and for drains */

    uint32_t nodes, ringlet, wc_buffers;
    uint64_t size;
    bool latency;

    char *fabric;
    uint32_t node, cable_ns; /* fabric=cluster */
    PbClusterPort port;
    uint64_t until; /* its vCPU waits so long */

    uint32_t pages, waits, machines; /* the window's; latency=on; fabric=cluster: a snapshot goes only into adapters with the same */
};

/* sci_window.c. Big lock held. */
bool sci_make_window(SciDevice *s, Error **errp); /* `memory` and `window`, before the model has it */
bool sci_watch_window(SciDevice *s, Error **errp);
void sci_leave_window(SciDevice *s); /* in exit: nobody observes it any more */
void sci_update_observation(void *dev); /* after what sci_enabled() says may have changed; not under the spin lock */

void sci_make_waiting_window(SciDevice *s); /* sci_latency.c: `io` */

/* sci_port.c: fabric=cluster */
bool sci_open_port(SciDevice *s, SciConfig *config, Error **errp);
static inline bool sci_is_node(const SciDevice *s) { return s->machines; }
uint32_t sci_node_of(const SciDevice *s, const CPUState *cpu); /* NULL: of nobody */

/* sci_port.c */
void sci_packet(void *opaque, const SciPacket *packet);
void sci_cable_class_init(ObjectClass *klass);

#endif
