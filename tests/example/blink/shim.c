/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * test-blink: all B-Links of a smile-sci, packet by packet, for tests. A PCI card whose BAR 0 shows what has passed:
 *
 *   00 COUNT    packets since CLEAR
 *   04 CLEAR    any write
 *   08 SELECT   of a packet, the first one is 0; or of a node, for HASH
 *   10 NS  18 BD1  20 BD2    64 bits each of the selected packet, low word first
 *   28 NODE  2c WORDS        whose B-Link; length
 *   30 HASH     64 bits, of all that has passed on the B-Link of the selected node since the machine's start, times included
 *
 * COUNT and CLEAR come behind packets that are on their way (latency=on). With out=FILE each packet is a line there: NODE BD1 BD2 WORDS NS. A snapshot holds the hashes, not the packets. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/links/links.h"
#include "hw/qemu/series/insides.h"
#include "hw/sci/packet.h"

enum { COUNT = 0x00, CLEAR = 0x04, SELECT = 0x08, NS = 0x10, BD1 = 0x18, BD2 = 0x20, NODE = 0x28, WORDS = 0x2c, HASH = 0x30 };

typedef struct BlinkDevice {
    PCIDevice parent_obj;
    PbCable cable;
    MemoryRegion registers;
    QemuMutex lock; /* packets come in vCPUs' threads */
    GArray *packets;
    uint32_t selected;
    uint64_t hash[SCI_MAX_NODES];
    char *path;
    FILE *out;
} BlinkDevice;

static void mix(uint64_t *hash, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++) {
        *hash = (*hash ^ (value >> (8 * i) & 0xff)) * UINT64_C(0x100000001b3);
    }
}

static void packet(Object *monitor, const void *what)
{
    BlinkDevice *s = (BlinkDevice *)monitor;
    const SciPacket *p = what;

    QEMU_LOCK_GUARD(&s->lock);
    g_array_append_val(s->packets, *p);
    mix(&s->hash[p->node], p->bd1);
    mix(&s->hash[p->node], p->bd2);
    mix(&s->hash[p->node], p->words);
    mix(&s->hash[p->node], p->ns);
    if (s->out) {
        fprintf(s->out, "%u %016" PRIx64 " %016" PRIx64 " %u %" PRIu64 "\n", p->node, p->bd1, p->bd2, p->words, p->ns);
    }
}

static void adapter_reset(Object *monitor)
{
}

static uint64_t half(uint64_t value, hwaddr addr)
{
    return addr & 4 ? value >> 32 : (uint32_t)value;
}

static uint64_t read_register(void *opaque, hwaddr addr, unsigned size)
{
    BlinkDevice *s = opaque;

    pb_cable_catch_up(&s->cable);
    if (addr == COUNT) {
        pb_cable_arrive(&s->cable);
    }
    QEMU_LOCK_GUARD(&s->lock);
    const SciPacket none = { 0 }, *p = s->selected < s->packets->len ? &g_array_index(s->packets, SciPacket, s->selected) : &none;

    switch (addr & ~(hwaddr)7) {
    case COUNT:
        return s->packets->len;
    case NS:
        return half(p->ns, addr);
    case BD1:
        return half(p->bd1, addr);
    case BD2:
        return half(p->bd2, addr);
    case NODE:
        return addr & 4 ? p->words : p->node;
    case HASH:
        return half(s->hash[s->selected % SCI_MAX_NODES], addr);
    default:
        return 0;
    }
}

static void write_register(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
    BlinkDevice *s = opaque;

    if (addr == CLEAR) {
        pb_cable_arrive(&s->cable);
    }
    QEMU_LOCK_GUARD(&s->lock);
    if (addr == CLEAR) {
        g_array_set_size(s->packets, 0);
    } else if (addr == SELECT) {
        s->selected = value;
    }
}

static const MemoryRegionOps register_ops = { .read = read_register, .write = write_register, .endianness = DEVICE_LITTLE_ENDIAN,
                                              .impl = { .min_access_size = 4, .max_access_size = 4 } };

static void realize(PCIDevice *pci, Error **errp)
{
    BlinkDevice *s = (BlinkDevice *)pci;

    if (s->path && !(s->out = fopen(s->path, "w"))) {
        error_setg(errp, "test-blink: out=%s: %s", s->path, strerror(errno));
        return;
    }
    qemu_mutex_init(&s->lock);
    s->packets = g_array_new(false, false, sizeof(SciPacket));
    memory_region_init_io(&s->registers, OBJECT(s), &register_ops, s, "test-blink", 4096);
    pci_register_bar(pci, 0, PCI_BASE_ADDRESS_SPACE_MEMORY, &s->registers);
    pb_cable_join(&s->cable, OBJECT(s), "smile-sci", errp);
}

static const Property properties[] = {
    DEFINE_PB_CABLE("listens", BlinkDevice, cable, "smile-sci"),
    DEFINE_PROP_STRING("out", BlinkDevice, path),
};

static const VMStateDescription snapshot = {
    .name = "test-blink",
    .fields = (const VMStateField[]) { VMSTATE_PCI_DEVICE(parent_obj, BlinkDevice), VMSTATE_UINT64_ARRAY(hash, BlinkDevice, SCI_MAX_NODES),
                                       VMSTATE_END_OF_LIST() },
};

static void class_init(ObjectClass *klass, PbClassData *data)
{
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);

    PB_CABLE_MONITOR_CLASS(klass)->packet = packet;
    PB_CABLE_MONITOR_CLASS(klass)->reset = adapter_reset;
    pc->realize = realize;
    pc->vendor_id = PCI_VENDOR_ID_QEMU;
    pc->device_id = 0x5c1f;
    pc->class_id = PCI_CLASS_OTHERS;
    DEVICE_CLASS(klass)->vmsd = pb_vmstate(&snapshot);
    DEVICE_CLASS(klass)->desc = "a test: what passes on the B-Links";
    device_class_set_props(DEVICE_CLASS(klass), properties);
}

static const TypeInfo type = {
    .name = "test-blink", .parent = TYPE_PCI_DEVICE, .instance_size = sizeof(BlinkDevice), .class_init = class_init,
    .interfaces = (InterfaceInfo[]) { { INTERFACE_CONVENTIONAL_PCI_DEVICE }, { TYPE_PB_CABLE_MONITOR }, { } },
};

void perfboard_register_blink(void)
{
    type_register_static(&type);
}
