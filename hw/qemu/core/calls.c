/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "system/system.h"

#include "hw/qemu/core/host_glue.h"

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
