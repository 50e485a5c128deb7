/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "system/system.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/board/host_glue.h"
#include "hw/qemu/core/board/window.h"
#include "hw/qemu/core/time/stall.h"

/* --- accesses ------------------------------------------------------------------- */

static PbAccess access_of(const PbWindowPart *p, hwaddr addr, unsigned size)
{
    return (PbAccess){ .window = p->region.window, .offset = p->region.base + addr, .size = size, .cpu = pb_accessing_cpu() };
}

/* The access's next piece, behind `done` of its bytes. */
static PbAccess piece_of(const PbWindow *w, const PbAccess *whole, unsigned done)
{
    PbAccess a = *whole;

    a.offset += done;
    a.size -= done;
    if (w->piece) {
        a.size = w->piece(a.offset, a.size);
    }
    return a;
}

static uint64_t window_read(void *opaque, hwaddr addr, unsigned size)
{
    const PbWindowPart *p = opaque;
    const PbWindow *w = p->window;
    PbGlue *g = p->region.glue;
    const PbAccess whole = access_of(p, addr, size);
    uint64_t value = 0;

    if (w->before) {
        w->before(g->dev, &whole, false, 0);
    }
    pb_glue_lock(g, true);
    for (unsigned done = 0; done < size;) {
        PbAccess a = piece_of(w, &whole, done);
        value |= w->read(g->dev, &a) << (8 * done);
        done += a.size;
    }
    pb_glue_lock(g, false);
    return value;
}

static void window_write(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
    const PbWindowPart *p = opaque;
    const PbWindow *w = p->window;
    PbGlue *g = p->region.glue;
    const PbAccess whole = access_of(p, addr, size);

    if (w->before) {
        w->before(g->dev, &whole, true, value);
    }
    pb_glue_lock(g, true);
    for (unsigned done = 0; done < size;) {
        PbAccess a = piece_of(w, &whole, done);
        w->write(g->dev, &a, extract64(value, 8 * done, 8 * a.size));
        done += a.size;
    }
    pb_glue_lock(g, false);
    if (w->behind) {
        w->behind(g->dev);
    } else {
        pb_glue_behind(g);
    }
}

/* --- regions --------------------------------------------------------------------- */

void pb_window_part(PbWindowPart *p, PbGlue *g, unsigned number, uint64_t base, uint64_t bytes)
{
    const PbWindow *w = &pb_board_type(g->dev)->windows[number];

    p->window = w;
    p->ops = (MemoryRegionOps){
        .read = window_read, .write = window_write, .endianness = w->big ? DEVICE_BIG_ENDIAN : DEVICE_LITTLE_ENDIAN,
        .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = w->unaligned },
        .impl = { .min_access_size = 1, .max_access_size = w->most, .unaligned = w->unaligned },
    };
    pb_region_init_io(&p->region, g, number, &p->mr, g->dev, &p->ops, p, w->name, bytes);
    p->region.base = base;
    p->region.catch_up = w->catch_up;
    p->mr.disable_reentrancy_guard = w->stalls;
    if (w->ports) {
        pb_region_ports(&p->region);
    }
}

void pb_windows_make(PbGlue *g)
{
    const PbBoardType *b = pb_board_type(g->dev);
    unsigned n = 0;

    while (b->windows && b->windows[n].name) {
        n++;
    }
    g->windows = g_new0(PbWindowPart, n);
    for (unsigned i = b->parent ? 1 : 0; i < n; i++) { /* the first one of a board on EISA is its bus's */
        const PbWindow *w = &b->windows[i];

        pb_window_part(&g->windows[i], g, i, 0, w->bytes);
        if (!b->parent) {
            pci_register_bar(g->dev, w->bar, w->ports ? PCI_BASE_ADDRESS_SPACE_IO : PCI_BASE_ADDRESS_SPACE_MEMORY, &g->windows[i].mr);
        }
    }
}

MemoryRegion *pb_window_region(const PbGlue *g, unsigned number)
{
    return &g->windows[number].mr;
}

/* --- when a board is called ------------------------------------------------------ */

void pb_glue_lock(PbGlue *g, bool on)
{
    switch (g->ops->lock) {
    case PB_BIG_LOCK:
        break;
    case PB_SPIN:
        if (on) {
            qemu_spin_lock(&g->spin);
        } else {
            qemu_spin_unlock(&g->spin);
        }
        break;
    case PB_MUTEX:
        if (on) {
            qemu_mutex_lock(g->mutex);
        } else {
            qemu_mutex_unlock(g->mutex);
        }
        break;
    }
}

void pb_glue_catch_up(PbGlue *g)
{
    if (g->ops->catch_up) {
        g->ops->catch_up(g->dev);
    }
}

void pb_glue_behind(PbGlue *g)
{
    if (g->ops->behind) {
        g->ops->behind(g->dev);
    }
}

void pb_glue_call(PbGlue *g, void (*model)(void *dev))
{
    pb_glue_lock(g, true);
    model(g->dev);
    pb_glue_lock(g, false);
    pb_glue_behind(g);
}

void pb_glue_expired(void *opaque)
{
    PbGlue *g = opaque;

    if (g->ops->expired) {
        g->ops->expired(g->dev);
    }
    if (g->ops->timer) {
        pb_glue_call(g, g->ops->timer);
    }
}

static void glue_ends(Notifier *notifier, void *unused)
{
    PbGlue *g = container_of(notifier, PbGlue, at_end);

    g->ops->ends(g->dev);
}

void pb_glue_hear(PbGlue *g)
{
    if (g->ops->run_state) {
        g->machine = qemu_add_vm_change_state_handler(g->ops->run_state, g->dev);
    }
    if (g->ops->ends) {
        g->at_end.notify = glue_ends;
        qemu_register_shutdown_notifier(&g->at_end);
    }
}

void pb_glue_last(PbGlue *g)
{
    if (g->ops) {
        pb_glue_catch_up(g);
        pb_glue_lock(g, true);
        g->left = true;
        pb_glue_lock(g, false);
    }
}
