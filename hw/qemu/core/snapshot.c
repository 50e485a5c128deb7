/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/error-report.h"

#include "hw/qemu/core/pci.h"
#include "hw/qemu/core/snapshot.h"

static void replaced(PbGlue *g)
{
    if (g->ops->snapshot->replaced) {
        g->ops->snapshot->replaced(g->dev);
    }
}

int pb_snapshot_pre_save(void *dev)
{
    PbGlue *g = pb_inject_glue(dev);

    g->image = g->ops->snapshot->save(dev);
    return 0;
}

int pb_snapshot_pre_load(void *dev)
{
    PbGlue *g = pb_inject_glue(dev);

    pb_glue_lock(g, true);
    g->ops->snapshot->clean(dev);
    pb_glue_lock(g, false);
    replaced(g);
    g_free(g->loaded);
    g->image = g->loaded = g_malloc0(g->ops->snapshot->bytes);
    return 0;
}

int pb_snapshot_refused(PbGlue *g, const char *why)
{
    g_autofree char *who = g->ops->describe(g->dev);

    if (object_dynamic_cast(g->dev, TYPE_PCI_DEVICE)) {
        pb_pci_reset_config(PCI_DEVICE(g->dev)); /* which has been read already */
    }
    error_report("%sthe snapshot is damaged, and the board was reset instead: %s", who, why);
    return -EINVAL;
}

int pb_snapshot_post_load(void *dev, int version)
{
    PbGlue *g = pb_inject_glue(dev);
    char why[PB_WHY_BYTES];
    bool ok;

    pb_glue_lock(g, true);
    ok = g->ops->snapshot->load(dev, g->image, why, sizeof(why));
    pb_glue_lock(g, false);
    g_clear_pointer(&g->loaded, g_free);
    replaced(g);
    return ok ? 0 : pb_snapshot_refused(g, why);
}
