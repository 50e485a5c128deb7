/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/notify.h"
#include "qapi/error.h"
#include "chardev/char-fe.h"
#include "hw/qdev-core.h"
#include "qom/object.h"
#include "system/replay.h"
#include "system/system.h"

#include "hw/qemu/core/record.h"

static GHashTable *closed; /* ObjectProperty: its set() */

/* A new board's properties get their defaults, before QEMU finds that it cannot be plugged in. */
static void refuse(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp)
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
static bool is_board(ObjectClass *class)
{
    return object_class_property_find(class, "break");
}

static void stays(ObjectClass *class, void *unused)
{
    if (is_board(class)) {
        DEVICE_CLASS(class)->hotpluggable = false;
    }
}

/* Only its own class's properties: those of all devices are QEMU's. */
static int close_board(Object *obj, void *unused)
{
    ObjectPropertyIterator all;
    ObjectClass *class = object_get_class(obj);
    ObjectProperty *p;

    if (!object_dynamic_cast(obj, TYPE_DEVICE) || !is_board(object_get_class(obj))) {
        return 0;
    }
    object_class_property_iter_init(&all, class);
    while ((p = object_property_iter_next(&all))) {
        bool own = !object_class_property_find(object_class_get_parent(class), p->name);
        if (own && p->set && p->set != refuse && !only_looks(p->name) && !g_str_has_prefix(p->name, "inject-")) {
            g_hash_table_insert(closed, p, p->set);
            p->set = refuse;
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

bool pb_record_reads(const char *board, const char *property, CharBackend *chr, const char *instead, Error **errp)
{
    if (replay_mode == REPLAY_MODE_NONE || !chr->chr || object_dynamic_cast(OBJECT(chr->chr), "chardev-null")) {
        return true;
    }
    error_setg(errp, "%s: %s=%s: in a recording legal is null, since it does not hold what comes from outside; use %s", board, property,
               chr->chr->label, instead);
    return false;
}

/* A chardev that takes all at once: how often the board has to try is then the same in the replay. */
bool pb_record_takes(const char *board, CharBackend *chr, Error **errp)
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
