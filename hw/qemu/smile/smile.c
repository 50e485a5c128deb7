/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * smile-hwm: the SMiLE hardware monitor on its H.O.T. II card. Behaviour is in hw/smile/. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/smile/smile.h"

#define SMILE_PCI_VENDOR 0x133e /* FACTS: H.O.T. II */
#define SMILE_PCI_ID 0x4000
#define PCI_CLASS_DATA_ACQUISITION 0x1180 /* INFERRED: other */

/* --- accesses ----------------------------------------------------------------- */

/* How many bytes of an access go into the register at addr: as many as are left of it, in a piece that it is aligned to. */
static unsigned piece(uint64_t offset, unsigned left)
{
    unsigned room = 4 - (offset & 3);
    unsigned n = MIN(room, left);
    return n == 3 ? ((offset & 1) ? 1 : 2) : n;
}

static void smile_catch_up(void *opaque)
{
    pb_cable_catch_up(&((SmileDevice *)opaque)->cable);
}

static void before(void *dev, const PbAccess *a, bool write, uint64_t value)
{
    if (write && smile_ends_counting(a->offset, a->size)) {
        pb_cable_arrive(&((SmileDevice *)dev)->cable);
    }
}

static uint64_t bar_read(void *dev, const PbAccess *a)
{
    return smile_read(&((SmileDevice *)dev)->hwm, a->offset, a->size);
}

static void bar_write(void *dev, const PbAccess *a, uint64_t value)
{
    smile_write(&((SmileDevice *)dev)->hwm, a->offset, a->size, value);
}

#define WINDOW .unaligned = true, .most = 4, .piece = piece, .catch_up = smile_catch_up, .before = before, .read = bar_read, \
    .write = bar_write

/* The second one is the first's beginning. */
static const PbWindow smile_windows[] = {
    { .name = "smile", .bytes = SMILE_BAR_BYTES, .bar = 0, WINDOW },
    { .name = "smile-io", .bytes = SMILE_BRIDGE_BYTES, .bar = 1, .ports = true, WINDOW },
    { NULL }
};

/* --- life ----------------------------------------------------------------------- */

PB_MODEL(timer, SmileDevice, hwm, smile_timer)

static void behind(void *dev)
{
    smile_show_presence(dev);
    smile_take_answer(dev);
}

static void smile_run_state(void *opaque, bool running, RunState state)
{
    if (!running) {
        smile_catch_up(opaque);
        smile_memories_dirty(opaque);
        smile_flush_vcd(opaque);
    }
}

static void smile_realize(PCIDevice *pci, Error **errp)
{
    SmileDevice *s = SMILE_HWM(pci);
    SmileConfig config = {
        .entries = s->entries, .queue = s->queue_records, .node = s->node, .cclk = s->cclk,
        .xchecker_rate = s->xchecker_rate, .opaque = s,
    };
    char why[200];

    if (!smile_config_ok(&config, why, sizeof(why))) {
        error_setg(errp, "smile-hwm: %s", why);
        return;
    }
    pb_board_begin(s);
    if (!smile_realize_card(s, &config, errp) || !smile_realize_daughter(s, &config, errp) || !smile_realize_vcd(s, &config, errp)) {
        return;
    }
    smile_init(&s->hwm, &config, &s->glue.host);
    if (!pb_board_open(s, &s->hwm, errp)) {
        return;
    }
    smile_plug_xchecker(s);
    s->cable.lane = s->node + 1;
    pb_cable_join(&s->cable, OBJECT(s), SMILE_ADAPTER, errp);
}

