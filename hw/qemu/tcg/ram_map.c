/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The machine's memory as plugins/ sees it (PbRamMap): made anew from QEMU's flat view whenever that changes. Readers are
 * vCPUs' threads, which run in RCU read sections, so an old map is freed by RCU. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/vcpu/vcpu.h"

typedef struct Map {
    struct rcu_head rcu;
    PbRamMap map; /* last: it ends with its pieces */
} Map;

static Map *present;
static const PbRamMap empty;
static void (*tell)(void);

/* The machine's own memory, also in several pieces: NUMA nodes' back ends, DIMMs. Not what lies behind a BAR, even where it
 * is a memory back end as well (ivshmem). */
static bool is_own(const MemoryRegion *mr)
{
    const MemoryRegion *dimms = current_machine->device_memory ? &current_machine->device_memory->mr : NULL;

    for (; mr; mr = mr->container) {
        if (mr == current_machine->ram || mr == dimms) {
            return true;
        }
    }
    return false;
}

/* Memory that guests reach without a call of a device: RAM, ROM and flash that can be read. */
static bool add_range(Int128 start, Int128 length, const MemoryRegion *mr, hwaddr offset, void *opaque)
{
    GArray *pieces = opaque;
    PbRamPiece piece;

    if (!mr->ram && !mr->rom_device) {
        return false;
    }
    memset(&piece, 0, sizeof(piece)); /* pieces are compared with their padding */
    piece.addr = int128_get64(start);
    piece.bytes = int128_get64(length);
    piece.host = (uint8_t *)memory_region_get_ram_ptr((MemoryRegion *)mr) + offset;
    piece.cached = is_own(mr);
    for (guint i = 0; i < pieces->len; i++) {
        PbRamPiece *p = &g_array_index(pieces, PbRamPiece, i);
        if (p->cached && piece.cached && p->addr - (uintptr_t)p->host == piece.addr - (uintptr_t)piece.host) {
            p->bytes = piece.addr + piece.bytes - p->addr; /* ranges come in ascending order */
            return false;
        }
    }
    g_array_append_val(pieces, piece);
    return false;
}

static void largest_first(GArray *pieces)
{
    guint best = 0;

    for (guint i = 1; i < pieces->len; i++) {
        const PbRamPiece *a = &g_array_index(pieces, PbRamPiece, i), *b = &g_array_index(pieces, PbRamPiece, best);
        if (a->cached > b->cached || (a->cached == b->cached && a->bytes > b->bytes)) {
            best = i;
        }
    }
    if (best) {
        PbRamPiece piece = g_array_index(pieces, PbRamPiece, best);
        g_array_remove_index(pieces, best);
        g_array_prepend_val(pieces, piece);
    }
}

static void make_anew(MemoryListener *listener)
{
    g_autoptr(GArray) pieces = g_array_new(false, false, sizeof(PbRamPiece));
    size_t bytes;
    Map *old = present, *fresh;

    /* The big lock is held, so the flat view stays. */
    flatview_for_each_range(address_space_to_flatview(&address_space_memory), add_range, pieces);
    largest_first(pieces);
    bytes = pieces->len * sizeof(PbRamPiece);
    if (old && old->map.count == pieces->len && !memcmp(old->map.piece, pieces->data, bytes)) {
        return;
    }
    fresh = g_malloc0(sizeof(Map) + bytes);
    fresh->map.count = pieces->len;
    memcpy(fresh->map.piece, pieces->data, bytes);
    qatomic_rcu_set(&present, fresh);
    tell();
    if (old) {
        g_free_rcu(old, rcu);
    }
}

const PbRamMap *pb_ram_map(void)
{
    const Map *map = qatomic_rcu_read(&present);
    return map ? &map->map : &empty;
}

void pb_ram_watch(void (*changed)(void))
{
    static MemoryListener listener = { .name = "perfboard-memory", .commit = make_anew };

    tell = changed;
    memory_listener_register(&listener, &address_space_memory);
    make_anew(&listener);
}

typedef struct Release {
    struct rcu_head rcu;
    void (*release)(void *p);
    void *p;
} Release;

static void release_now(Release *r)
{
    r->release(r->p);
    g_free(r);
}

void pb_release_later(void *p, void (*release)(void *p))
{
    Release *r = g_new(Release, 1);

    r->release = release;
    r->p = p;
    call_rcu(r, release_now, rcu);
}
