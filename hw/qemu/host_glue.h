/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PbGlue - a model's PbHost made of QEMU: virtual clock, one timer, DMA to RAM, log flags.
 *
 * The shim supplies what differs: the interrupt line and what to do when the timer comes.
 */
#ifndef PERFBOARD_QEMU_HOST_GLUE_H
#define PERFBOARD_QEMU_HOST_GLUE_H

#include "qemu/timer.h"

#include "hw/core/host.h"
#include "hw/qemu/eisa.h"

typedef struct PbGlue {
    PbHost host;
    QEMUTimer timer;
    EisaDevice *dev;
    int (*irq_number)(void *board); /* -1: no line chosen */
    void *board;
} PbGlue;

void pb_glue_init(PbGlue *g, EisaDevice *dev, void *board, int (*irq_number)(void *board),
                  void (*expired)(void *dev));

#endif
