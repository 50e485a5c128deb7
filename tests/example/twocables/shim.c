/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An adapter of which a machine can have several, and a monitor that listens to one: for tests of the cable.
 *
 *   -device test-adapter,id=a -device test-adapter,id=b -device test-monitor,id=m,listens=b
 *   qom-set b send 7        all monitors that listen to b have heard 7
 *   qom-get m heard         what it has heard, added up
 */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/links/links.h"

typedef struct TestAdapter {
    DeviceState parent_obj;
    unsigned caught_up;
} TestAdapter;

typedef struct TestMonitor {
    DeviceState parent_obj;
    PbCable cable;
    uint64_t heard;
} TestMonitor;

static void catch_up(Object *adapter)
{
    ((TestAdapter *)adapter)->caught_up++;
}

static void send_packet(Object *adapter, Visitor *v, const char *name, void *opaque, Error **errp)
{
    uint64_t packet;
    if (visit_type_uint64(v, name, &packet, errp)) {
        pb_cable_packet(adapter, 0, &packet);
    }
}

static void adapter_class_init(ObjectClass *klass, PbClassData *data)
{
    PB_CABLE_ADAPTER_CLASS(klass)->catch_up = catch_up;
    DEVICE_CLASS(klass)->desc = "a test";
    object_class_property_add(klass, "send", "uint64", NULL, send_packet, NULL, NULL);
}

static void heard(Object *monitor, Visitor *v, const char *name, void *opaque, Error **errp)
{
    TestMonitor *m = (TestMonitor *)monitor;
    pb_cable_catch_up(&m->cable);
    visit_type_uint64(v, name, &m->heard, errp);
}

static void packet(Object *monitor, const void *value)
{
    ((TestMonitor *)monitor)->heard += *(const uint64_t *)value;
}

static void monitor_realize(DeviceState *dev, Error **errp)
{
    pb_cable_join(&((TestMonitor *)dev)->cable, OBJECT(dev), "test-adapter", errp);
}

static const Property monitor_properties[] = {
    DEFINE_PB_CABLE("listens", TestMonitor, cable, "test-adapter"),
};

static void monitor_class_init(ObjectClass *klass, PbClassData *data)
{
    PB_CABLE_MONITOR_CLASS(klass)->packet = packet;
    DEVICE_CLASS(klass)->realize = monitor_realize;
    device_class_set_props(DEVICE_CLASS(klass), monitor_properties);
    object_class_property_add(klass, "heard", "uint64", heard, NULL, NULL, NULL);
}

static const TypeInfo types[] = {
    { .name = "test-adapter", .parent = TYPE_DEVICE, .instance_size = sizeof(TestAdapter), .class_init = adapter_class_init,
      .interfaces = (InterfaceInfo[]) { { TYPE_PB_CABLE_ADAPTER }, { } } },
    { .name = "test-monitor", .parent = TYPE_DEVICE, .instance_size = sizeof(TestMonitor), .class_init = monitor_class_init,
      .interfaces = (InterfaceInfo[]) { { TYPE_PB_CABLE_MONITOR }, { } } },
};

void perfboard_register_twocables(void)
{
    type_register_static_array(types, ARRAY_SIZE(types));
}
