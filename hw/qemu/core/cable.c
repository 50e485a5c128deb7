/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/notify.h"
#include "system/system.h"

#include "hw/qemu/core/boards.h"
#include "hw/qemu/core/cable.h"

static GPtrArray *cables; /* every PbCable of the machine, for as long as it lives; the last one first */

static void plug_in(PbCable *c, Object *adapter)
{
    c->adapter_class = PB_CABLE_ADAPTER_GET_CLASS(adapter);
    c->adapter = adapter;
}

static void find_adapter(PbCable *c)
{
    bool ambiguous = false;
    Object *only = object_resolve_path_type("", c->adapter_type, &ambiguous);

    if (ambiguous) {
        error_report("%s: this machine has several %s: say with listens=ID which one it is to hear",
                     object_get_typename(c->monitor), c->adapter_type);
        exit(1);
    }
    if (only) {
        plug_in(c, object_ref(only)); /* the property lets go of it */
    }
}

/* At the machine's start all adapters are known. */
static void find_adapters(Notifier *notifier, void *unused)
{
    for (guint i = 0; i < cables->len; i++) {
        PbCable *c = g_ptr_array_index(cables, i);
        if (!c->adapter) {
            find_adapter(c);
        }
    }
}

void pb_cable_join(PbCable *c, Object *monitor, const char *adapter_type)
{
    static Notifier at_start = { .notify = find_adapters };

    c->monitor = monitor;
    c->adapter_type = adapter_type;
    c->monitor_class = PB_CABLE_MONITOR_GET_CLASS(monitor);
    if (c->adapter) {
        plug_in(c, c->adapter);
    }
    if (!cables) {
        cables = g_ptr_array_new();
        qemu_add_machine_init_done_notifier(&at_start);
    }
    g_ptr_array_insert(cables, 0, c);
}

void pb_cable_catch_up(const PbCable *c)
{
    if (c->adapter_class && c->adapter_class->catch_up) {
        c->adapter_class->catch_up(c->adapter);
    }
}

void pb_cable_arrive(const PbCable *c)
{
    if (c->adapter_class && c->adapter_class->arrive) {
        c->adapter_class->arrive(c->adapter);
    }
}

void pb_cable_packet(Object *adapter, const void *packet)
{
    for (guint i = 0; cables && i < cables->len; i++) {
        const PbCable *c = g_ptr_array_index(cables, i);
        if (c->adapter == adapter) {
            c->monitor_class->packet(c->monitor, packet);
        }
    }
}

void pb_cable_lane_packet(Object *adapter, uint32_t lane, const void *packet)
{
    for (guint i = 0; cables && i < cables->len; i++) {
        const PbCable *c = g_ptr_array_index(cables, i);
        if (c->adapter == adapter && (!c->lane || c->lane - 1 == lane)) {
            c->monitor_class->packet(c->monitor, packet);
        }
    }
}

bool pb_cable_wants_payload(Object *adapter)
{
    for (guint i = 0; cables && i < cables->len; i++) {
        const PbCable *c = g_ptr_array_index(cables, i);
        if (c->adapter == adapter && c->payload) {
            return true;
        }
    }
    return false;
}

void pb_cable_reset(Object *adapter)
{
    for (guint i = 0; cables && i < cables->len; i++) {
        const PbCable *c = g_ptr_array_index(cables, i);
        if (c->adapter == adapter) {
            c->monitor_class->reset(c->monitor);
        }
    }
}

static const TypeInfo types[] = {
    { .name = TYPE_PB_CABLE_ADAPTER, .parent = TYPE_INTERFACE, .class_size = sizeof(PbCableAdapterClass) },
    { .name = TYPE_PB_CABLE_MONITOR, .parent = TYPE_INTERFACE, .class_size = sizeof(PbCableMonitorClass) },
};

void perfboard_register_core(void)
{
    type_register_static_array(types, ARRAY_SIZE(types));
}
