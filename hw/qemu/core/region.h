/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PbRegion - a board's window: a memory region whose accesses somebody may look at.
 *
 *   pb_region_init_io(&s->region, &s->glue, 1, &s->registers, OBJECT(s), &my_ops, s, "my-registers", 64 * KiB);
 *
 * As memory_region_init_io(); `window` is the number of the window in the board's view. The board's own functions are called with
 * accesses as their ops ask for them. While nobody looks and nothing is wrong with the board, that costs one test.
 *
 * Look. The board's catch_up(), if it has one, is called before each access: what has come due by then is not the access's doing. It is
 * called whether somebody looks or not, so looking changes nothing. An access that is given up (stall.h) leaves no record; its second
 * try is the access.
 *
 * Who. The vCPU and its program counter are those of the instruction that makes the access. For a window of ports, x86's IN and OUT,
 * blocks note the program counter (plugins/ports.h) while somebody looks.
 *
 * A board that is gone from its bus (PB_GONE) reads all ones and takes no write. So does an address behind the window's end, which is
 * not the board's, and nobody is told (commit.h).
 */
#ifndef PERFBOARD_QEMU_CORE_REGION_H
#define PERFBOARD_QEMU_CORE_REGION_H

#include "exec/memory.h"

#include "hw/qemu/core/host_glue.h"

#define PB_NO_WINDOW UINT32_MAX /* memory: nobody looks at accesses, but a board that is gone does not answer */

typedef struct PbRegion {
    MemoryRegionOps ops; /* ours, in front of: */
    const MemoryRegionOps *inner;
    void *opaque;
    PbGlue *glue;
    MemoryRegion *mr;
    unsigned window;
    hwaddr base;                    /* where in the window the region begins */
    hwaddr bytes;
    bool ports;
    void (*catch_up)(void *dev); /* NULL: none */
} PbRegion;

void pb_region_init_io(PbRegion *r, PbGlue *glue, unsigned window, MemoryRegion *mr, Object *owner, const MemoryRegionOps *ops,
                       void *opaque, const char *name, uint64_t size);
void pb_region_ports(PbRegion *r); /* it is in I/O space */

#endif
