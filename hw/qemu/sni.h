/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SNI's QOM object: shared by its shim (sni.c) and its snapshot description (sni_vmstate.c). */
#ifndef PERFBOARD_QEMU_SNI_H
#define PERFBOARD_QEMU_SNI_H

#include "qemu/thread.h"
#include "migration/vmstate.h"

#include "hw/qemu/host_glue.h"
#include "hw/shrimp/sni.h"
#include "plugins/cpu_view.h"
#include "plugins/observe.h"

#define TYPE_SHRIMP_SNI "shrimp-sni"
OBJECT_DECLARE_SIMPLE_TYPE(SniDevice, SHRIMP_SNI)

struct SniDevice {
    EisaDevice parent_obj;
    SniBoard board;
    PbGlue glue;
    QemuMutex lock; /* around every call of the model */
    MemoryRegion window;
    SniDelivery delivery;
    bool observe_pending;

    uint32_t node, nodes, mesh_width, fifo_words;
    bool snoop_loads;

    CacheGeometry geometry;
    uint32_t cpus;
    uint32_t cache_stride, cache_bytes;
    uint8_t *cache_memory; /* of all vCPUs, one after another: part of the snapshot */
    CacheNode **cache;
};

extern const VMStateDescription vmstate_sni;
int sni_device_post_load(void *opaque, int version);

#endif
