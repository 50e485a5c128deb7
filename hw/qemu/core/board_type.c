/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "hw/resettable.h"
#include "qapi/error.h"

#include "hw/qemu/core/board_type.h"
#include "hw/qemu/core/inspect.h"
#include "hw/qemu/core/pci.h"
#include "hw/qemu/core/plug.h"
#include "hw/qemu/core/snapshot.h"

static void reset_hold(Object *obj, ResetType type)
{
    PbGlue *g = pb_inject_glue(obj);
    const PbBoardType *b = pb_inject_type(obj);

    pb_glue_reset(g);
    pb_glue_call(g, type == RESET_TYPE_WAKEUP && b->power_lost ? b->power_lost : b->reset);
}

static void finalize(Object *obj)
{
    const PbBoardType *b = pb_inject_type(obj);

    if (b->free) {
        b->free(obj);
    }
    pb_glue_free(pb_inject_glue(obj));
}

static void pci_class_init(ObjectClass *klass, const PbBoardType *b)
{
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);

    pc->realize = b->pci.realize;
    pc->exit = b->pci.exit;
    pc->config_write = b->pci.config_write ?: pb_pci_write_config;
    pc->vendor_id = b->pci.vendor;
    pc->device_id = b->pci.device;
    pc->class_id = b->pci.class;
    pb_plug_class_init(klass);
}

/* QEMU keeps the array. */
static void add_properties(ObjectClass *klass, const PbBoardType *b)
{
    GArray *all = g_array_new(false, false, sizeof(Property));
    guint n;

    for (const PbProperty *p = b->properties; p && p->property.name; p++) {
        g_array_append_val(all, p->property);
    }
    pb_inspect_properties(all, b->glue);
    n = all->len;
    device_class_set_props_n(DEVICE_CLASS(klass), (Property *)g_array_free(all, false), n);
    for (const PbProperty *p = b->properties; p && p->property.name; p++) {
        object_class_property_set_description(klass, p->property.name, p->text);
    }
}

static void class_init(ObjectClass *klass, void *data)
{
    const PbBoardType *b = data;
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->desc = b->desc;
    dc->vmsd = pb_snapshot_description(b);
    set_bit(b->category, dc->categories);
    add_properties(klass, b);
    if (b->reset) {
        RESETTABLE_CLASS(klass)->phases.hold = reset_hold;
    }
    pb_inject_class_init(klass, b);
    if (!b->parent) {
        pci_class_init(klass, b);
    }
    if (b->more) {
        b->more(klass);
    }
}

void pb_board_add(ObjectClass *klass, const char *name, const char *type, ObjectPropertyAccessor *get, ObjectPropertyAccessor *set, const char *text)
{
    object_class_property_add(klass, name, type, get, set, NULL, NULL);
    object_class_property_set_description(klass, name, text);
}

void pb_board_add_bool(ObjectClass *klass, const char *name, bool (*get)(Object *, Error **), void (*set)(Object *, bool, Error **), const char *text)
{
    object_class_property_add_bool(klass, name, get, set);
    object_class_property_set_description(klass, name, text);
}

void pb_board_begin(void *dev)
{
    PbGlue *g = pb_inject_glue(dev);
    const PbBoardType *b = pb_inject_type(dev);

    pb_glue_init(g, dev, &b->ops);
    pb_windows_make(g);
    if (!b->parent && b->ops.set_irq) {
        pci_config_set_interrupt_pin(PCI_DEVICE(dev)->config, 1);
    }
}

bool pb_board_tap(void *dev, const PbTapOps *ops, Error **errp)
{
    PbGlue *g = pb_inject_glue(dev);

    g->tap = pb_tap_new(ops, dev);
    if (!g->tap) {
        error_setg(errp, "%s: the machine has %d boards that observe its memory already", object_get_typename(dev), PB_MOST_TAPS);
    }
    return g->tap;
}

bool pb_board_open(void *dev, void *model, Error **errp)
{
    const PbBoardType *b = pb_inject_type(dev);

    if (!pb_glue_inspect(pb_inject_glue(dev), b->view ? b->view() : NULL, model, errp)) {
        return false;
    }
    pb_glue_hear(pb_inject_glue(dev));
    return true;
}

void pb_board_register(const PbBoardType *b)
{
    InterfaceInfo interfaces[3] = { 0 };
    unsigned n = 0;

    if (!b->parent) {
        interfaces[n++].type = INTERFACE_CONVENTIONAL_PCI_DEVICE;
    }
    if (b->interface) {
        interfaces[n++].type = b->interface;
    }
    type_register_static(&(const TypeInfo){
        .name = b->name, .parent = b->parent ?: TYPE_PCI_DEVICE, .instance_size = b->size, .instance_init = b->init,
        .instance_finalize = b->parent ? NULL : finalize, .class_init = class_init, .class_data = (void *)b, .interfaces = interfaces,
    });
}
