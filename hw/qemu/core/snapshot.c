/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/error-report.h"

#include "hw/qemu/core/board_type.h"
#include "hw/qemu/core/machine.h"
#include "hw/qemu/core/pci.h"
#include "hw/qemu/core/snapshot.h"

static const PbSnapshot *snapshot_of(void *dev)
{
    return pb_inject_type(dev)->snapshot;
}

static void replaced(void *dev)
{
    PbGlue *g = pb_inject_glue(dev);

    if (snapshot_of(dev)->replaced) {
        snapshot_of(dev)->replaced(dev);
    } else {
        pb_glue_behind(g);
    }
    if (g->tap) {
        pb_retranslate();
    }
}

static int pre_save(void *dev)
{
    const PbSnapshot *s = snapshot_of(dev);

    if (s->save) {
        s->save(dev);
    }
    pb_inject_glue(dev)->image = (char *)dev + s->at;
    return 0;
}

static int pre_load(void *dev)
{
    PbGlue *g = pb_inject_glue(dev);

    pb_glue_lock(g, true);
    snapshot_of(dev)->clean(dev);
    pb_glue_lock(g, false);
    replaced(dev);
    g_free(g->loaded);
    g->image = g->loaded = g_malloc0(snapshot_of(dev)->bytes);
    return 0;
}

/* The model is as powered on: so is the configuration space, which has been read already. */
static int refused(PbGlue *g, const char *why)
{
    g_autofree char *who = pb_glue_describe(g);

    if (object_dynamic_cast(g->dev, TYPE_PCI_DEVICE)) {
        pb_pci_reset_config(PCI_DEVICE(g->dev));
    }
    error_report("%sthe snapshot is damaged, and the board was reset instead: %s", who, why);
    return -EINVAL;
}

static int post_load(void *dev, int version)
{
    PbGlue *g = pb_inject_glue(dev);
    char why[PB_WHY_BYTES];
    bool ok;

    pb_glue_lock(g, true);
    ok = snapshot_of(dev)->load(dev, g->image, why, sizeof(why));
    pb_glue_lock(g, false);
    g_clear_pointer(&g->loaded, g_free);
    replaced(dev);
    return ok ? 0 : refused(g, why);
}

/* --- the description ------------------------------------------------------------ */

typedef struct OnPci {
    PCIDevice parent_obj;
} OnPci;

static void append(GArray *all, const VMStateField *fields)
{
    for (; fields && !(fields->flags & VMS_END); fields++) {
        g_array_append_vals(all, fields, 1);
    }
}

static const VMStateField *fields_of(const PbBoardType *b)
{
    const PbSnapshot *s = b->snapshot;
    static const VMStateField pci[] = { VMSTATE_PCI_DEVICE(parent_obj, OnPci), VMSTATE_END_OF_LIST() };
    static const VMStateField end = VMSTATE_END_OF_LIST();
    const VMStateField image[] = {
        { .name = "image", .vmsd = s->state, .size = sizeof(void *), .flags = VMS_STRUCT | VMS_POINTER,
          .offset = b->glue + offsetof(PbGlue, image) },
        VMSTATE_END_OF_LIST()
    };
    GArray *all = g_array_new(false, false, sizeof(VMStateField));

    append(all, b->parent ? NULL : pci);
    append(all, s->before);
    append(all, s->state ? image : NULL);
    append(all, s->behind);
    g_array_append_val(all, end);
    return (const VMStateField *)g_array_free(all, false);
}

const VMStateDescription *pb_snapshot_description(const PbBoardType *b)
{
    VMStateDescription *v = g_new0(VMStateDescription, 1);

    v->name = b->name;
    if (!b->snapshot) {
        v->unmigratable = true;
        return v;
    }
    v->version_id = v->minimum_version_id = b->snapshot->version;
    v->pre_save = pre_save;
    v->pre_load = pre_load;
    v->post_load = post_load;
    v->fields = fields_of(b);
    return v;
}
