/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The window of global memory, BAR 2. With latency=off it is RAM, whose loads and stores come to the model through a tap.
 *
 * The guest places the BAR, moves it, and switches its decoding off. A memory listener tells where the window is seen just
 * now. The tap is at those pages. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/sci/sci.h"
#include "plugins/port.h"

typedef struct Place {
    hwaddr addr, bytes, offset; /* guest-physical; in the window */
} Place;

static Place place_of(const MemoryRegionSection *section)
{
    return (Place){ section->offset_within_address_space, int128_get64(section->size), section->offset_within_region };
}

/* No offset from it is in the window. */
#define NOWHERE ((hwaddr)1 << 63)

static void find_whole(SciDevice *s)
{
    const Place *only = s->mapped->len == 1 ? &g_array_index(s->mapped, Place, 0) : NULL;
    qatomic_set(&s->whole, only && only->bytes == s->size ? only->addr : NOWHERE);
}

static void tap_pages(SciDevice *s, const Place *p, bool on)
{
    pb_tap_pages(s->glue.tap, p->addr >> PB_PAGE_BITS, p->bytes >> PB_PAGE_BITS, on);
}

static void appears(MemoryListener *listener, MemoryRegionSection *section)
{
    SciDevice *s = container_of(listener, SciDevice, listener);
    Place p = place_of(section);

    if (section->mr == s->window) {
        pb_spin_lock(&s->glue.spin);
        g_array_append_val(s->mapped, p);
        find_whole(s);
        qemu_spin_unlock(&s->glue.spin);
        tap_pages(s, &p, true);
    }
}

static void disappears(MemoryListener *listener, MemoryRegionSection *section)
{
    SciDevice *s = container_of(listener, SciDevice, listener);
    Place p = place_of(section);

    for (guint i = 0; section->mr == s->window && i < s->mapped->len; i++) {
        if (!memcmp(&g_array_index(s->mapped, Place, i), &p, sizeof(p))) {
            tap_pages(s, &p, false);
            pb_spin_lock(&s->glue.spin);
            g_array_remove_index_fast(s->mapped, i);
            find_whole(s);
            qemu_spin_unlock(&s->glue.spin);
            return;
        }
    }
}

/* The spin lock held. False: the window is not there any more. */
static bool find(const SciDevice *s, hwaddr addr, uint64_t *offset)
{
    for (guint i = 0; i < s->mapped->len; i++) {
        const Place *p = &g_array_index(s->mapped, Place, i);
        if (addr - p->addr < p->bytes) {
            *offset = addr - p->addr + p->offset;
            return true;
        }
    }
    return false;
}

static SciAccess access_of(const PbTapAccess *a)
{
    return (SciAccess){
        .ns = a->now, .bytes = a->bytes, .vcpu = a->vcpu, .store = a->store, .locked = a->locked,
        .write_combining = a->type == PB_MEMORY_WRITE_COMBINING,
    };
}

static bool ignored(void *opaque, const PbTapAccess *a)
{
    SciDevice *s = opaque;
    SciAccess access = access_of(a);

    access.offset = a->addr - qatomic_read(&s->whole);
    return access.offset < s->size && sci_stays(&s->board, &access);
}

/* A vCPU's own pages stay so until a home moves (sci_update_observation), or the vCPU has a buffer to be emptied. */
static bool unwatched(void *opaque, const PbTapAccess *a)
{
    SciDevice *s = opaque;
    return ignored(opaque, a) && !(qatomic_read(&s->combined) >> a->vcpu & 1);
}

static bool combines_first(SciDevice *s, unsigned vcpu)
{
    const uint64_t bit = vcpu < s->nodes ? UINT64_C(1) << vcpu : 0, was = s->combined;

    qatomic_set(&s->combined, was | bit);
    return s->combined != was;
}

static void observed(void *opaque, const PbTapAccess *a)
{
    SciDevice *s = opaque;
    SciAccess access = access_of(a);
    bool first = false;

    pb_spin_lock(&s->glue.spin);
    if (!s->glue.left && find(s, a->addr, &access.offset)) {
        pb_glue_at(a->now);
        sci_access(&s->board, &access, NULL);
        pb_glue_at(PB_NEVER);
        pb_tap_holds(s->glue.tap, sci_holds(&s->board));
        first = access.write_combining && access.store && combines_first(s, a->vcpu);
    }
    qemu_spin_unlock(&s->glue.spin);
    if (first) {
        pb_tap_anew(false);
    }
}

static void drained(void *opaque, uint64_t now, unsigned vcpu)
{
    SciDevice *s = opaque;

    pb_spin_lock(&s->glue.spin);
    if (!s->glue.left) {
        pb_glue_at(now);
        sci_drain(&s->board, now, vcpu);
        pb_glue_at(PB_NEVER);
        pb_tap_holds(s->glue.tap, sci_holds(&s->board));
    }
    qemu_spin_unlock(&s->glue.spin);
}

/* Memory types are only needed for write-combining. */
void sci_update_observation(void *dev)
{
    SciDevice *s = dev;
    bool types = sci_enabled(&s->board) && s->wc_buffers;

    if (types != s->types) {
        s->types = types;
        pb_tap_types(s->glue.tap, types);
    }
    pb_tap_holds(s->glue.tap, sci_holds(&s->board));
    if (memcmp(s->homes, s->board.state.home, s->pages)) {
        memcpy(s->homes, s->board.state.home, s->pages);
        pb_tap_anew(true);
    }
    pb_tap_want(s->glue.tap, sci_enabled(&s->board) && !s->latency ? PB_TAP_PAGES : PB_TAP_NOTHING);
}

bool sci_make_window(SciDevice *s, Error **errp)
{
    if (!memory_region_init_ram(&s->memory, OBJECT(s), "smile-sci-memory", s->size, errp)) {
        return false;
    }
    s->window = &s->memory;
    if (s->latency) {
        sci_make_waiting_window(s);
    }
    return true;
}

bool sci_watch_window(SciDevice *s, Error **errp)
{
    static const PbTapOps ops = { .on_access = observed, .ignores = ignored, .unwatched = unwatched, .drain = drained };

    if (!pb_board_tap(s, &ops, errp)) {
        return false;
    }
    s->whole = NOWHERE;
    s->mapped = g_array_new(false, false, sizeof(Place));
    s->listener = (MemoryListener){ .name = "smile-sci", .region_add = appears, .region_del = disappears };
    memory_listener_register(&s->listener, &address_space_memory);
    return true;
}

/* Its name in snapshots is another adapter's from now on, which may come into the slot before this one's memory is free. */
void sci_leave_window(SciDevice *s)
{
    memory_listener_unregister(&s->listener);
    g_clear_pointer(&s->mapped, g_array_unref);
    if (s->memory.ram_block) {
        vmstate_unregister_ram(&s->memory, DEVICE(s));
    }
}
