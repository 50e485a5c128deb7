/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a snapshot holds of the monitor (hw/qemu/core/snapshot.h). Memories are RAM that QEMU saves itself. */
#include "qemu/osdep.h"

#include "hw/qemu/core/snapshot.h"
#include "hw/qemu/smile/smile.h"

#define STATE_LIST "hw/smile/state.def"
#include "hw/qemu/core/state_vmstate.h"
QEMU_BUILD_BUG_MSG(SmileState_bytes != 14175, "SmileState has changed: count up vmstate_smile's versions, then correct this number");

static void *save(void *dev)
{
    SmileDevice *s = SMILE_HWM(dev);

    pb_cable_catch_up(&s->cable);
    qemu_spin_lock(&s->lock);
    smile_pre_save(&s->hwm);
    qemu_spin_unlock(&s->lock);
    return &s->hwm.state;
}

static void clean(void *dev)
{
    smile_reset(&SMILE_HWM(dev)->hwm);
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

    qemu_spin_lock(&s->lock);
    s->away = smile_away(&s->hwm);
    qemu_spin_unlock(&s->lock);
}

const PbSnapshot smile_snapshot = { sizeof(SmileState), save, clean, load, replaced };

/* A snapshot goes only into a card with the same table, queue and boards, on the same B-Link. */
const VMStateDescription vmstate_smile = {
    .name = TYPE_SMILE_HWM,
    .version_id = 4,
    .minimum_version_id = 4,
    PB_SNAPSHOT_FUNCTIONS,
    .fields = (const VMStateField[]) {
        VMSTATE_PCI_DEVICE(parent_obj, SmileDevice),
        VMSTATE_UINT32_EQUAL(node, SmileDevice, "node differs"),
        VMSTATE_UINT32_EQUAL(entries, SmileDevice, "entries differs"),
        VMSTATE_UINT32_EQUAL(queue_records, SmileDevice, "queue differs"),
        VMSTATE_UINT32_EQUAL(boards, SmileDevice, "daughter differs"),
        PB_SNAPSHOT_STATE(SmileDevice, SmileState),
        VMSTATE_END_OF_LIST()
    }
};
