/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SurfBoard's QOM object: shared by its shim (surfboard.c), its memory window
 * (surfboard_memory.c) and its properties (surfboard_props.c). */
#ifndef PERFBOARD_QEMU_SURFBOARD_H
#define PERFBOARD_QEMU_SURFBOARD_H

#include "migration/vmstate.h"

#include "hw/qemu/core/board/window.h"
#include "hw/qemu/core/inspect/inspect.h"
#include "hw/qemu/core/links/links.h"
#include "hw/qemu/eisa/eisa.h"
#include "hw/qemu/surfboard/simm.h"
#include "hw/surfboard/surfboard.h"

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

/* surfboard_memory.c */
bool surfboard_realize_memory(SurfBoardDevice *s, Error **errp);
void surfboard_wrote(void *opaque, enum surf_memory which, uint32_t offset, uint32_t bytes);
void surfboard_watch_memory(void *opaque, bool on);

void surfboard_add_properties(ObjectClass *klass);

#endif
