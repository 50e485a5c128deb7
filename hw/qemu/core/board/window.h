/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A board's windows of registers: a row for each in the board's description, by the number that it has in the board's view.
 *
 *   static const PbWindow sci_windows[] = {
 *       { .name = "smile-sci", .bytes = SCI_REGISTER_BYTES, .bar = 0, .most = 8, .read = read_register, .write = write_register },
 *       { NULL }
 *   };
 *
 * pb_board_begin() makes them and registers the BARs of a card on PCI; an EISA board's first row is its slot, which the bus places, and it
 * places the others itself. read() and write() are called under the board's lock (PbGlueOps.lock), if it has one.
 *
 * PbRegion - a window's memory region, whose accesses somebody may look at (region.c). While nobody looks and nothing is wrong with the
 * board, that costs one test.
 *
 * Look. The window's catch_up(), if it has one, is called before each access: what has come due by then is not the access's doing. It is
 * called whether somebody looks or not, so looking changes nothing (a board whose model begins each access with it may leave it out).
 * An access that is given up (stall.h) leaves no record; its second try is the access.
 *
 * Who. The vCPU and its program counter are those of the instruction that makes the access. For a window of ports, x86's IN and OUT,
 * blocks note the program counter (plugins/ports.h) while somebody looks.
 *
 * A board that is gone from its bus (PB_GONE) reads all ones and takes no write. So does an address behind the window's end, which is
 * not the board's, and nobody is told (map_update.h).
 *
 * What is memory, or is answered by functions of its own, is such a region, too, but nobody looks at its accesses. `ops` have
 * read_with_attrs and write_with_attrs, and get the device:
 *
 *   pb_region_init_io(&s->region, &s->glue, &s->memory, &my_ops, "my-memory", 64 * KiB);     behind pb_board_begin()
 */
#ifndef PERFBOARD_QEMU_CORE_WINDOW_H
#define PERFBOARD_QEMU_CORE_WINDOW_H

#include "hw/qemu/series/qemu.h"
#include "hw/qemu/core/board/host_glue.h"

typedef struct PbAccess {
    unsigned window;
    uint64_t offset; /* in the window */
    unsigned size;
    CPUState *cpu; /* whose instruction makes it; NULL: none (stall.h) */
} PbAccess;

typedef struct PbWindow {
    const char *name; /* of the memory region; NULL: the list ends */
    uint64_t bytes;
    unsigned bar; /* of a card on PCI */
    bool ports;   /* in I/O space */
    bool big;     /* its bytes are in big-endian order */
    bool stalls;  /* an access may be given up, and made again (stall.h) */
    bool unaligned;
    unsigned most; /* bytes of an access that the board is asked; of a wider one QEMU makes several */
    /* Of an access that crosses a register: how many of the bytes left are the board's next access. NULL: all. */
    unsigned (*piece)(uint64_t offset, unsigned left);
    uint64_t (*read)(void *dev, const PbAccess *a);
    void (*write)(void *dev, const PbAccess *a, uint64_t value);
    /* Not under the lock. NULL: nothing. */
    void (*catch_up)(void *dev); /* what has come due is not the access's doing (region.c) */
    void (*before)(void *dev, const PbAccess *a, bool write, uint64_t value);
    void (*behind)(void *dev); /* a write; NULL: PbGlueOps.behind */
} PbWindow;

typedef struct PbRegion {
    MemoryRegionOps ops;
    const PbWindow *row;           /* NULL: */
    const MemoryRegionOps *memory;
    PbGlue *glue;
    MemoryRegion *mr;
    unsigned window; /* the row's number */
    hwaddr base;     /* where in the window the region begins */
    hwaddr bytes;
} PbRegion;

void pb_region_init_io(PbRegion *r, PbGlue *glue, MemoryRegion *mr, const MemoryRegionOps *ops, const char *name, uint64_t size);

/* A region of a window: all of it, or of a slot the bytes that the bus decodes. */
typedef struct PbWindowPart {
    MemoryRegion mr;
    PbRegion region;
} PbWindowPart;

void pb_window_part(PbWindowPart *part, PbGlue *glue, unsigned number, uint64_t base, uint64_t bytes);

/* By pb_board_begin(). */
void pb_windows_make(PbGlue *glue);
MemoryRegion *pb_window_region(const PbGlue *glue, unsigned number);

#endif
