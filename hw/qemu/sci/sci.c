/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * smile-sci: the PCI-SCI adapters of all nodes of the machine, on QEMU's side. Behaviour is in hw/sci/. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/boards.h"

#include "hw/qemu/core/board_type.h"
#include "hw/qemu/core/pci.h"
#include "hw/qemu/core/stall.h"
#include "hw/qemu/sci/sci.h"
#include "plugins/port.h"

#define SMILE_SCI_PCI_ID 0x5c10 /* INFERRED: the TUM adapter's is not public; vendor 1234 */

/* --- registers ---------------------------------------------------------------- */

static uint32_t accessing_vcpu(void)
{
    const CPUState *cpu = pb_accessing_cpu();
    return cpu ? cpu->cpu_index : SCI_NO_VCPU;
}

static uint64_t sci_bar_read(void *opaque, hwaddr addr, unsigned size)
{
    SciDevice *s = opaque;
    uint64_t value;

    qemu_spin_lock(&s->lock);
    value = sci_register_read(&s->board, addr, size, accessing_vcpu());
    qemu_spin_unlock(&s->lock);
    return value;
}

static void sci_bar_write(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
    SciDevice *s = opaque;

    qemu_spin_lock(&s->lock);
    sci_register_write(&s->board, addr, value, size, accessing_vcpu());
    qemu_spin_unlock(&s->lock);
    sci_update_observation(s);
}

static const MemoryRegionOps sci_ops = {
    .read = sci_bar_read,
    .write = sci_bar_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8 },
    .impl = { .min_access_size = 1, .max_access_size = 8 },
};

/* --- life ----------------------------------------------------------------------- */

static char *sci_describe(void *dev)
{
    return pb_pci_describe(PCI_DEVICE(dev), TYPE_SMILE_SCI);
}

static void sci_expired(void *dev)
{
    SciDevice *s = SMILE_SCI(dev);

    qemu_spin_lock(&s->lock);
    sci_timer(&s->board);
    qemu_spin_unlock(&s->lock);
}

PB_GLUE_SPIN_LOCK(sci_lock, SMILE_SCI)

static const PbGlueOps sci_glue = { .describe = sci_describe, .expired = sci_expired, .lock = sci_lock, .snapshot = &sci_snapshot };

/* --- coming, going and reset ------------------------------------------------------ */

static bool sci_configure(SciDevice *s, SciConfig *config, Error **errp)
{
    unsigned most = MIN(current_machine->smp.max_cpus, SCI_MAX_NODES);
    char why[160];

    *config = (SciConfig){
        .nodes = s->nodes ?: most, .size = s->size, .latency = s->latency, .ringlet = s->ringlet,
        .wc_buffers = s->wc_buffers, .opaque = s, .packet = sci_packet,
    };
    if (!sci_config_ok(config, why, sizeof(why))) {
        error_setg(errp, "smile-sci: %s", why);
        return false;
    }
    if (config->nodes > most) {
        error_setg(errp, "smile-sci: nodes=%u: a node is a vCPU (-smp), so legal are 1 to %u", config->nodes, most);
        return false;
    }
    s->nodes = config->nodes;
    s->pages = config->size / SCI_PAGE_BYTES;
    s->waits = config->latency;
    return true;
}

static void sci_realize(PCIDevice *pci, Error **errp)
{
    SciDevice *s = SMILE_SCI(pci);
    SciConfig config;

    if (!sci_configure(s, &config, errp) || !sci_make_window(s, errp)) {
        return;
    }
    config.memory = memory_region_get_ram_ptr(&s->memory);
    qemu_spin_init(&s->lock);
    pb_glue_init(&s->glue, s, &sci_glue);
    sci_init(&s->board, &config, &s->glue.host);
    if (!sci_watch_window(s, errp)) {
        return;
    }
    if (!pb_glue_inspect(&s->glue, DEVICE(s), sci_board_view(), &s->board, errp)) {
        return;
    }
    pb_region_init_io(&s->register_region, &s->glue, 0, &s->registers, OBJECT(s), &sci_ops, s, "smile-sci", SCI_REGISTER_BYTES);
    pci_register_bar(pci, 0, PCI_BASE_ADDRESS_SPACE_MEMORY, &s->registers);
    pci_register_bar(pci, 2, PCI_BASE_ADDRESS_SPACE_MEMORY | PCI_BASE_ADDRESS_MEM_PREFETCH | PCI_BASE_ADDRESS_MEM_TYPE_64,
                     s->window);
    pb_cable_adapter_join(OBJECT(s), errp);
}

/* Another vCPU may be in a callback of the tap, or wait in the middle of an access: it finds `left`. */
static void sci_exit(PCIDevice *pci)
{
    SciDevice *s = SMILE_SCI(pci);

    qemu_spin_lock(&s->lock);
    s->left = true;
    qemu_spin_unlock(&s->lock);
    pb_cable_adapter_leave(OBJECT(s));
    for (unsigned i = 0; i < SCI_MAX_NODES; i++) {
        pb_stall_end(&s->stall[i]);
    }
    sci_leave_window(s);
}

static void sci_free(Object *obj)
{
    sci_free_window(SMILE_SCI(obj));
}

static void sci_bus_reset(Object *obj, ResetType type)
{
    SciDevice *s = SMILE_SCI(obj);

    qemu_spin_lock(&s->lock);
    sci_reset(&s->board);
    qemu_spin_unlock(&s->lock);
    sci_update_observation(s);
}

/* --- QOM -------------------------------------------------------------------------- */

static const Property sci_properties[] = {
    DEFINE_PROP_UINT32("nodes", SciDevice, nodes, 0),
    DEFINE_PROP_SIZE("size", SciDevice, size, SCI_DEFAULT_SIZE),
    DEFINE_PROP_BOOL("latency", SciDevice, latency, false),
    DEFINE_PROP_UINT32("ringlet", SciDevice, ringlet, SCI_MOST_RINGLET),
    DEFINE_PROP_UINT32("wc-buffers", SciDevice, wc_buffers, SCI_DEFAULT_BUFFERS),
    DEFINE_PB_INSPECT(SciDevice, glue),
};

static const char *const sci_texts[][2] = {
    { "nodes", "nodes of the cluster, 1..32; 0: one for each vCPU" },
    { "size", "window of global memory, bytes: 4K..256M, a power of two" },
    { "latency", "on: an access to another node takes the time that the ring says" },
    { "ringlet", "nodes in a ringlet, 2..8" },
    { "wc-buffers", "write-combining buffers of a processor, 0..16; 0: none" },
    { NULL }
};

static const PbBoardType sci_board = {
    .name = TYPE_SMILE_SCI, .desc = "PCI-SCI adapters of the SMiLE cluster whose nodes are the machine's vCPUs",
    .category = DEVICE_CATEGORY_NETWORK, .interface = TYPE_PB_CABLE_ADAPTER, PB_BOARD_DEVICE(SciDevice),
    PB_BOARD_PROPERTIES(sci_properties), .texts = sci_texts, .view = sci_board_view, .vmsd = &vmstate_sci,
    .reset = sci_bus_reset, .free = sci_free, .more = sci_cable_class_init,
    .pci = { PCI_VENDOR_ID_QEMU, SMILE_SCI_PCI_ID, PCI_CLASS_NETWORK_OTHER, sci_realize, sci_exit },
};

void perfboard_register_sci(void)
{
    pb_board_register(&sci_board);
}
