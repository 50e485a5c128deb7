/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SNI's QOM object: shared by its shim (sni.c), its traffic (sni_traffic.c) and its snapshot
 * description (sni_vmstate.c). */
#ifndef PERFBOARD_QEMU_SNI_H
#define PERFBOARD_QEMU_SNI_H

#include "qemu/thread.h"
#include "migration/vmstate.h"

#include "hw/qemu/eisa/eisa.h"
#include "hw/qemu/core/host_glue.h"
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

    /* sni_vmstate.c. Saving: the board's own state and caches. Loading: copies, which `loaded` and
     * `cache_loaded` own. */
    SniState *image, *loaded;
    uint8_t *cache_image, *cache_loaded;
};

extern const VMStateDescription vmstate_sni;

/* sni_traffic.c; big lock held, the board's own lock not. */
void sni_attach_observer(SniDevice *s);
void sni_take_counts(SniDevice *s); /* the model learns of bus cycles that were only counted */
void sni_run(SniDevice *s);  /* bring the model to the present, carry out what has come due */
void sni_expired(void *dev); /* the same, for the timer */
void sni_update_observation(SniDevice *s);
void sni_empty_caches(SniDevice *s);
/* Called by the model, under its lock. */
void sni_observe(void *opaque);
void sni_global_reset(void *opaque);

#endif
