/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Simm - one of the SurfBoard's memory modules, seen again and again over its 64 MB window.
 *
 *   m.bytes = 4 * MiB; m.announce = ...; m.opaque = ...;
 *   simm_realize(&m, owner, "trace", space, at, errp)   the window, in `space` at `at`
 *   simm_watch(&m, on)                                  off: the window is plain RAM
 *   simm_pointer(&m)                                    the memory's bytes, for the model
 *
 * While it is watched, as after simm_realize, each access to the window calls announce() and is made
 * then. Software finds a memory's size by its aliases, because the presence-detect code does not always
 * tell the size (A.6, FCCR). An empty socket reads all ones and is always watched, as is a module that is broken on purpose. */
#ifndef PERFBOARD_QEMU_SIMM_H
#define PERFBOARD_QEMU_SIMM_H

#include "qemu/units.h"
#include "exec/memory.h"

#define SIMM_WINDOW (64 * MiB) /* A.7, A.8 */
#define SIMM_ALIASES (SIMM_WINDOW / (4 * MiB))

typedef struct Simm {
    uint64_t bytes; /* 0, 4, 16 or 64 MiB: set it before simm_realize, as the next two */
    uint64_t (*announce)(void *opaque, struct Simm *m); /* how many of the bytes answer now: all, half or none */
    void *opaque;
    MemoryRegion window, ram, alias[SIMM_ALIASES];
    MemoryRegion cover, watched, watched_alias[SIMM_ALIASES];
} Simm;

bool simm_realize(Simm *m, Object *owner, const char *name, MemoryRegion *space, hwaddr at, Error **errp);
void simm_watch(Simm *m, bool on);
uint8_t *simm_pointer(Simm *m); /* NULL: empty socket */

#endif
