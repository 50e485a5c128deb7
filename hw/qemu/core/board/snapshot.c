/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/memory/map_update.h"
#include "hw/qemu/core/vcpu/vcpu.h"

static int get_equal(QEMUFile *f, void *member, size_t size, const VMStateField *field)
{
    uint32_t here = *(uint32_t *)member, saved = qemu_get_be32(f);

    if (saved != here) {
        error_report("%s differs: %" PRIu32 " in the snapshot, %" PRIu32 " here", field->name, saved, here);
        return -EINVAL;
    }
    return 0;
}

static int put_equal(QEMUFile *f, void *member, size_t size, const VMStateField *field, JSONWriter *description)
{
    qemu_put_be32(f, *(uint32_t *)member);
    return 0;
}

const VMStateInfo pb_vmstate_equal = { .name = "the same", .get = get_equal, .put = put_equal };

static const PbSnapshot *snapshot_of(void *dev)
{
    return pb_board_type(dev)->snapshot;
}

static void replaced(void *dev)
{
    PbGlue *g = pb_board_glue(dev);

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
    pb_board_glue(dev)->image = (char *)dev + s->at;
    return 0;
}

static int pre_load(void *dev)
{
    PbGlue *g = pb_board_glue(dev);

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
    PbGlue *g = pb_board_glue(dev);
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

/* --- recordings ------------------------------------------------------------------ */

static GHashTable *closed; /* ObjectProperty: its set() */

/* A new board's properties get their defaults, before QEMU finds that it cannot be plugged in. */
static void refuse_set(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp)
{
    ObjectPropertyAccessor *set = g_hash_table_lookup(closed, object_class_property_find(object_get_class(obj), name));

    if (!DEVICE(obj)->realized) {
        set(obj, v, name, opaque, errp);
        return;
    }
    error_setg(errp, "%s: %s: %s", object_get_typename(obj), name,
               replay_mode == REPLAY_MODE_RECORD ? "a recording does not hold what is set from outside; set it on the command line"
                                                 : "a replay takes what was recorded, and nothing from outside");
}

static bool only_looks(const char *name)
{
    static const char *const names[] = { "break", "recent", "log-filter" };

    for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
        if (!strcmp(name, names[i])) {
            return true;
        }
    }
    return false;
}

/* A board is a device that can be looked at. */
static bool is_looked_at(ObjectClass *class)
{
    return object_class_property_find(class, "break");
}

static void stays(ObjectClass *class, void *unused)
{
    if (is_looked_at(class)) {
        DEVICE_CLASS(class)->hotpluggable = false;
    }
}

/* Only its own class's properties: those of all devices are QEMU's. */
static int close_board(Object *obj, void *unused)
{
    ObjectPropertyIterator all;
    ObjectClass *class = object_get_class(obj);
    ObjectProperty *p;

    if (!object_dynamic_cast(obj, TYPE_DEVICE) || !is_looked_at(object_get_class(obj))) {
        return 0;
    }
    object_class_property_iter_init(&all, class);
    while ((p = object_property_iter_next(&all))) {
        bool own = !object_class_property_find(object_class_get_parent(class), p->name);
        if (own && p->set && p->set != refuse_set && !only_looks(p->name) && !g_str_has_prefix(p->name, "inject-")) {
            g_hash_table_insert(closed, p, p->set);
            p->set = refuse_set;
        }
    }
    return 0;
}

static void machine_complete(Notifier *notifier, void *unused)
{
    if (replay_mode != REPLAY_MODE_NONE) {
        closed = g_hash_table_new(NULL, NULL);
        object_child_foreach_recursive(object_get_root(), close_board, NULL);
        object_class_foreach(stays, TYPE_DEVICE, false, NULL);
    }
}

void pb_record_start(void)
{
    static Notifier at_start = { .notify = machine_complete };

    qemu_add_machine_init_done_notifier(&at_start);
}

bool pb_record_reads(const char *board, const char *property, CharFrontend *chr, const char *instead, Error **errp)
{
    if (replay_mode == REPLAY_MODE_NONE || !chr->chr || object_dynamic_cast(OBJECT(chr->chr), "chardev-null")) {
        return true;
    }
    error_setg(errp, "%s: %s=%s: in a recording legal is null, since it does not hold what comes from outside; use %s", board, property,
               chr->chr->label, instead);
    return false;
}

/* A chardev that takes all at once: how often the board has to try is then the same in the replay. */
bool pb_record_takes(const char *board, CharFrontend *chr, Error **errp)
{
    Object *c = OBJECT(chr->chr);

    if (replay_mode == REPLAY_MODE_NONE || !c || object_dynamic_cast(c, "chardev-file") || object_dynamic_cast(c, "chardev-null") ||
        object_dynamic_cast(c, "chardev-ringbuf")) {
        return true;
    }
    error_setg(errp, "%s: chardev=%s: in a recording legal is a file, null or ringbuf: the machine waits for the reader of another, which no "
               "recording holds", board, chr->chr->label);
    return false;
}
