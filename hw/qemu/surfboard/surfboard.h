/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SurfBoard's QOM object: shared by its shim (surfboard.c), its memory window
 * and its properties (surfboard_props.c). */
#ifndef PERFBOARD_QEMU_SURFBOARD_H
#define PERFBOARD_QEMU_SURFBOARD_H

#include "hw/qemu/series/qemu.h"
#include "hw/qemu/core/board/window.h"
#include "hw/qemu/core/inspect/inspect.h"
#include "hw/qemu/core/links/links.h"
#include "hw/qemu/eisa/eisa.h"
#include "hw/surfboard/surfboard.h"

/* Simm - one of the SurfBoard's memory modules, seen again and again over its 64 MB window.
 *
 *   m.bytes = 4 * MiB; m.announce = ...; m.opaque = ...;
 *   simm_realize(&m, owner, "trace", space, at, errp)   the window, in `space` at `at`
 *   simm_watch(&m, on)                                  off: the window is plain RAM
 *   simm_pointer(&m)                                    the memory's bytes, for the model
 *
 * While it is watched, as after simm_realize, each access to the window calls announce() and is made
 * then. Software finds a memory's size by its aliases, because the presence-detect code does not always
 * tell the size (A.6, FCCR). An empty socket reads all ones and is always watched, as is a module that is broken on purpose. */

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

#define TYPE_SURFBOARD "surfboard"
#define SURFBOARD_ADAPTER "shrimp-sni" /* at the other end of the ribbon cables (J2, J3) */
OBJECT_DECLARE_SIMPLE_TYPE(SurfBoardDevice, SURFBOARD)

enum { SURF_WINDOW_REGISTERS = 1 }; /* of the board's view; 0 is the slot */

struct SurfBoardDevice {
    EisaDevice parent_obj;
    SurfBoard board;
    PbGlue glue;
    PbCable cable;
    MemoryRegion memory;
    Simm trace, hist;
    char *wire_name;
    PbWire *wire;
    PbWireEnd own;     /* the board's output */
    PbWireEnd outside; /* whoever holds the other end of the cable: property ext-pull */
    bool image_pulls; /* outside.pulls, in a snapshot */
    bool loading;     /* what the board drives now is no edge */
};

/* surfboard_props.c */
bool surfboard_realize_memory(SurfBoardDevice *s, Error **errp);
void surfboard_wrote(void *opaque, enum surf_memory which, uint32_t offset, uint32_t bytes);
void surfboard_watch_memory(void *opaque, bool on);

void surfboard_add_properties(ObjectClass *klass);

#endif
