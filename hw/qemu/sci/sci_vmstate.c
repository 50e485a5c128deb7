/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a snapshot holds of the adapters (hw/qemu/core/snapshot.h). The window is RAM that QEMU saves itself. */
#include "qemu/osdep.h"

#include "hw/qemu/core/machine.h"
#include "hw/qemu/core/snapshot.h"
#include "hw/qemu/sci/sci.h"

#define STATE_LIST "hw/sci/state.def"
#include "hw/qemu/core/state_vmstate.h"
QEMU_BUILD_BUG_MSG(SciState_bytes != 399422, "SciState has changed: count up vmstate_sci's versions, then correct this number");

static void *save(void *dev)
{
    return &SMILE_SCI(dev)->board.state;
}

static void clean(void *dev)
{
    sci_reset(&SMILE_SCI(dev)->board);
}

static bool load(void *dev, const void *image, char *why, size_t why_size)
{
    return sci_load(&SMILE_SCI(dev)->board, image, why, why_size);
}

/* How much is observed, and code translated for that. */
static void replaced(void *dev)
{
    sci_update_observation(dev);
    pb_retranslate();
}

const PbSnapshot sci_snapshot = { sizeof(SciState), save, clean, load, replaced };

const VMStateDescription vmstate_sci = {
    .name = TYPE_SMILE_SCI,
    .version_id = 3,
    .minimum_version_id = 3,
    PB_SNAPSHOT_FUNCTIONS,
    .fields = (const VMStateField[]) {
        VMSTATE_PCI_DEVICE(parent_obj, SciDevice),
        VMSTATE_UINT32_EQUAL(nodes, SciDevice, "nodes differs"),
        VMSTATE_UINT32_EQUAL(pages, SciDevice, "size differs"),
        VMSTATE_UINT32_EQUAL(waits, SciDevice, "latency differs"),
        VMSTATE_UINT32_EQUAL(ringlet, SciDevice, "ringlet differs"),
        VMSTATE_UINT32_EQUAL(wc_buffers, SciDevice, "wc-buffers differs"),
        PB_SNAPSHOT_STATE(SciDevice, SciState),
        VMSTATE_END_OF_LIST()
    }
};
