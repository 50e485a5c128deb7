/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * power2-pm: the POWER2 performance monitor, on a PCI card of ours. Behaviour is in hw/power2/. */
#include "qemu/osdep.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "hw/boards.h"

#include "hw/qemu/core/pci.h"
#include "hw/qemu/core/stall.h"
#include "hw/qemu/power2/power2.h"

/* As guest/power2/regs.h has it. */
#define P2_PCI_VENDOR 0x1234
#define P2_PCI_DEVICE 0x5032
#define P2_BAR_BYTES 0x20000
#define P2R_CARD 0x800
#define P2R_OF(n) (0x1000 + 0x100 * (n))

#define PCI_CLASS_PERFORMANCE 0x1101 /* data acquisition: performance counters */

static uint32_t card_register(const Power2Device *s, uint32_t offset)
{
    const uint32_t registers[] = { 0x32575250, 1, s->vcpus, 66666667, 2 };
    return offset / 4 < ARRAY_SIZE(registers) ? registers[offset / 4] : 0;
}

/* NULL: none is there. */
static uint32_t *own_register(Power2Device *s, hwaddr addr)
{
    if (addr < P2R_CARD) {
        CPUState *cpu = pb_accessing_cpu();
        return cpu && addr < 0x100 ? &s->registers[cpu->cpu_index][addr / 4] : NULL;
    }
    return addr >= P2R_OF(0) && addr < P2R_OF(s->vcpus) ? &s->registers[(addr - P2R_OF(0)) / 0x100][addr % 0x100 / 4] : NULL;
}

static uint64_t power2_read(void *opaque, hwaddr addr, unsigned size)
{
    Power2Device *s = opaque;
    uint32_t *r = own_register(s, addr);
    return r ? *r : addr >= P2R_CARD && addr < P2R_OF(0) ? card_register(s, addr - P2R_CARD) : UINT32_MAX;
}

static void power2_write(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
    uint32_t *r = own_register(opaque, addr);
    if (r) {
        *r = value;
    }
}

#define OPS(order) { \
    .read = power2_read, .write = power2_write, .endianness = order, \
    .valid = { .min_access_size = 4, .max_access_size = 8 }, \
    .impl = { .min_access_size = 4, .max_access_size = 4 }, \
}
static const MemoryRegionOps little_ops = OPS(DEVICE_LITTLE_ENDIAN), big_ops = OPS(DEVICE_BIG_ENDIAN);

static void power2_realize(PCIDevice *pci, Error **errp)
{
    Power2Device *s = POWER2_PM(pci);

    s->vcpus = current_machine->smp.max_cpus;
    s->registers = g_malloc0_n(s->vcpus, sizeof(*s->registers));
    memory_region_init_io(&s->little, OBJECT(s), &little_ops, s, "power2", P2_BAR_BYTES);
    memory_region_init_io(&s->big, OBJECT(s), &big_ops, s, "power2-big", P2_BAR_BYTES);
    pci_register_bar(pci, 0, PCI_BASE_ADDRESS_SPACE_MEMORY, &s->little);
    pci_register_bar(pci, 2, PCI_BASE_ADDRESS_SPACE_MEMORY, &s->big);
}

static void power2_class_init(ObjectClass *klass, void *data)
{
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);
    DeviceClass *dc = DEVICE_CLASS(klass);

    pc->realize = power2_realize;
    pc->config_write = pb_pci_write_config;
    pc->vendor_id = P2_PCI_VENDOR;
    pc->device_id = P2_PCI_DEVICE;
    pc->class_id = PCI_CLASS_PERFORMANCE;
    dc->hotpluggable = false;
    dc->desc = "POWER2 performance monitor: 22 counters for each processor";
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
}

static const TypeInfo power2_type = {
    .name = TYPE_POWER2_PM,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(Power2Device),
    .class_init = power2_class_init,
    .interfaces = (InterfaceInfo[]) { { INTERFACE_CONVENTIONAL_PCI_DEVICE }, { } },
};

void perfboard_register_power2(void)
{
    type_register_static(&power2_type);
}
