/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Simm - one of the SurfBoard's memory modules, seen again and again over its 64 MB window.
 *
 * The guest reads and writes it as RAM. Software finds the size by that aliasing, since the
 * presence-detect code does not always tell it (A.6, FCCR). An empty socket reads all ones.
 */
#ifndef PERFBOARD_QEMU_SIMM_H
#define PERFBOARD_QEMU_SIMM_H

#include "qemu/units.h"
#include "exec/memory.h"

#define SIMM_WINDOW (64 * MiB) /* A.7, A.8 */

typedef struct Simm {
    uint64_t bytes; /* 0, 4, 16 or 64 MiB: set it before simm_realize */
    MemoryRegion ram, window, empty, alias[SIMM_WINDOW / (4 * MiB)];
} Simm;

bool simm_realize(Simm *m, Object *owner, const char *name, MemoryRegion *space, hwaddr at, Error **errp);
uint8_t *simm_pointer(Simm *m); /* NULL: empty socket */

#endif
