/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a snapshot holds of a MULTIKRON card: its state, member by member, and what somebody outside
 * does to its pins. A held vCPU is not in it: see stall.h.
 *
 * A snapshot is read into `image` and `pins_high`, and only a whole one that mk_load() accepts gets
 * into the chip. The chip is powered on anew before the reading begins, and stays so if that or the
 * check fails. */
#include "qemu/osdep.h"
#include "qemu/error-report.h"

#include "hw/qemu/core/pci.h"
#include "hw/qemu/multikron/multikron.h"

#define STATE_LIST "hw/multikron/state.def"
#include "hw/qemu/core/state_vmstate.h"
QEMU_BUILD_BUG_MSG(MkState_bytes != 1447, "MkState has changed: count up vmstate_multikron's versions, then correct this number");

static int multikron_pre_save(void *opaque)
{
    MultiKronDevice *s = opaque;

    mk_pre_save(&s->chip);
    s->image = &s->chip.state;
    for (unsigned i = 0; i < MK_PINS; i++) {
        s->pins_high[i] = s->pin[i].high;
    }
    return 0;
}

static int multikron_pre_load(void *opaque)
{
    MultiKronDevice *s = opaque;

    mk_power_on(&s->chip);
    g_free(s->loaded);
    s->image = s->loaded = g_new0(MkState, 1);
    return 0;
}

static int multikron_post_load(void *opaque, int version)
{
    MultiKronDevice *s = opaque;
    char why[PB_WHY_BYTES];
    bool ok = mk_load(&s->chip, s->image, why, sizeof(why));
    if (ok) {
        s->test_mode = s->chip.state.test_mode;
        s->external_free = s->chip.state.external_free;
        for (unsigned i = 0; i < MK_PINS; i++) {
            s->pin[i].high = s->pins_high[i];
        }
    } else {
        pb_pci_reset_config(PCI_DEVICE(s)); /* which has been read already */
        error_report("multikron: the snapshot is damaged, and the card was reset instead: %s", why);
    }
    g_clear_pointer(&s->loaded, g_free);
    return ok ? 0 : -EINVAL;
}

/* A snapshot goes only into a card with the same clocks and FIFOs. */
const VMStateDescription vmstate_multikron = {
    .name = TYPE_MULTIKRON,
    .version_id = 3,
    .minimum_version_id = 3,
    .pre_save = multikron_pre_save,
    .pre_load = multikron_pre_load,
    .post_load = multikron_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_PCI_DEVICE(parent_obj, MultiKronDevice),
        VMSTATE_UINT32_EQUAL(node_clock, MultiKronDevice, "node-clock differs"),
        VMSTATE_UINT32_EQUAL(timestamp_clock, MultiKronDevice, "timestamp-clock differs"),
        VMSTATE_UINT32_EQUAL(fifo_depth, MultiKronDevice, "fifo-depth differs"),
        VMSTATE_UINT32_EQUAL(chip.config.free, MultiKronDevice, "free differs"),
        VMSTATE_UINT32_EQUAL(chip.config.free_bytes, MultiKronDevice, "free-size differs"),
        VMSTATE_UINT32_EQUAL(chip.config.drain_hz, MultiKronDevice, "free-rate differs"),
        VMSTATE_STRUCT_POINTER(image, MultiKronDevice, vmstate_MkState, MkState),
        VMSTATE_BOOL_ARRAY(pins_high, MultiKronDevice, MK_PINS),
        VMSTATE_END_OF_LIST()
    }
};
