/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SurfBoard's QOM object: shared by its shim (surfboard.c), its properties
 * (surfboard_props.c) and its snapshot description (surfboard_vmstate.c). */
#ifndef PERFBOARD_QEMU_SURFBOARD_DEVICE_H
#define PERFBOARD_QEMU_SURFBOARD_DEVICE_H

#include "migration/vmstate.h"

#include "hw/qemu/eisa.h"
#include "hw/qemu/host_glue.h"
#include "hw/qemu/simm.h"
#include "hw/qemu/surfboard.h"
#include "hw/qemu/wire.h"
#include "hw/surfboard/surfboard.h"

OBJECT_DECLARE_SIMPLE_TYPE(SurfBoardDevice, SURFBOARD)

struct SurfBoardDevice {
    EisaDevice parent_obj;
    SurfBoard board;
    PbGlue glue;
    MemoryRegion registers, memory;
    Simm trace, hist;
    char *wire_name;
    PbWire *wire;
    PbWireEnd own;     /* the board's output */
    PbWireEnd outside; /* whoever holds the other end of the cable: property ext-pull */
};

extern const VMStateDescription vmstate_surfboard;
void surfboard_add_properties(ObjectClass *klass);

#endif
