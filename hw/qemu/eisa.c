/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * i82375: Intel's PCI-EISA bridge (8086:0482) and the EISA bus behind it.
 *
 * What the bridge does here: decode slot I/O, answer the system board's ID in slot 0,
 * OR the boards' interrupt lines into the machine's (whose ELCR makes them level-triggered).
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "hw/irq.h"
#include "hw/isa/isa.h"
#include "hw/pci/pci_device.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"

#include "hw/eisa/eisa_id.h"
#include "hw/qemu/eisa.h"
#include "hw/qemu/types.h"

#define TYPE_I82375 "i82375"
OBJECT_DECLARE_SIMPLE_TYPE(I82375State, I82375)

#define EISA_LINES 16

/* An interrupt input of the machine that PCI and ISA devices drive as well: what they ask for
 * and what EISA boards ask for are OR-ed here, so neither can take down the other's request. */
typedef struct EisaLine {
    qemu_irq_handler handler; /* the input's own, as it was */
    void *opaque;
    int n;
    EisaBus *bus;
    uint8_t number;
} EisaLine;

struct EisaBus {
    BusState parent_obj;
    PCIDevice *bridge;
    EisaLine line[EISA_LINES];
    uint16_t slots[EISA_LINES]; /* per line: bit n set while slot n drives it */
    uint8_t machine[EISA_LINES]; /* level that the rest of the machine drives */
};

struct I82375State {
    PCIDevice parent_obj;
    EisaBus bus;
    MemoryRegion system_board;
};

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

static void eisa_lines_attach(EisaBus *bus, ISABus *isa)
{
    for (int i = 0; i < EISA_LINES; i++) {
        IRQState *input = isa_bus_get_irq(isa, i);
        EisaLine *l = &bus->line[i];
        if (!input) {
            continue;
        }
        *l = (EisaLine){ input->handler, input->opaque, input->n, bus, i };
        input->handler = eisa_line_from_machine;
        input->opaque = l;
    }
}

void eisa_set_irq(EisaDevice *dev, int irq, bool level)
{
    EisaBus *bus = eisa_bus(dev);
    for (int i = 0; i < EISA_LINES; i++) {
        uint16_t was = bus->slots[i];
        uint16_t bit = 1u << dev->slot;
        bus->slots[i] = (i == irq && level) ? was | bit : was & ~bit;
        if (!!was != !!bus->slots[i] && bus->line[i].handler) {
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

char *eisa_describe(EisaDevice *dev)
{
    return g_strdup_printf("EISA slot %u: %s: ", dev->slot, object_get_typename(OBJECT(dev)));
}

static uint64_t eisa_slot_read(EisaDevice *dev, hwaddr base, hwaddr addr, unsigned size)
{
    return EISA_DEVICE_GET_CLASS(dev)->slot_read(dev, base + addr, size);
}

#define SLOT_RANGE(i)                                                                           \
    static uint64_t slot_read_##i(void *opaque, hwaddr addr, unsigned size)                     \
    {                                                                                           \
        return eisa_slot_read(opaque, eisa_ranges[i].base, addr, size);                         \
    }                                                                                           \
    static void slot_write_##i(void *opaque, hwaddr addr, uint64_t value, unsigned size)        \
    {                                                                                           \
        EISA_DEVICE_GET_CLASS(opaque)->slot_write(opaque, eisa_ranges[i].base + addr, value, size); \
    }                                                                                           \
    static const MemoryRegionOps slot_ops_##i = {                                               \
        .read = slot_read_##i, .write = slot_write_##i, .endianness = DEVICE_LITTLE_ENDIAN,     \
        .valid = { .min_access_size = 1, .max_access_size = 4, .unaligned = true },             \
        .impl = { .min_access_size = 1, .max_access_size = 4, .unaligned = true },              \
    };
SLOT_RANGE(0)
SLOT_RANGE(1)
SLOT_RANGE(2)
SLOT_RANGE(3)
static const MemoryRegionOps *const slot_ops[4] = { &slot_ops_0, &slot_ops_1, &slot_ops_2, &slot_ops_3 };

static void eisa_device_realize(DeviceState *qdev, Error **errp)
{
    EisaDevice *dev = EISA_DEVICE(qdev);
    EisaBus *bus = eisa_bus(dev);
    BusChild *kid;

    /* SeaBIOS and OVMF place PCI I/O BARs from 0xC000 up. */
    if (dev->slot < 1 || dev->slot > 11) {
        error_setg(errp, "slot=%u: legal slots are 1..11 (0 is the system board; the I/O addresses of "
                   "12..15 belong to the machine's PCI devices)", dev->slot);
        return;
    }
    QTAILQ_FOREACH(kid, &BUS(bus)->children, sibling) {
        EisaDevice *other = EISA_DEVICE(kid->child);
        if (other != dev && other->slot == dev->slot && DEVICE(other)->realized) {
            error_setg(errp, "slot=%u: occupied by %s; legal are 1..11, one board each",
                       dev->slot, object_get_typename(OBJECT(other)));
            return;
        }
    }
    EISA_DEVICE_GET_CLASS(dev)->board_realize(dev, errp);
    if (*errp) {
        return;
    }
    for (int i = 0; i < 4; i++) {
        memory_region_init_io(&dev->io[i], OBJECT(dev), slot_ops[i], dev, "eisa-slot-io",
                              eisa_ranges[i].bytes);
        memory_region_add_subregion(pci_address_space_io(bus->bridge),
                                    dev->slot * 0x1000 + eisa_ranges[i].base, &dev->io[i]);
    }
}

static const Property eisa_device_properties[] = {
    DEFINE_PROP_UINT32("slot", EisaDevice, slot, 0),
};

static void eisa_device_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    dc->bus_type = TYPE_EISA_BUS;
    dc->realize = eisa_device_realize;
    dc->hotpluggable = false;
    device_class_set_props(dc, eisa_device_properties);
    object_class_property_set_description(klass, "slot", "EISA slot of the board, 1..11");
}

/* --- the bridge ----------------------------------------------------------- */

static uint64_t system_board_read(void *opaque, hwaddr addr, unsigned size)
{
    uint64_t id = EISA_SYSTEM_BOARD_ID | (uint64_t)0xffffffff << 32;
    return id >> (8 * addr);
}

static void system_board_write(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
    /* ID registers ignore writes: some systems write to them before they read. */
}

static const MemoryRegionOps system_board_ops = {
    .read = system_board_read,
    .write = system_board_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 4, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 4, .unaligned = true },
};

