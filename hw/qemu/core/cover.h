/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PbCover - what the guest meets in a board's place while that is gone (fault.h): reads are all ones, writes go nowhere.
 *
 *   PbCover c = { .board = OBJECT(s) };
 *   pb_cover_asks(&s->registers);     an I/O region that looks itself whether its board is there (region.c): it is not covered
 *   pb_cover_set(&c, true);
 *
 * Covered are all memories and I/O regions that the board owns, wherever they are mapped. They are found at the first time. Windows change
 * between two blocks only (pci.h). Big lock held.
 */
#ifndef PERFBOARD_QEMU_CORE_COVER_H
#define PERFBOARD_QEMU_CORE_COVER_H

#include "exec/memory.h"

typedef struct PbCover {
    Object *board;
    GPtrArray *regions; /* MemoryRegion; NULL: it was never gone */
} PbCover;

void pb_cover_asks(MemoryRegion *mr);
void pb_cover_set(PbCover *cover, bool on);
/* The board is unplugged. */
void pb_cover_forget(Object *board); /* those of its regions that pb_cover_asks() knows */
void pb_cover_leave(PbCover *cover);
void pb_cover_free(PbCover *cover);  /* its regions are gone */

#endif
