/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a snapshot holds of a SMiLE monitor: its state, member by member. The memories are RAM that QEMU saves itself.
 *
 * A snapshot is read into `image`, and only a whole one that smile_load() accepts gets into the monitor. The monitor is
 * reset before the reading begins, and stays so if that or the check fails. */
#include "qemu/osdep.h"
#include "qemu/error-report.h"

#include "hw/qemu/core/pci.h"
#include "hw/qemu/smile/smile.h"

#define STATE_LIST "hw/smile/state.def"
#include "hw/qemu/core/state_vmstate.h"
QEMU_BUILD_BUG_MSG(SmileState_bytes != 14175, "SmileState has changed: count up vmstate_smile's versions, then correct this number");

static int smile_pre_save_state(void *opaque)
{
    SmileDevice *s = opaque;

    pb_cable_catch_up(&s->cable);
    qemu_spin_lock(&s->lock);
    smile_pre_save(&s->hwm);
    qemu_spin_unlock(&s->lock);
    s->image = &s->hwm.state;
    return 0;
}

static int smile_pre_load(void *opaque)
{
    SmileDevice *s = opaque;

    qemu_spin_lock(&s->lock);
    smile_reset(&s->hwm);
    qemu_spin_unlock(&s->lock);
    s->away = false;
    g_free(s->loaded);
    s->image = s->loaded = g_new0(SmileState, 1);
    return 0;
}

static int smile_post_load(void *opaque, int version)
{
    SmileDevice *s = opaque;
    char why[PB_WHY_BYTES];
    bool ok;

    qemu_spin_lock(&s->lock);
    ok = smile_load(&s->hwm, s->image, why, sizeof(why));
    if (s->vcd_out) {
        smile_vcd_rewind(s->vcd);
    }
    s->away = smile_away(&s->hwm); /* configuration space came with the snapshot */
    qemu_spin_unlock(&s->lock);
    g_clear_pointer(&s->loaded, g_free);
    if (!ok) {
        g_autofree char *who = pb_pci_describe(PCI_DEVICE(s), TYPE_SMILE_HWM);
        pb_pci_reset_config(PCI_DEVICE(s));
        error_report("%sthe snapshot is damaged, and the card was reset instead: %s", who, why);
        return -EINVAL;
    }
    return 0;
}

/* A snapshot goes only into a card with the same table, queue and boards, on the same B-Link. */
const VMStateDescription vmstate_smile = {
    .name = TYPE_SMILE_HWM,
    .version_id = 4,
    .minimum_version_id = 4,
    .pre_save = smile_pre_save_state,
    .pre_load = smile_pre_load,
    .post_load = smile_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_PCI_DEVICE(parent_obj, SmileDevice),
        VMSTATE_UINT32_EQUAL(node, SmileDevice, "node differs"),
        VMSTATE_UINT32_EQUAL(entries, SmileDevice, "entries differs"),
        VMSTATE_UINT32_EQUAL(queue_records, SmileDevice, "queue differs"),
        VMSTATE_UINT32_EQUAL(boards, SmileDevice, "daughter differs"),
        VMSTATE_STRUCT_POINTER(image, SmileDevice, vmstate_SmileState, SmileState),
        VMSTATE_END_OF_LIST()
    }
};
