/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * i82375: Intel's PCI-EISA bridge (8086:0482). It owns the EISA bus, answers with the system board's
 * ID in slot 0, and passes on to the bus the accesses that no other device claims.
 *
 *   -device i82375,rom=on    with a ROM that configures the boards before a system starts (firmware/eisa) */
#include "hw/qemu/series/qemu.h"

#include "hw/eisa/eisa_id.h"
#include "hw/qemu/eisa/eisa.h"
#include "hw/qemu/series/insides.h"

OBJECT_DECLARE_SIMPLE_TYPE(I82375State, I82375)

struct I82375State {
    PCIDevice parent_obj;
    EisaBus bus;
    MemoryRegion system_board;
    MemoryRegion idle;
    MemoryRegion rom;
    bool has_rom; /* the property */
};

static uint64_t system_board_read(void *opaque, hwaddr addr, unsigned size)
{
    uint64_t id = EISA_SYSTEM_BOARD_ID | (uint64_t)0xffffffff << 32;
    return id >> (8 * (addr & 3));
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

/* The bridge decodes subtractively: an access below 4 GiB that neither RAM nor a PCI device claims goes to the
 * EISA bus. If no board answers there, it reads all ones: the bus's data lines are pulled up. */
static uint64_t idle_read(void *opaque, hwaddr addr, unsigned size)
{
    qemu_log_mask(LOG_GUEST_ERROR, "EISA: no board answers at memory 0x%08" HWADDR_PRIx "\n", addr);
    return UINT64_MAX;
}

static void idle_write(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
    qemu_log_mask(LOG_GUEST_ERROR, "EISA: no board takes a write at memory 0x%08" HWADDR_PRIx "\n", addr);
}

static const MemoryRegionOps idle_ops = {
    .read = idle_read,
    .write = idle_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};

static void i82375_run_state(void *opaque, bool running, RunState state)
{
    if (running) {
        eisa_agree(&((I82375State *)opaque)->bus);
    }
}

/* What is in it comes with the object, not with a snapshot. */
static bool add_rom(I82375State *s, Error **errp)
{
    PCIDevice *pci = PCI_DEVICE(s);

    if ((pci->romfile && *pci->romfile) || !pci->rom_bar) {
        error_setg(errp, "rom=on: legal without romfile= and rombar=0");
        return false;
    }
    if (!memory_region_init_ram_flags_nomigrate(&s->rom, OBJECT(s), "eisa-configuration-rom", eisa_rom_bytes, 0, errp)) {
        return false;
    }
    memory_region_set_readonly(&s->rom, true);
    memcpy(memory_region_get_ram_ptr(&s->rom), eisa_rom, eisa_rom_bytes);
    pci_register_bar(pci, PCI_ROM_SLOT, 0, &s->rom);
    return true;
}

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
    if (s->has_rom && !add_rom(s, errp)) {
        return;
    }
    eisa_bus_attach(&s->bus, pci, isa);
    qemu_add_vm_change_state_handler(i82375_run_state, s);
    memory_region_init_io(&s->idle, OBJECT(s), &idle_ops, s, "eisa-idle", 4 * GiB);
    memory_region_add_subregion_overlap(pci_address_space(pci), 0, &s->idle, -1);
    memory_region_init_io(&s->system_board, OBJECT(s), &system_board_ops, s, "eisa-system-board", 4);
    memory_region_add_subregion(pci_address_space_io(pci), 0xc80, &s->system_board);
}

static void i82375_init(Object *obj)
{
    I82375State *s = I82375(obj);
    qbus_init(&s->bus, sizeof(s->bus), TYPE_EISA_BUS, DEVICE(obj), "eisa.0");
}

/* The boards, loaded after the bridge, tell their lines again. What no board would tell must be right. */
static int i82375_post_load(void *opaque, int version)
{
    I82375State *s = opaque;
    uint16_t boards = eisa_boards(&s->bus);

    for (int i = 0; i < EISA_LINES; i++) {
        if (s->bus.slots[i] & ~boards || s->bus.machine[i] > 1) {
            error_report("i82375: the snapshot is damaged: interrupt line %d: slots=0x%x machine=%u: legal are slots 0x%x, and 0 or 1",
                         i, s->bus.slots[i], s->bus.machine[i], boards);
            eisa_release_lines(&s->bus);
            return -EINVAL;
        }
    }
    return 0;
}

static const VMStateDescription vmstate_i82375 = {
    .name = "i82375",
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = i82375_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_PCI_DEVICE(parent_obj, I82375State),
        VMSTATE_UINT16_ARRAY(bus.slots, I82375State, EISA_LINES),
        VMSTATE_UINT8_ARRAY(bus.machine, I82375State, EISA_LINES),
        VMSTATE_END_OF_LIST()
    }
};

static const Property i82375_properties[] = {
    DEFINE_PROP_BOOL("rom", I82375State, has_rom, false),
};

static void i82375_class_init(ObjectClass *klass, PbClassData *data)
{
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);
    DeviceClass *dc = DEVICE_CLASS(klass);
    pc->realize = i82375_realize;
    pc->vendor_id = PCI_VENDOR_ID_INTEL;
    pc->device_id = 0x0482;
    pc->revision = 0x03;
    pc->class_id = PCI_CLASS_NOT_DEFINED; /* README.md, facts of the EISA bus */
    dc->vmsd = pb_vmstate(&vmstate_i82375);
    dc->hotpluggable = false;
    device_class_set_props(dc, i82375_properties);
    object_class_property_set_description(klass, "rom", "on or off (default): a ROM that configures and enables the EISA boards");
    dc->desc = "Intel 82375EB/SB PCI-EISA bridge with an EISA bus";
    set_bit(DEVICE_CATEGORY_BRIDGE, dc->categories);
}

static const TypeInfo i82375_type = {
    .name = TYPE_I82375,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(I82375State),
    .instance_init = i82375_init,
    .class_init = i82375_class_init,
    .interfaces = (InterfaceInfo[]) { { INTERFACE_CONVENTIONAL_PCI_DEVICE }, { } },
};

void perfboard_register_i82375(void)
{
    type_register_static(&i82375_type);
}
