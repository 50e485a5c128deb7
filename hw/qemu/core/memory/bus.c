/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Bus - the memory that devices read and write, seen line by line where the machine moves it. For the events dma-reads and
 * dma-writes (plugins/events.h).
 *
 * What is seen: PCI devices, by an IOMMU of ours that maps everything to itself, or by the machine's own (pseries, intel-iommu);
 * virtio devices, whether they use that IOMMU or not. A transfer is a line for each line of memory that it touches; where
 * a device accesses memory piece by piece (descriptors, rings), each access is. Memory that a device keeps mapped (AHCI's
 * lists) is seen when it is mapped. Not seen: devices without PCI or virtio (the ISA bus's DMA, fw_cfg), vhost.
 *
 * plugins/machine.h says how observation is told (bus_open, bus_watch). */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/vcpu/vcpu.h"

#define TYPE_PB_BUS "perfboard-bus"

static struct {
    AddressSpace as;           /* what devices without an IOMMU see: */
    MemoryRegion root;         /* both of these, the IOMMU in front */
    MemoryRegion memory;
    IOMMUMemoryRegion observed;
    uint64_t line_mask;
    bool watched;
    void (*moved)(bool write);
    GHashTable *translate; /* IOMMUMemoryRegionClass: what its translate() was */
} bus = { .line_mask = PB_BUS_LINE - 1 };

/* --- IOMMUs ---------------------------------------------------------------- */

static IOMMUTLBEntry to_itself(IOMMUMemoryRegion *mr, hwaddr addr, IOMMUAccessFlags flag, int index)
{
    const hwaddr mask = 4095;

    return (IOMMUTLBEntry){
        .target_as = &address_space_memory,
        .iova = addr & ~mask,
        .translated_addr = addr & ~mask,
        .addr_mask = mask,
        .perm = IOMMU_RW,
    };
}

/* In the caller's RCU read section. */
static bool is_memory(const IOMMUTLBEntry *entry, bool write)
{
    hwaddr at, length = 1;

    return memory_region_is_ram(address_space_translate(entry->target_as, entry->translated_addr, &at, &length, write,
                                                        MEMTXATTRS_UNSPECIFIED));
}

/* In the place of each IOMMU's translate(). Good for one line, so that QEMU comes back for the next. */
static IOMMUTLBEntry translate(IOMMUMemoryRegion *mr, hwaddr addr, IOMMUAccessFlags flag, int index)
{
    typeof(to_itself) *before = g_hash_table_lookup(bus.translate, object_get_class(OBJECT(mr)));
    IOMMUTLBEntry entry = before(mr, addr, flag, index);
    hwaddr in_entry = addr & entry.addr_mask & ~bus.line_mask;

    if (!qatomic_read(&bus.watched) || flag == IOMMU_NONE || (entry.perm & flag) != flag) {
        return entry;
    }
    if (entry.addr_mask > bus.line_mask) {
        entry.iova = (entry.iova & ~entry.addr_mask) | in_entry;
        entry.translated_addr = (entry.translated_addr & ~entry.addr_mask) | in_entry;
        entry.addr_mask = bus.line_mask;
    }
    if (is_memory(&entry, flag & IOMMU_WO)) {
        bus.moved(flag & IOMMU_WO);
    }
    return entry;
}

static void wrap(ObjectClass *class, void *unused)
{
    IOMMUMemoryRegionClass *iommu = (IOMMUMemoryRegionClass *)class;

    if (iommu->translate) {
        g_hash_table_insert(bus.translate, class, iommu->translate);
        iommu->translate = translate;
    }
}

static void class_init(ObjectClass *class, PbClassData *data)
{
    ((IOMMUMemoryRegionClass *)class)->translate = to_itself;
}

/* The sizes are those of the headers: QEMU ends if its own are larger. */
static const TypeInfo type_info = {
    .name = TYPE_PB_BUS,
    .parent = TYPE_IOMMU_MEMORY_REGION,
    .instance_size = sizeof(IOMMUMemoryRegion),
    .class_size = sizeof(IOMMUMemoryRegionClass),
    .class_init = class_init,
};

/* --- devices --------------------------------------------------------------- */

static AddressSpace *space_of(PCIBus *pci, void *opaque, int devfn)
{
    return &bus.as;
}

/* A device gets its address space when the machine is complete. */
static int take_over(Object *obj, void *opaque)
{
    static const PCIIOMMUOps ops = { .get_address_space = space_of };
    PCIBus *pci = (PCIBus *)object_dynamic_cast(obj, TYPE_PCI_BUS);
    VirtIODevice *virtio = (VirtIODevice *)object_dynamic_cast(obj, TYPE_VIRTIO_DEVICE);

    if (pci && pci_bus_is_root(pci) && !pci->iommu_ops) {
        pci_setup_iommu(pci, &ops, NULL);
    }
    if (virtio && virtio->dma_as == &address_space_memory) {
        virtio->dma_as = &bus.as;
    }
    return 0;
}

static void realized(DeviceListener *listener, DeviceState *dev)
{
    take_over(OBJECT(dev), NULL);
}

/* --- plugins/machine.h --------------------------------------------------------- */

void pb_bus_line(uint32_t bytes)
{
    bus.line_mask = bytes - 1;
}

void pb_bus_open(void (*moved)(bool write))
{
    static DeviceListener listener = { .realize = realized };

    bus.moved = moved;
    bus.translate = g_hash_table_new(NULL, NULL);
    type_register_static(&type_info);
    object_class_foreach(wrap, TYPE_IOMMU_MEMORY_REGION, false, NULL);
    memory_region_init(&bus.root, NULL, "perfboard-bus", UINT64_MAX);
    memory_region_init_alias(&bus.memory, NULL, "perfboard-bus-memory", get_system_memory(), 0, UINT64_MAX);
    memory_region_add_subregion(&bus.root, 0, &bus.memory);
    memory_region_init_iommu(&bus.observed, sizeof(bus.observed), TYPE_PB_BUS, NULL, "perfboard-bus-observed", UINT64_MAX);
    memory_region_set_enabled(MEMORY_REGION(&bus.observed), false);
    memory_region_add_subregion_overlap(&bus.root, 0, MEMORY_REGION(&bus.observed), 1);
    address_space_init(&bus.as, &bus.root, "perfboard-bus");
    device_listener_register(&listener);
    object_child_foreach_recursive(object_get_root(), take_over, NULL);
}

/* virtio devices look at their rings' memory anew when memory changes. */
void pb_bus_watch(bool on)
{
    qatomic_set(&bus.watched, on);
    memory_region_set_enabled(MEMORY_REGION(&bus.observed), on);
}
