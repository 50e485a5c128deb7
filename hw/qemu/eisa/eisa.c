/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The EISA bus: slot I/O, and interrupt lines. The boards' lines are OR-ed into those of the machine, whose ELCR makes
 * them level-triggered. */
#include "hw/qemu/series/qemu.h"

#include "hw/eisa/eisa_id.h"
#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/eisa/eisa.h"
#include "hw/qemu/series/insides.h"

static const struct { uint16_t base, bytes; } eisa_ranges[4] = {
    { 0x000, 0x100 }, { 0x400, 0x100 }, { 0x800, 0x100 }, { 0xc00, 0x100 },
};

/* --- interrupt lines ------------------------------------------------------ */

static void eisa_line_update(EisaLine *l)
{
    EisaBus *bus = l->bus;
    l->handler(l->opaque, l->n, bus->machine[l->number] || bus->slots[l->number]);
}

static void eisa_line_from_machine(void *opaque, int n, int level)
{
    EisaLine *l = opaque;
    l->bus->machine[l->number] = level != 0;
    eisa_line_update(l);
}

void eisa_bus_attach(EisaBus *bus, PCIDevice *bridge, ISABus *isa)
{
    bus->bridge = bridge;
    for (int i = 0; i < EISA_LINES; i++) {
        IRQState *input = isa_bus_get_irq(isa, i);
        EisaLine *l = &bus->line[i];
        if (!input) {
            continue;
        }
        pb_inside_needed("irq", input->handler && input->n == i);
        *l = (EisaLine){ input->handler, input->opaque, input->n, bus, i };
        input->handler = eisa_line_from_machine;
        input->opaque = l;
    }
}

void eisa_set_irq(EisaDevice *dev, int irq, bool level)
{
    EisaBus *bus = eisa_bus(dev);
    dev->drives = level && irq >= 0 ? 1u << irq : 0;
    for (int i = 0; i < EISA_LINES; i++) {
        uint16_t was = bus->slots[i];
        uint16_t bit = 1u << dev->slot;
        bus->slots[i] = dev->drives >> i & 1 ? was | bit : was & ~bit;
        if (!!was != !!bus->slots[i] && bus->line[i].handler) {
            eisa_line_update(&bus->line[i]);
        }
    }
}

uint16_t eisa_boards(EisaBus *bus)
{
    uint16_t slots = 0;
    BusChild *kid;
    QTAILQ_FOREACH(kid, &BUS(bus)->children, sibling) {
        slots |= 1u << EISA_DEVICE(kid->child)->slot;
    }
    return slots;
}

void eisa_agree(EisaBus *bus)
{
    for (int i = 0; i < EISA_LINES; i++) {
        uint16_t driving = 0;
        BusChild *kid;
        QTAILQ_FOREACH(kid, &BUS(bus)->children, sibling) {
            EisaDevice *dev = EISA_DEVICE(kid->child);
            driving |= (dev->drives >> i & 1) << dev->slot;
        }
        if (bus->slots[i] != driving && bus->line[i].handler) {
            bus->slots[i] = driving;
            eisa_line_update(&bus->line[i]);
        }
    }
}

void eisa_release_lines(EisaBus *bus)
{
    for (int i = 0; i < EISA_LINES; i++) {
        bus->slots[i] = bus->machine[i] = 0;
        if (bus->line[i].handler) {
            eisa_line_update(&bus->line[i]);
        }
    }
}

/* --- slot I/O ------------------------------------------------------------- */

EisaBus *eisa_bus(EisaDevice *dev)
{
    return EISA_BUS(qdev_get_parent_bus(DEVICE(dev)));
}

MemoryRegion *eisa_memory(EisaDevice *dev)
{
    return pci_address_space(eisa_bus(dev)->bridge);
}

void eisa_place(EisaDevice *dev, MemoryRegion *window, bool on, hwaddr base)
{
    if (window->container) {
        memory_region_del_subregion(eisa_memory(dev), window);
    }
    if (on) {
        memory_region_add_subregion(eisa_memory(dev), base, window);
    }
}

static void eisa_device_realize(DeviceState *qdev, Error **errp)
{
    EisaDevice *dev = EISA_DEVICE(qdev);
    EisaBus *bus = eisa_bus(dev);
    BusChild *kid;

    if (dev->slot < 1 || dev->slot > EISA_LAST_SLOT) {
        error_setg(errp, "slot=%u: legal slots are 1..%u (0 is the system board; the I/O addresses of "
                   "12..15 belong to the machine's PCI devices)", dev->slot, EISA_LAST_SLOT);
        return;
    }
    QTAILQ_FOREACH(kid, &BUS(bus)->children, sibling) {
        EisaDevice *other = EISA_DEVICE(kid->child);
        if (other != dev && other->slot == dev->slot && DEVICE(other)->realized) {
            error_setg(errp, "slot=%u: occupied by %s; legal are 1..%u, one board each",
                       dev->slot, object_get_typename(OBJECT(other)), EISA_LAST_SLOT);
            return;
        }
    }
    EISA_DEVICE_GET_CLASS(dev)->board_realize(dev, errp);
    if (*errp) {
        return;
    }
    for (int i = 0; i < 4; i++) {
        pb_window_part(&dev->io[i], pb_board_glue(OBJECT(dev)), 0, eisa_ranges[i].base, eisa_ranges[i].bytes);
        memory_region_add_subregion(pci_address_space_io(bus->bridge),
                                    dev->slot * 0x1000 + eisa_ranges[i].base, &dev->io[i].mr);
    }
}

static const Property eisa_device_properties[] = {
    DEFINE_PROP_UNSIGNED_NODEFAULT("slot", EisaDevice, slot, qdev_prop_uint32, uint32_t),
};

static void eisa_device_class_init(ObjectClass *klass, PbClassData *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    dc->bus_type = TYPE_EISA_BUS;
    dc->realize = eisa_device_realize;
    dc->hotpluggable = false;
    device_class_set_props(dc, eisa_device_properties);
    object_class_property_set_description(klass, "slot", "EISA slot of the board, 1..11; must be given");
}

/* A board is named by its slot, so that two boards of one kind have snapshots and RAM blocks of different names. */
static char *eisa_bus_dev_path(DeviceState *dev)
{
    return g_strdup_printf("eisa-slot-%u", EISA_DEVICE(dev)->slot);
}

static void eisa_bus_class_init(ObjectClass *klass, PbClassData *data)
{
    BUS_CLASS(klass)->get_dev_path = eisa_bus_dev_path;
}

static const TypeInfo eisa_types[] = {
    { .name = TYPE_EISA_BUS, .parent = TYPE_BUS, .instance_size = sizeof(EisaBus),
      .class_init = eisa_bus_class_init },
    { .name = TYPE_EISA_DEVICE, .parent = TYPE_DEVICE, .instance_size = sizeof(EisaDevice),
      .class_size = sizeof(EisaDeviceClass), .class_init = eisa_device_class_init, .abstract = true },
};

void perfboard_register_eisa(void)
{
    type_register_static_array(eisa_types, ARRAY_SIZE(eisa_types));
    perfboard_register_i82375();
}
