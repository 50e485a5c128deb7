/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a snapshot holds of a MULTIKRON card (hw/qemu/core/snapshot.h), and what somebody outside does to its pins. A held vCPU is not in it:
 * see stall.h. */
#include "qemu/osdep.h"

#include "hw/qemu/core/snapshot.h"
#include "hw/qemu/multikron/multikron.h"

#define STATE_LIST "hw/multikron/state.def"
#include "hw/qemu/core/state_vmstate.h"
QEMU_BUILD_BUG_MSG(MkState_bytes != 1447, "MkState has changed: count up vmstate_multikron's versions, then correct this number");

static void *save(void *dev)
{
    MultiKronDevice *s = MULTIKRON(dev);

    mk_pre_save(&s->chip);
    for (unsigned i = 0; i < MK_PINS; i++) {
        s->pins_high[i] = s->pin[i].high;
    }
    return &s->chip.state;
}

static void clean(void *dev)
{
    mk_power_on(&MULTIKRON(dev)->chip);
}

static bool load(void *dev, const void *image, char *why, size_t why_size)
{
    MultiKronDevice *s = MULTIKRON(dev);

    if (!mk_load(&s->chip, image, why, why_size)) {
        return false;
    }
    s->test_mode = s->chip.state.test_mode;
    s->external_free = s->chip.state.external_free;
    for (unsigned i = 0; i < MK_PINS; i++) {
        s->pin[i].high = s->pins_high[i];
    }
    return true;
}

const PbSnapshot multikron_snapshot = { sizeof(MkState), save, clean, load };

/* A snapshot goes only into a card with the same clocks and FIFOs. */
const VMStateDescription vmstate_multikron = {
    .name = TYPE_MULTIKRON,
    .version_id = 3,
    .minimum_version_id = 3,
    PB_SNAPSHOT_FUNCTIONS,
    .fields = (const VMStateField[]) {
        VMSTATE_PCI_DEVICE(parent_obj, MultiKronDevice),
        VMSTATE_UINT32_EQUAL(node_clock, MultiKronDevice, "node-clock differs"),
        VMSTATE_UINT32_EQUAL(timestamp_clock, MultiKronDevice, "timestamp-clock differs"),
        VMSTATE_UINT32_EQUAL(fifo_depth, MultiKronDevice, "fifo-depth differs"),
        VMSTATE_UINT32_EQUAL(chip.config.free, MultiKronDevice, "free differs"),
        VMSTATE_UINT32_EQUAL(chip.config.free_bytes, MultiKronDevice, "free-size differs"),
        VMSTATE_UINT32_EQUAL(chip.config.drain_hz, MultiKronDevice, "free-rate differs"),
        PB_SNAPSHOT_STATE(MultiKronDevice, MkState),
        VMSTATE_BOOL_ARRAY(pins_high, MultiKronDevice, MK_PINS),
        VMSTATE_END_OF_LIST()
    }
};
