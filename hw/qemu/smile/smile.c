/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * smile-hwm: the SMiLE hardware monitor on its H.O.T. II card. Behaviour is in hw/smile/. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/qdev-properties-system.h"
#include "system/runstate.h"

#include "hw/qemu/core/board_type.h"
#include "hw/qemu/core/pci.h"
#include "hw/qemu/smile/smile.h"

#define SMILE_PCI_VENDOR 0x133e /* FACTS: H.O.T. II */
#define SMILE_PCI_ID 0x4000
#define PCI_CLASS_DATA_ACQUISITION 0x1180 /* INFERRED: other */

/* --- accesses ----------------------------------------------------------------- */

/* How many bytes of an access go into the register at addr: as many as are left of it, in a piece that it is aligned to. */
static unsigned piece(hwaddr addr, unsigned left)
{
    unsigned room = 4 - (addr & 3);
    unsigned n = MIN(room, left);
    return n == 3 ? ((addr & 1) ? 1 : 2) : n;
}

static void smile_catch_up(void *opaque)
{
    pb_cable_catch_up(&((SmileDevice *)opaque)->cable);
}

static uint64_t smile_bar_read(void *opaque, hwaddr addr, unsigned size)
{
    SmileDevice *s = opaque;
    uint64_t value = 0;

    qemu_spin_lock(&s->lock);
    for (unsigned done = 0, n; done < size; done += n) {
        n = piece(addr + done, size - done);
        value |= (uint64_t)smile_read(&s->hwm, addr + done, n) << (8 * done);
    }
    qemu_spin_unlock(&s->lock);
    return value;
}

static void smile_bar_write(void *opaque, hwaddr addr, uint64_t value, unsigned size)
{
    SmileDevice *s = opaque;

    if (smile_ends_counting(addr, size)) {
        pb_cable_arrive(&s->cable);
    }
    qemu_spin_lock(&s->lock);
    for (unsigned done = 0, n; done < size; done += n) {
        n = piece(addr + done, size - done);
        smile_write(&s->hwm, addr + done, n, (value >> (8 * done)) & (UINT32_MAX >> (32 - 8 * n)));
    }
    qemu_spin_unlock(&s->lock);
    smile_show_presence(s);
}

/* Both BARs; the second one is the first's beginning. */
static const MemoryRegionOps smile_ops = {
    .read = smile_bar_read,
    .write = smile_bar_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
    .impl = { .min_access_size = 1, .max_access_size = 4, .unaligned = true },
};

/* --- life ----------------------------------------------------------------------- */

static void smile_set_irq(void *dev, bool level)
{
    pci_set_irq(PCI_DEVICE(dev), level);
}

static char *smile_describe(void *dev)
{
    return pb_pci_describe(PCI_DEVICE(dev), TYPE_SMILE_HWM);
}

static void smile_expired(void *dev)
{
    SmileDevice *s = SMILE_HWM(dev);

    pb_cable_catch_up(&s->cable);
    qemu_spin_lock(&s->lock);
    smile_timer(&s->hwm);
    qemu_spin_unlock(&s->lock);
    smile_show_presence(s);
    smile_take_answer(s);
}

PB_GLUE_SPIN_LOCK(smile_lock, SMILE_HWM)

static const PbGlueOps smile_glue = { .set_irq = smile_set_irq, .describe = smile_describe, .expired = smile_expired, .lock = smile_lock,
    .catch_up = smile_catch_up, .snapshot = &smile_snapshot };

static void smile_run_state(void *opaque, bool running, RunState state)
{
    if (!running) {
        smile_catch_up(opaque);
        smile_queue_dirty(opaque);
        smile_daughter_dirty(opaque);
        smile_flush_vcd(opaque);
    }
}

static void smile_realize(PCIDevice *pci, Error **errp)
{
    SmileDevice *s = SMILE_HWM(pci);
    SmileConfig config = {
        .entries = s->entries, .queue = s->queue_records, .node = s->node, .cclk = s->cclk,
        .xchecker_rate = s->xchecker_rate, .opaque = s, .ring_written = smile_ring_written,
    };
    char why[200];

    if (!smile_config_ok(&config, why, sizeof(why))) {
        error_setg(errp, "smile-hwm: %s", why);
        return;
    }
    pb_region_init_io(&s->region[0], &s->glue, 0, &s->bar0, OBJECT(s), &smile_ops, s, "smile", SMILE_BAR_BYTES);
    pb_region_init_io(&s->region[1], &s->glue, 1, &s->bar1, OBJECT(s), &smile_ops, s, "smile-io", SMILE_BRIDGE_BYTES);
    s->region[0].catch_up = s->region[1].catch_up = smile_catch_up;
    pb_region_ports(&s->region[1]);
    if (!smile_realize_card(s, &config, errp) || !smile_realize_daughter(s, &config, errp) || !smile_realize_vcd(s, &config, errp)) {
        return;
    }
    pci_register_bar(pci, 0, PCI_BASE_ADDRESS_SPACE_MEMORY, &s->bar0);
    pci_register_bar(pci, 1, PCI_BASE_ADDRESS_SPACE_IO, &s->bar1);
    pci->config[PCI_INTERRUPT_PIN] = 1;
    qemu_spin_init(&s->lock);
    pb_glue_init(&s->glue, s, &smile_glue);
    smile_init(&s->hwm, &config, &s->glue.host);
    if (!pb_glue_inspect(&s->glue, DEVICE(s), smile_board_view(), &s->hwm, errp)) {
        return;
    }
    s->changes = qemu_add_vm_change_state_handler(smile_run_state, s);
    smile_plug_xchecker(s);
    s->cable.lane = s->node + 1;
    pb_cable_join(&s->cable, OBJECT(s), SMILE_ADAPTER, errp);
}

