/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/links/links.h"

/* Every PbCable of the machine; the last one first. Packets' threads read it in RCU sections; whoever has the big lock replaces it. */
typedef struct Cables {
    struct rcu_head rcu;
    unsigned n;
    PbCable *of[];
} Cables;

static const Cables nothing;
static const Cables *cables = &nothing;

static void replace(PbCable *comes, const PbCable *goes)
{
    const Cables *old = cables;
    Cables *fresh = g_malloc0(sizeof(*fresh) + (old->n + 1) * sizeof(fresh->of[0]));

    if (comes) {
        fresh->of[fresh->n++] = comes;
    }
    for (unsigned i = 0; i < old->n; i++) {
        if (old->of[i] != goes) {
            fresh->of[fresh->n++] = old->of[i];
        }
    }
    qatomic_rcu_set(&cables, fresh);
    if (old != &nothing) {
        g_free_rcu((Cables *)old, rcu);
    }
}

/* --- plugging in ------------------------------------------------------------------ */

static bool fits(const PbCable *c, Object *adapter, Error **errp)
{
    return !c->monitor_class->fits || c->monitor_class->fits(c->monitor, adapter, errp);
}

static void others_listen(Object *adapter)
{
    const PbCableAdapterClass *class = PB_CABLE_ADAPTER_GET_CLASS(adapter);

    if (class->listened) {
        class->listened(adapter);
    }
}

static void plugged(const PbCable *c)
{
    if (c->monitor_class->plugged) {
        c->monitor_class->plugged(c->monitor);
    }
}

static void plug_in(PbCable *c, Object *adapter)
{
    c->adapter_class = PB_CABLE_ADAPTER_GET_CLASS(adapter);
    qatomic_set(&c->adapter, adapter);
    others_listen(adapter);
    plugged(c);
}

static bool find_adapter(PbCable *c, Error **errp)
{
    bool ambiguous = false;
    Object *only = object_resolve_path_type("", c->adapter_type, &ambiguous);

    if (ambiguous) {
        error_setg(errp, "%s: this machine has several %s: say with listens=ID which one it is to hear",
                   object_get_typename(c->monitor), c->adapter_type);
        return false;
    }
    if (only) {
        c->adapter = object_ref(only); /* the property lets go of it */
    }
    return !only || fits(c, only, errp);
}

/* At the machine's start all adapters are known. */
static void find_adapters(Notifier *notifier, void *unused)
{
    Error *why = NULL;

    for (unsigned i = 0; i < cables->n; i++) {
        PbCable *c = cables->of[i];
        if (!c->adapter && !find_adapter(c, &why)) {
            error_report("%s", error_get_pretty(why));
            exit(1);
        }
        if (c->adapter && !c->adapter_class) {
            plug_in(c, c->adapter);
        }
    }
}

static void watch_start(void)
{
    static Notifier at_start = { .notify = find_adapters };

    if (!at_start.node.le_prev) {
        qemu_add_machine_init_done_notifier(&at_start);
    }
}

bool pb_cable_join(PbCable *c, Object *monitor, const char *adapter_type, Error **errp)
{
    c->monitor = monitor;
    c->adapter_type = adapter_type;
    c->monitor_class = PB_CABLE_MONITOR_GET_CLASS(monitor);
    c->named = c->adapter;
    if (c->named ? !fits(c, c->adapter, errp) : DEVICE(monitor)->hotplugged && !find_adapter(c, errp)) {
        return false;
    }
    watch_start();
    c->joined = true;
    replace(c, NULL);
    if (c->adapter) {
        plug_in(c, c->adapter);
    }
    return true;
}

void pb_cable_leave(PbCable *c)
{
    if (!c->joined) {
        return;
    }
    c->joined = false;
    replace(NULL, c);
    g_clear_pointer(&c->id, g_free);
    if (c->adapter_class) {
        c->adapter_class = NULL;
        others_listen(c->adapter);
    }
}

static bool is_for(const PbCable *c, Object *adapter)
{
    return !c->adapter && object_dynamic_cast(adapter, c->adapter_type) && (!c->named || !g_strcmp0(c->id, DEVICE(adapter)->id));
}

bool pb_cable_adapter_join(Object *adapter, Error **errp)
{
    if (!DEVICE(adapter)->hotplugged) {
        return true;
    }
    for (unsigned i = 0; i < cables->n; i++) {
        if (is_for(cables->of[i], adapter) && !fits(cables->of[i], adapter, errp)) {
            return false;
        }
    }
    for (unsigned i = 0; i < cables->n; i++) {
        if (is_for(cables->of[i], adapter)) {
            plug_in(cables->of[i], object_ref(adapter));
        }
    }
    return true;
}

void pb_cable_adapter_leave(Object *adapter)
{
    for (unsigned i = 0; i < cables->n; i++) {
        PbCable *c = cables->of[i];
        if (c->adapter == adapter) {
            g_free(c->id);
            c->id = g_strdup(DEVICE(adapter)->id);
            c->adapter_class = NULL;
            qatomic_set(&c->adapter, NULL);
            object_unref(adapter); /* the property's */
            plugged(c);
        }
    }
}

/* --- packets ----------------------------------------------------------------------- */

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

void pb_cable_packet(Object *adapter, uint32_t lane, const void *packet)
{
    const Cables *all;

    RCU_READ_LOCK_GUARD();
    all = qatomic_rcu_read(&cables);
    for (unsigned i = 0; i < all->n; i++) {
        const PbCable *c = all->of[i];
        if (qatomic_read(&c->adapter) == adapter && (!c->lane || c->lane - 1 == lane)) {
            c->monitor_class->packet(c->monitor, packet);
        }
    }
}

uint64_t pb_cable_lanes(Object *adapter, bool payload)
{
    uint64_t lanes = 0;

    for (unsigned i = 0; i < cables->n; i++) {
        const PbCable *c = cables->of[i];
        if (c->adapter == adapter && (c->payload || !payload)) {
            lanes |= c->lane ? UINT64_C(1) << (c->lane - 1) : UINT64_MAX;
        }
    }
    return lanes;
}

void pb_cable_reset(Object *adapter)
{
    for (unsigned i = 0; i < cables->n; i++) {
        const PbCable *c = cables->of[i];
        if (c->adapter == adapter && c->monitor_class->reset) {
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
