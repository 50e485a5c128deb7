/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The SurfBoard's 128 MB of memory window (A.7, A.8): plain RAM, or each access announced to the model
 * first, as the model wants it (surfboard.h, watch_memory; simm.h). A change takes effect at the end of each
 * processor's present block (map_update.h). */
#include "qemu/osdep.h"

#include "hw/qemu/core/memory/map_update.h"
#include "hw/qemu/surfboard/surfboard.h"

static uint64_t surfboard_announce(void *opaque, Simm *m)
{
    SurfBoardDevice *s = opaque;
    pb_cable_catch_up(&s->cable);
    surf_memory_access(&s->board);
    return surf_memory_bytes(&s->board, m == &s->trace ? SURF_MEM_TRACE : SURF_MEM_HIST);
}

bool surfboard_realize_memory(SurfBoardDevice *s, Error **errp)
{
    s->trace.announce = s->hist.announce = surfboard_announce;
    s->trace.opaque = s->hist.opaque = s;
    memory_region_init(&s->memory, OBJECT(s), "surfboard-memory", 2 * SIMM_WINDOW);
    return simm_realize(&s->trace, OBJECT(s), "trace", &s->memory, 0, errp) &&
           simm_realize(&s->hist, OBJECT(s), "hist", &s->memory, SIMM_WINDOW, errp);
}

void surfboard_wrote(void *opaque, enum surf_memory which, uint32_t offset, uint32_t bytes)
{
    SurfBoardDevice *s = opaque;
    memory_region_set_dirty(which == SURF_MEM_TRACE ? &s->trace.ram : &s->hist.ram, offset, bytes);
}

void surfboard_watch_memory(void *opaque, bool on)
{
    SurfBoardDevice *s = opaque;
    memory_region_transaction_begin();
    simm_watch(&s->trace, on);
    simm_watch(&s->hist, on);
    pb_map_update();
}