/* Another vCPU may be about to tell a packet: it finds glue.left. */
static void smile_exit(PCIDevice *pci)
{
    SmileDevice *s = SMILE_HWM(pci);

    pb_cable_leave(&s->cable);
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

PB_MODEL(reset, SmileDevice, hwm, smile_reset)
PB_MODEL(power_lost, SmileDevice, hwm, smile_power_lost) /* a sleep takes the slots' power; a reset is RST# */

/* --- snapshot: the state. Memories are RAM that QEMU saves itself ---------------------------------------------------- */

#define STATE_LIST "hw/smile/state.def"
#include "hw/qemu/core/board/state_vmstate.h"
QEMU_BUILD_BUG_MSG(SmileState_bytes != 14175, "SmileState has changed: count up smile_snapshot's version, then correct this number");

static void save(void *dev)
{
    SmileDevice *s = SMILE_HWM(dev);

    pb_cable_catch_up(&s->cable);
    pb_spin_lock(&s->glue.spin);
    smile_pre_save(&s->hwm);
    qemu_spin_unlock(&s->glue.spin);
}

static bool load(void *dev, const void *image, char *why, size_t why_size)
{
    SmileDevice *s = SMILE_HWM(dev);
    bool ok = smile_load(&s->hwm, image, why, why_size);

    if (s->vcd_out) {
        smile_vcd_rewind(s->vcd);
    }
    return ok;
}

/* Configuration space comes with the snapshot. */
static void replaced(void *dev)
{
    SmileDevice *s = SMILE_HWM(dev);

    pb_spin_lock(&s->glue.spin);
    s->away = smile_away(&s->hwm);
    qemu_spin_unlock(&s->glue.spin);
}

/* A snapshot goes only into a card with the same table, queue and boards, on the same B-Link. */
static const VMStateField equal[] = {
    PB_VMSTATE_EQUAL(node, SmileDevice, "node"),
    PB_VMSTATE_EQUAL(entries, SmileDevice, "entries"),
    PB_VMSTATE_EQUAL(queue_records, SmileDevice, "queue"),
    PB_VMSTATE_EQUAL(boards, SmileDevice, "daughter"),
    VMSTATE_END_OF_LIST()
};

static const PbSnapshot smile_snapshot = {
    .version = 4, PB_SNAPSHOT_STATE(SmileDevice, hwm.state, SmileState), .before = equal, .save = save, .clean = reset, .load = load,
    .replaced = replaced,
};

/* --- QOM -------------------------------------------------------------------------- */

static const PbProperty smile_properties[] = {
    { DEFINE_PROP_UINT32("node", SmileDevice, node, 0), "whose B-Link the cable is plugged into, 0 to 31" },
    { DEFINE_PROP_UINT32("entries", SmileDevice, entries, SMILE_DEFAULT_ENTRIES), "of the range table, 4 to 64" },
    { DEFINE_PROP_UINT32("queue", SmileDevice, queue_records, SMILE_DEFAULT_QUEUE), "records that wait while the ring is full, 0 to 1048576" },
    { DEFINE_PROP_UINT32("cclk", SmileDevice, cclk, SMILE_DEFAULT_CCLK), "configuration clock in Hz, 100000 to 100000000: a load takes one a bit" },
    { DEFINE_PROP_STRING("initial", SmileDevice, initial),
      "what the flash holds: dynamic (default), static or none; with daughter= target (default) or none" },
    { DEFINE_PROP_STRING("flash", SmileDevice, flash_file), "file with the flash's contents, instead of initial=" },
    { DEFINE_PROP_STRING("daughter", SmileDevice, daughter),
      "the F.R.L. is on a daughter board, which holds static, dynamic, none or a file's design" },
    { DEFINE_PROP_CHR("xchecker", SmileDevice, xchecker), "chardev at the daughter board's cable, which loads and verifies its designs" },
    { DEFINE_PROP_UINT32("xchecker-rate", SmileDevice, xchecker_rate, SMILE_DEFAULT_XCHECKER_RATE), "of that cable, bits a second, 9600 to 100000000" },
    { DEFINE_PROP_STRING("vcd", SmileDevice, vcd_file), "file for waveforms of B-Link and monitor" },
    { DEFINE_PROP_UINT64("vcd-start", SmileDevice, vcd_start, 0), "virtual ns at which the waveforms begin" },
    { DEFINE_PROP_UINT64("vcd-stop", SmileDevice, vcd_stop, UINT64_MAX), "virtual ns at which they end" },
    { DEFINE_PROP_SIZE("vcd-size", SmileDevice, vcd_most, PB_INSPECT_LOG_SIZE), "bytes that the waveforms may have (256M), 0: any number" },
    { DEFINE_PB_CABLE("listens", SmileDevice, cable, SMILE_ADAPTER), "id of the smile-sci whose packets it hears; default: the only one" },
    { { NULL } }
};

static void smile_class_init(ObjectClass *klass)
{
    PCI_DEVICE_CLASS(klass)->config_read = smile_config_read;
    smile_cable_class_init(klass);
}

static const PbBoardType smile_board = {
    .name = TYPE_SMILE_HWM, .desc = "SMiLE hardware monitor of SCI traffic, on its H.O.T. II card", .category = DEVICE_CATEGORY_MISC,
    .interface = TYPE_PB_CABLE_MONITOR, PB_BOARD_DEVICE(SmileDevice), .properties = smile_properties, .windows = smile_windows,
    .ops = { .lock = PB_SPIN, .set_irq = pb_pci_set_irq, .catch_up = smile_catch_up, .expired = smile_catch_up, .timer = timer,
             .behind = behind, .run_state = smile_run_state, .ends = smile_vcd_ends },
    .view = smile_board_view, .snapshot = &smile_snapshot, .reset = reset, .power_lost = power_lost, .free = smile_free,
    .more = smile_class_init,
    .pci = { SMILE_PCI_VENDOR, SMILE_PCI_ID, PCI_CLASS_DATA_ACQUISITION, smile_realize, smile_exit, smile_config_write },
};

void perfboard_register_smile(void)
{
    pb_board_register(&smile_board);
}