static void i82375_realize(PCIDevice *pci, Error **errp)
{
    I82375State *s = I82375(pci);
    ISABus *isa = (ISABus *)object_resolve_path_type("", TYPE_ISA_BUS, NULL);
    bool ambiguous = false;

    object_resolve_path_type("", TYPE_EISA_BUS, &ambiguous);
    if (ambiguous || object_resolve_path_type("", TYPE_EISA_BUS, NULL) != OBJECT(&s->bus)) {
        error_setg(errp, "i82375: this machine has an EISA bus already; it can have one");
        return;
    }
    if (!isa) {
        error_setg(errp, "i82375: this machine has no ISA interrupt lines to share");
        return;
    }
    s->bus.bridge = pci;
    eisa_lines_attach(&s->bus, isa);
    memory_region_init_io(&s->system_board, OBJECT(s), &system_board_ops, s, "eisa-system-board", 4);
    memory_region_add_subregion(pci_address_space_io(pci), 0xc80, &s->system_board);
}

static void i82375_init(Object *obj)
{
    I82375State *s = I82375(obj);
    qbus_init(&s->bus, sizeof(s->bus), TYPE_EISA_BUS, DEVICE(obj), "eisa.0");
}

static const VMStateDescription vmstate_i82375 = {
    .name = "i82375",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_PCI_DEVICE(parent_obj, I82375State),
        VMSTATE_UINT16_ARRAY(bus.slots, I82375State, EISA_LINES),
        VMSTATE_UINT8_ARRAY(bus.machine, I82375State, EISA_LINES),
        VMSTATE_END_OF_LIST()
    }
};

static void i82375_class_init(ObjectClass *klass, void *data)
{
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);
    DeviceClass *dc = DEVICE_CLASS(klass);
    pc->realize = i82375_realize;
    pc->vendor_id = PCI_VENDOR_ID_INTEL;
    pc->device_id = 0x0482;
    pc->revision = 0x03;
    pc->class_id = PCI_CLASS_NOT_DEFINED; /* "appears as non-classified": shared/FACTS.md */
    dc->vmsd = &vmstate_i82375;
    dc->hotpluggable = false;
    dc->desc = "Intel 82375EB/SB PCI-EISA bridge with an EISA bus";
    set_bit(DEVICE_CATEGORY_BRIDGE, dc->categories);
}

/* Names boards by slot: snapshots and RAM blocks of two boards of a kind must differ. */
static char *eisa_bus_dev_path(DeviceState *dev)
{
    return g_strdup_printf("eisa-slot-%u", EISA_DEVICE(dev)->slot);
}

static void eisa_bus_class_init(ObjectClass *klass, void *data)
{
    BUS_CLASS(klass)->get_dev_path = eisa_bus_dev_path;
}

static const TypeInfo eisa_types[] = {
    { .name = TYPE_EISA_BUS, .parent = TYPE_BUS, .instance_size = sizeof(EisaBus),
      .class_init = eisa_bus_class_init },
    { .name = TYPE_EISA_DEVICE, .parent = TYPE_DEVICE, .instance_size = sizeof(EisaDevice),
      .class_size = sizeof(EisaDeviceClass), .class_init = eisa_device_class_init, .abstract = true },
    { .name = TYPE_I82375, .parent = TYPE_PCI_DEVICE, .instance_size = sizeof(I82375State),
      .instance_init = i82375_init, .class_init = i82375_class_init,
      .interfaces = (InterfaceInfo[]) { { INTERFACE_CONVENTIONAL_PCI_DEVICE }, { } } },
};

void perfboard_register_eisa(void)
{
    type_register_static_array(eisa_types, ARRAY_SIZE(eisa_types));
}
