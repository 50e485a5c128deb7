/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PbGlue - a model's PbHost made of QEMU: virtual clock, one timer, DMA to RAM, log flags.
 *
 * A shim supplies three functions: one drives its interrupt line (NULL: it has none), one gives its name in log
 * lines, one is called when the timer comes. Each gets the device.
 */
#ifndef PERFBOARD_QEMU_HOST_GLUE_H
#define PERFBOARD_QEMU_HOST_GLUE_H

#include "hw/core/host.h"
#include "hw/qemu/core/time.h"

typedef struct PbGlueOps {
    void (*set_irq)(void *dev, bool level);
    char *(*describe)(void *dev); /* "EISA slot 2: surfboard: "; freed with g_free */
    void (*expired)(void *dev);
} PbGlueOps;

typedef struct PbGlue {
    PbHost host;
    PbTimer timer;
    const PbGlueOps *ops;
    void *dev;
} PbGlue;

void pb_glue_init(PbGlue *g, void *dev, const PbGlueOps *ops);

#endif
