/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * smile-sci: the PCI-SCI adapters of all nodes of the machine, on QEMU's side. Behaviour is in hw/sci/. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/time/stall.h"
#include "hw/qemu/sci/sci.h"

#define SMILE_SCI_PCI_ID 0x5c10 /* INFERRED: the TUM adapter's is not public; vendor 1234 */

/* --- registers ---------------------------------------------------------------- */

static uint64_t read_register(void *dev, const PbAccess *a)
{
    SciDevice *s = dev;

    return sci_register_read(&s->board, a->offset, a->size, sci_node_of(s, a->cpu));
}

static void write_register(void *dev, const PbAccess *a, uint64_t value)
{
    SciDevice *s = dev;

    sci_register_write(&s->board, a->offset, value, a->size, sci_node_of(s, a->cpu));
}

static const PbWindow sci_windows[] = {
    { .name = "smile-sci", .bytes = SCI_REGISTER_BYTES, .bar = 0, .most = 8, .read = read_register, .write = write_register },
    { NULL }
};

PB_MODEL(timer, SciDevice, board, sci_timer)

/* --- coming, going and reset ------------------------------------------------------ */

static bool sci_configure(SciDevice *s, SciConfig *config, Error **errp)
{
    unsigned most = MIN(current_machine->smp.max_cpus, SCI_MAX_NODES);
    char why[160];

    *config = (SciConfig){
        .nodes = s->nodes ?: most, .size = s->size, .latency = s->latency, .ringlet = s->ringlet,
        .wc_buffers = s->wc_buffers, .opaque = s, .packet = sci_packet, .node = s->node, .cable_ns = s->cable_ns,
    };
    if (!sci_open_port(s, config, errp)) {
        return false;
    }
    if (!sci_config_ok(config, why, sizeof(why))) {
        error_setg(errp, "smile-sci: %s", why);
        return false;
    }
    if (!config->cluster && config->nodes > most) {
        error_setg(errp, "smile-sci: nodes=%u: a node is a vCPU (-smp), so legal are 1 to %u", config->nodes, most);
        return false;
    }
    s->nodes = config->nodes;
    s->pages = config->size / SCI_PAGE_BYTES;
    s->waits = config->latency;
    s->machines = config->cluster != NULL;
    return true;
}

static void sci_realize(PCIDevice *pci, Error **errp)
{
    SciDevice *s = SMILE_SCI(pci);
    SciConfig config;

    if (!sci_configure(s, &config, errp)) {
        return;
    }
    pb_board_begin(s);
    if (!sci_make_window(s, errp)) {
        return;
    }
    config.memory = memory_region_get_ram_ptr(&s->memory);
    sci_init(&s->board, &config, &s->glue.host);
    if (!sci_watch_window(s, errp) || !pb_board_open(s, &s->board, errp)) {
        return;
    }
    pci_register_bar(pci, 2, PCI_BASE_ADDRESS_SPACE_MEMORY | PCI_BASE_ADDRESS_MEM_PREFETCH | PCI_BASE_ADDRESS_MEM_TYPE_64,
                     s->window);
    pb_cable_adapter_join(OBJECT(s), errp);
}

/* Another vCPU may be in a callback of the tap, or wait in the middle of an access: it finds glue.left. */
static void sci_exit(PCIDevice *pci)
{
    SciDevice *s = SMILE_SCI(pci);

    pb_cable_adapter_leave(OBJECT(s));
    pb_cluster_port_end(&s->port);
    for (unsigned i = 0; i < SCI_MAX_NODES; i++) {
        pb_stall_end(&s->stall[i]);
    }
    sci_leave_window(s);
}

PB_MODEL(reset, SciDevice, board, sci_reset)

/* --- snapshot ---------------------------------------------------------------------- */

#define STATE_LIST "hw/sci/state.def"
#include "hw/qemu/core/board/state_vmstate.h"
QEMU_BUILD_BUG_MSG(SciState_bytes != 402475, "SciState has changed: count up sci_snapshot's version, then correct this number");

PB_MODEL_LOAD(load, SciDevice, board, sci_load)

static const VMStateField equal[] = {
    PB_VMSTATE_EQUAL(nodes, SciDevice, "nodes"),
    PB_VMSTATE_EQUAL(pages, SciDevice, "size"),
    PB_VMSTATE_EQUAL(waits, SciDevice, "latency"),
    PB_VMSTATE_EQUAL(machines, SciDevice, "fabric"),
    PB_VMSTATE_EQUAL(node, SciDevice, "node"),
    PB_VMSTATE_EQUAL(cable_ns, SciDevice, "cable"),
    PB_VMSTATE_EQUAL(ringlet, SciDevice, "ringlet"),
    PB_VMSTATE_EQUAL(wc_buffers, SciDevice, "wc-buffers"),
    VMSTATE_END_OF_LIST()
};

static const PbSnapshot sci_snapshot = {
    .version = 4, PB_SNAPSHOT_STATE(SciDevice, board.state, SciState), .before = equal, .clean = reset, .load = load,
};

/* --- QOM -------------------------------------------------------------------------- */

static const PbProperty sci_properties[] = {
    { DEFINE_PROP_UINT32("nodes", SciDevice, nodes, 0), "nodes of the cluster, 1..32; 0: one for each vCPU" },
    { DEFINE_PROP_SIZE("size", SciDevice, size, SCI_DEFAULT_SIZE), "window of global memory, bytes: 4K..256M, a power of two" },
    { DEFINE_PROP_STRING("fabric", SciDevice, fabric), "where the other nodes are: vcpus of this machine (default), or cluster, machines of their own" },
    { DEFINE_PROP_UINT32("node", SciDevice, node, 0), "fabric=cluster: number of this node, 0..nodes-1" },
    { DEFINE_PROP_UINT32("cable", SciDevice, cable_ns, 3000), "fabric=cluster: each way to another node takes so many ns longer, 0..10000000" },
    { DEFINE_PROP_BOOL("latency", SciDevice, latency, false), "on: an access to another node takes the time that the ring says" },
    { DEFINE_PROP_UINT32("ringlet", SciDevice, ringlet, SCI_MOST_RINGLET), "nodes in a ringlet, 2..8" },
    { DEFINE_PROP_UINT32("wc-buffers", SciDevice, wc_buffers, SCI_DEFAULT_BUFFERS), "write-combining buffers of a processor, 0..16; 0: none" },
    { { NULL } }
};

static const PbBoardType sci_board = {
    .name = TYPE_SMILE_SCI, .desc = "PCI-SCI adapters of the SMiLE cluster whose nodes are the machine's vCPUs",
    .category = DEVICE_CATEGORY_NETWORK, .interface = TYPE_PB_CABLE_ADAPTER, PB_BOARD_DEVICE(SciDevice),
    .properties = sci_properties, .windows = sci_windows, .view = sci_board_view, .snapshot = &sci_snapshot,
    .ops = { .lock = PB_SPIN, .timer = timer, .behind = sci_update_observation }, .reset = reset, .more = sci_cable_class_init,
    .pci = { PCI_VENDOR_ID_QEMU, SMILE_SCI_PCI_ID, PCI_CLASS_NETWORK_OTHER, sci_realize, sci_exit },
};

void perfboard_register_sci(void)
{
    pb_board_register(&sci_board);
}
