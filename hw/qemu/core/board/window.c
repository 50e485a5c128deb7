/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/board/host_glue.h"
#include "hw/qemu/core/board/window.h"
#include "hw/qemu/core/time/stall.h"

/* --- regions --------------------------------------------------------------------- */

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
            pb_spin_lock(&g->spin);
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
