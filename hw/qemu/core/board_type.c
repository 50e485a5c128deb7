/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "hw/resettable.h"

#include "hw/qemu/core/board_type.h"
#include "hw/qemu/core/pci.h"
#include "hw/qemu/core/plug.h"

static void reset_hold(Object *obj, ResetType type)
{
    pb_glue_reset(pb_inject_glue(obj));
    pb_inject_type(obj)->reset(obj, type);
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

static void class_init(ObjectClass *klass, void *data)
{
    const PbBoardType *b = data;
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->desc = b->desc;
    dc->vmsd = b->vmsd;
    set_bit(b->category, dc->categories);
    device_class_set_props_n(dc, b->properties, b->properties_count);
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
    for (unsigned i = 0; b->texts && b->texts[i][0]; i++) {
        object_class_property_set_description(klass, b->texts[i][0], b->texts[i][1]);
    }
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
