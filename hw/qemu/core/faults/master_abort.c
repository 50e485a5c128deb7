/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/faults/inject.h"
#include "hw/qemu/core/memory/map_update.h"

static GHashTable *asking; /* MemoryRegion: pb_master_abort_asks() */

static uint64_t nobody_reads(void *opaque, hwaddr addr, unsigned size)
{
    return UINT64_MAX;
}

static void nobody_writes(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
}

static const MemoryRegionOps nobody = {
    .read = nobody_reads,
    .write = nobody_writes,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};

void pb_master_abort_asks(MemoryRegion *mr)
{
    if (!asking) {
        asking = g_hash_table_new(NULL, NULL);
    }
    g_hash_table_add(asking, mr);
}

static int find_answering(Object *child, void *found)
{
    MemoryRegion *mr = (MemoryRegion *)object_dynamic_cast(child, TYPE_MEMORY_REGION);

    if (mr && mr->terminates && !(asking && g_hash_table_contains(asking, mr))) {
        g_ptr_array_add(found, mr);
    }
    return 0;
}

static void make(PbMasterAbort *c)
{
    g_autoptr(GPtrArray) answering = g_ptr_array_new();

    object_child_foreach(c->board, find_answering, answering);
    c->regions = g_ptr_array_new();
    for (guint i = 0; i < answering->len; i++) {
        MemoryRegion *mr = g_ptr_array_index(answering, i), *over = g_new0(MemoryRegion, 1);
        memory_region_init_io(over, c->board, &nobody, NULL, "perfboard-gone", memory_region_size(mr));
        memory_region_set_enabled(over, false);
        memory_region_add_subregion_overlap(mr, 0, over, INT_MAX);
        g_ptr_array_add(c->regions, over);
    }
}

void pb_master_abort_set(PbMasterAbort *c, bool on)
{
    if (!c->regions && !on) {
        return;
    }
    memory_region_transaction_begin();
    if (!c->regions) {
        make(c);
    }
    for (guint i = 0; i < c->regions->len; i++) {
        memory_region_set_enabled(g_ptr_array_index(c->regions, i), on);
    }
    pb_map_update();
}

static int forget(Object *child, void *unused)
{
    g_hash_table_remove(asking, child);
    return 0;
}

void pb_master_abort_forget(Object *board)
{
    if (asking) {
        object_child_foreach(board, forget, NULL);
    }
}

/* A region within one of the same owner holds the owner, who then would never go. */
void pb_master_abort_leave(PbMasterAbort *c)
{
    for (guint i = 0; c->regions && i < c->regions->len; i++) {
        MemoryRegion *over = g_ptr_array_index(c->regions, i);
        memory_region_del_subregion(over->container, over);
    }
}

void pb_master_abort_free(PbMasterAbort *c)
{
    if (c->regions) {
        g_ptr_array_set_free_func(c->regions, g_free);
        g_ptr_array_free(c->regions, true);
    }
}