/* Another vCPU may be about to tell a packet: it finds `left`. */
static void smile_exit(PCIDevice *pci)
{
    SmileDevice *s = SMILE_HWM(pci);

    pb_cable_catch_up(&s->cable);
    pb_cable_leave(&s->cable);
    qemu_spin_lock(&s->lock);
    s->left = true;
    qemu_spin_unlock(&s->lock);
    if (s->changes) {
        qemu_del_vm_change_state_handler(s->changes);
        s->changes = NULL;
    }
    smile_end_vcd(s);
    smile_unplug_xchecker(s);
    smile_leave_card(s);
}

static void smile_free(Object *obj)
{
    SmileDevice *s = SMILE_HWM(obj);

    g_free(s->vcd);
    g_free(s->stream);
}

static void smile_bus_reset(Object *obj, ResetType type)
{
    SmileDevice *s = SMILE_HWM(obj);

    qemu_spin_lock(&s->lock);
    if (type == RESET_TYPE_WAKEUP) { /* a sleep takes the slots' power; a reset is RST# */
        smile_power_lost(&s->hwm);
    } else {
        smile_reset(&s->hwm);
    }
    qemu_spin_unlock(&s->lock);
    smile_show_presence(s);
}

/* --- QOM -------------------------------------------------------------------------- */

static const Property smile_properties[] = {
    DEFINE_PROP_UINT32("node", SmileDevice, node, 0),
    DEFINE_PROP_UINT32("entries", SmileDevice, entries, SMILE_DEFAULT_ENTRIES),
    DEFINE_PROP_UINT32("queue", SmileDevice, queue_records, SMILE_DEFAULT_QUEUE),
    DEFINE_PROP_UINT32("cclk", SmileDevice, cclk, SMILE_DEFAULT_CCLK),
    DEFINE_PROP_STRING("initial", SmileDevice, initial),
    DEFINE_PROP_STRING("flash", SmileDevice, flash_file),
    DEFINE_PROP_STRING("daughter", SmileDevice, daughter),
    DEFINE_PROP_CHR("xchecker", SmileDevice, xchecker),
    DEFINE_PROP_UINT32("xchecker-rate", SmileDevice, xchecker_rate, SMILE_DEFAULT_XCHECKER_RATE),
    DEFINE_PROP_STRING("vcd", SmileDevice, vcd_file),
    DEFINE_PROP_UINT64("vcd-start", SmileDevice, vcd_start, 0),
    DEFINE_PROP_UINT64("vcd-stop", SmileDevice, vcd_stop, UINT64_MAX),
    DEFINE_PB_CABLE("listens", SmileDevice, cable, SMILE_ADAPTER),
    DEFINE_PB_INSPECT(SmileDevice, glue),
};

static const char *const smile_texts[][2] = {
    { "node", "whose B-Link the cable is plugged into, 0 to 31" },
    { "entries", "of the range table, 4 to 64" },
    { "queue", "records that wait while the ring is full, 0 to 1048576" },
    { NULL }
};

static void smile_class_init(ObjectClass *klass)
{
    PCI_DEVICE_CLASS(klass)->config_read = smile_config_read;
    smile_card_class_init(klass);
    smile_cable_class_init(klass);
    smile_daughter_class_init(klass);
    smile_vcd_class_init(klass);
}

static const PbBoardType smile_board = {
    .name = TYPE_SMILE_HWM, .desc = "SMiLE hardware monitor of SCI traffic, on its H.O.T. II card", .category = DEVICE_CATEGORY_MISC,
    .interface = TYPE_PB_CABLE_MONITOR, PB_BOARD_DEVICE(SmileDevice), PB_BOARD_PROPERTIES(smile_properties), .texts = smile_texts,
    .view = smile_board_view, .vmsd = &vmstate_smile, .reset = smile_bus_reset, .free = smile_free, .more = smile_class_init,
    .pci = { SMILE_PCI_VENDOR, SMILE_PCI_ID, PCI_CLASS_DATA_ACQUISITION, smile_realize, smile_exit, smile_config_write },
};

void perfboard_register_smile(void)
{
    pb_board_register(&smile_board);
}
