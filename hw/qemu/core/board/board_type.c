/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/faults/scenario.h"
#include "hw/qemu/core/inspect/inspect.h"
#include "hw/qemu/core/memory/map_update.h"
#include "hw/qemu/series/insides.h"

/* --- which of QEMU's objects is a board of ours -------------------------------------- */

typedef struct BoardClass {
    ObjectClass *klass;
    const PbBoardType *type;
} BoardClass;

static GArray *classes; /* BoardClass */

static void add_class(ObjectClass *klass, const PbBoardType *b)
{
    const BoardClass c = { klass, b };

    if (!classes) {
        classes = g_array_new(false, false, sizeof(BoardClass));
    }
    g_array_append_val(classes, c);
}

const PbBoardType *pb_board_type(Object *obj)
{
    ObjectClass *klass = object_get_class(obj);

    for (guint i = 0; classes && i < classes->len; i++) {
        const BoardClass *c = &g_array_index(classes, BoardClass, i);
        if (c->klass == klass) {
            return c->type;
        }
    }
    return NULL;
}

PbGlue *pb_board_glue(Object *board)
{
    return (PbGlue *)((char *)board + pb_board_type(board)->glue);
}

/* --- the type ------------------------------------------------------------------------ */

static void reset_hold(Object *obj, ResetType type)
{
    PbGlue *g = pb_board_glue(obj);
    const PbBoardType *b = pb_board_type(obj);

    pb_glue_reset(g);
    pb_glue_call(g, type == RESET_TYPE_WAKEUP && b->power_lost ? b->power_lost : b->reset);
}

static void finalize(Object *obj)
{
    const PbBoardType *b = pb_board_type(obj);

    if (b->free) {
        b->free(obj);
    }
    pb_glue_free(pb_board_glue(obj));
}

/* --- boards on PCI come and go ------------------------------------------------------- */

/* TYPE_PCI_DEVICE's, which is the parent of each of our PCI boards. */
static DeviceRealize pci_realize;
static DeviceUnrealize pci_unrealize;

/* In a transaction of the memory's map, which it ends. */
static void leave_bus(DeviceState *dev)
{
    PbGlue *g = pb_board_glue(OBJECT(dev));

    if (PCI_DEVICE_GET_CLASS(dev)->exit) {
        PCI_DEVICE_GET_CLASS(dev)->exit(PCI_DEVICE(dev));
    }
    pb_master_abort_forget(OBJECT(dev));
    pb_scenario_leave(g);
    pb_glue_leave(g);
    pb_map_update_last(OBJECT(dev), g->ops ? g->ops->gone : NULL);
}

static void plug(DeviceState *dev, Error **errp)
{
    Error *why = NULL;

    pci_realize(dev, &why);
    if (why) {
        memory_region_transaction_begin();
        pb_glue_last(pb_board_glue(OBJECT(dev)));
        leave_bus(dev);
        error_propagate(errp, why);
        return;
    }
    if (dev->hotplugged) { /* those that a machine begins with are told when it is complete */
        pb_inject_plugged(pb_board_glue(OBJECT(dev)));
        pb_scenario_plugged(pb_board_glue(OBJECT(dev)));
    }
}

static void unplug(DeviceState *dev)
{
    memory_region_transaction_begin();
    pb_glue_last(pb_board_glue(OBJECT(dev)));
    pci_unrealize(dev);
    leave_bus(dev);
}

static void come_and_go(ObjectClass *klass)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    pci_realize = dc->realize;
    pci_unrealize = dc->unrealize;
    dc->realize = plug;
    dc->unrealize = unplug;
}

/* --- the class ----------------------------------------------------------------------- */

static void pci_class_init(ObjectClass *klass, const PbBoardType *b)
{
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);

    pc->realize = b->pci.realize;
    pc->exit = b->pci.exit;
    pc->config_write = b->pci.config_write ?: pb_pci_write_config;
    pc->vendor_id = b->pci.vendor;
    pc->device_id = b->pci.device;
    pc->class_id = b->pci.class;
    come_and_go(klass);
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

static void class_init(ObjectClass *klass, PbClassData *data)
{
    const PbBoardType *b = data;
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->desc = b->desc;
    dc->vmsd = pb_vmstate(pb_snapshot_description(b));
    set_bit(b->category, dc->categories);
    add_properties(klass, b);
    if (b->reset) {
        RESETTABLE_CLASS(klass)->phases.hold = reset_hold;
    }
    add_class(klass, b);
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
    PbGlue *g = pb_board_glue(dev);
    const PbBoardType *b = pb_board_type(dev);

    pb_glue_init(g, dev, &b->ops);
    pb_windows_make(g);
    if (!b->parent && b->ops.set_irq) {
        pci_config_set_interrupt_pin(PCI_DEVICE(dev)->config, 1);
    }
}

bool pb_board_tap(void *dev, const PbTapOps *ops, Error **errp)
{
    PbGlue *g = pb_board_glue(dev);

    g->tap = pb_tap_new(ops, dev);
    if (!g->tap) {
        error_setg(errp, "%s: the machine has %d boards that observe its memory already", object_get_typename(dev), PB_MOST_TAPS);
    }
    return g->tap;
}

bool pb_board_open(void *dev, void *model, Error **errp)
{
    const PbBoardType *b = pb_board_type(dev);

    if (!pb_glue_inspect(pb_board_glue(dev), b->view ? b->view() : NULL, model, errp)) {
        return false;
    }
    pb_glue_hear(pb_board_glue(dev));
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
