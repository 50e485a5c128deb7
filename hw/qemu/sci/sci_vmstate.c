/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a snapshot holds of the adapters: their state, member by member. The window is RAM that QEMU saves itself.
 *
 * A snapshot is read into `image`, and only a whole one that sci_load() accepts gets into the board. The board is
 * reset before the reading begins, and stays so if that or the check fails. */
#include "qemu/osdep.h"
#include "qemu/error-report.h"

#include "hw/qemu/core/pci.h"
#include "hw/qemu/sci/sci.h"
#include "plugins/port.h"

#define STATE_LIST "hw/sci/state.def"
#include "hw/qemu/core/state_vmstate.h"
QEMU_BUILD_BUG_MSG(SciState_bytes != 399422, "SciState has changed: count up vmstate_sci's versions, then correct this number");

static int sci_pre_save(void *opaque)
{
    SciDevice *s = opaque;
    s->image = &s->board.state;
    return 0;
}

/* The state has been replaced: how much is observed, and code translated for that. */
static void observe_anew(SciDevice *s)
{
    sci_update_observation(s);
    pb_retranslate();
}

static int sci_pre_load(void *opaque)
{
    SciDevice *s = opaque;

    qemu_spin_lock(&s->lock);
    sci_reset(&s->board);
    qemu_spin_unlock(&s->lock);
    observe_anew(s);
    g_free(s->loaded);
    s->image = s->loaded = g_new0(SciState, 1);
    return 0;
}

static int sci_device_post_load(void *opaque, int version)
{
    SciDevice *s = opaque;
    char why[PB_WHY_BYTES];
    bool ok;

    qemu_spin_lock(&s->lock);
    ok = sci_load(&s->board, s->image, why, sizeof(why));
    qemu_spin_unlock(&s->lock);
    if (!ok) {
        pb_pci_reset_config(PCI_DEVICE(s)); /* which has been read already */
        error_report("smile-sci: the snapshot is damaged, and the adapter was reset instead: %s", why);
    }
    observe_anew(s);
    g_clear_pointer(&s->loaded, g_free);
    return ok ? 0 : -EINVAL;
}

const VMStateDescription vmstate_sci = {
    .name = TYPE_SMILE_SCI,
    .version_id = 3,
    .minimum_version_id = 3,
    .pre_save = sci_pre_save,
    .pre_load = sci_pre_load,
    .post_load = sci_device_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_PCI_DEVICE(parent_obj, SciDevice),
        VMSTATE_UINT32_EQUAL(nodes, SciDevice, "nodes differs"),
        VMSTATE_UINT32_EQUAL(pages, SciDevice, "size differs"),
        VMSTATE_UINT32_EQUAL(waits, SciDevice, "latency differs"),
        VMSTATE_UINT32_EQUAL(ringlet, SciDevice, "ringlet differs"),
        VMSTATE_UINT32_EQUAL(wc_buffers, SciDevice, "wc-buffers differs"),
        VMSTATE_STRUCT_POINTER(image, SciDevice, vmstate_SciState, SciState),
        VMSTATE_END_OF_LIST()
    }
};
