/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The smile-sci's QOM object: shared by its shim (sci.c), its window (sci_window.c; sci_latency.c: with latency=on) and its
 * end of the cable (sci_cable.c). */
#ifndef PERFBOARD_QEMU_SCI_H
#define PERFBOARD_QEMU_SCI_H

#include "qemu/thread.h"
#include "exec/memory.h"
#include "hw/pci/pci_device.h"
#include "migration/vmstate.h"

#include "hw/qemu/core/cable.h"
#include "hw/qemu/core/inspect.h"
#include "hw/qemu/core/region.h"
#include "hw/qemu/core/stall.h"
#include "hw/sci/sci.h"
#include "plugins/taps.h"

#define TYPE_SMILE_SCI "smile-sci"
OBJECT_DECLARE_SIMPLE_TYPE(SciDevice, SMILE_SCI)

struct SciDevice {
    PCIDevice parent_obj;
    SciAdapter board;
    PbGlue glue;
    QemuSpin lock; /* around every call of the model: a vCPU that accesses the window comes without the big lock */
    bool left;     /* it is unplugged: nobody calls the model any more. Changed with the big lock and `lock` held */
    PbRegion io_region;
    MemoryRegion memory;    /* the window's RAM */
    MemoryRegion io;        /* latency=on: the window; `memory` is not mapped then */
    MemoryRegion *window;   /* BAR 2: one of these two */
    PbStall stall[SCI_MAX_NODES]; /* latency=on */

    /* Where the guest sees the window (sci_window.c: Place). Changed with the big lock and `lock` held. */
    GArray *mapped;
    hwaddr whole; /* where all of it is seen, if it is seen once; else NOWHERE. Read without a lock. */
    MemoryListener listener;
    PbTap *tap; /* also with latency=on, for memory types and drains */
    bool types;

    uint32_t nodes, ringlet, wc_buffers;
    uint64_t size;
    bool latency;

    uint32_t pages, waits; /* the window's; latency=on: a snapshot goes only into adapters with the same */
};

/* sci_window.c. Big lock held. */
bool sci_make_window(SciDevice *s, Error **errp); /* `memory` and `window`, before the model has it */
bool sci_watch_window(SciDevice *s, Error **errp);
void sci_leave_window(SciDevice *s); /* in exit: nobody observes it any more */
void sci_free_window(SciDevice *s);  /* in finalize */
void sci_update_observation(void *dev); /* after what sci_enabled() says may have changed; not under `lock` */

void sci_make_waiting_window(SciDevice *s); /* sci_latency.c: `io` */

/* sci_cable.c */
void sci_packet(void *opaque, const SciPacket *packet);
void sci_cable_class_init(ObjectClass *klass);


#endif
