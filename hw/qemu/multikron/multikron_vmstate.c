/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a snapshot holds: the state, and what somebody outside does to the pins. A held vCPU is not in it (stall.h). */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/multikron/multikron.h"

#define STATE_LIST "hw/multikron/state.def"
#include "hw/qemu/core/board/state_vmstate.h"
QEMU_BUILD_BUG_MSG(MkState_bytes != 1447, "MkState has changed: count up multikron_snapshot's version, then correct this number");

static void save(void *dev)
{
    MultiKronDevice *s = MULTIKRON(dev);

    mk_pre_save(&s->chip);
    for (unsigned i = 0; i < MK_PINS; i++) {
        s->pins_high[i] = s->pin[i].high;
    }
}

PB_MODEL(clean, MultiKronDevice, chip, mk_power_on)

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

/* A snapshot goes only into a card with the same clocks and FIFOs. */
static const VMStateField equal[] = {
    PB_VMSTATE_EQUAL(node_clock, MultiKronDevice, "node-clock"),
    PB_VMSTATE_EQUAL(timestamp_clock, MultiKronDevice, "timestamp-clock"),
    PB_VMSTATE_EQUAL(fifo_depth, MultiKronDevice, "fifo-depth"),
    PB_VMSTATE_EQUAL(chip.config.free, MultiKronDevice, "free"),
    PB_VMSTATE_EQUAL(chip.config.free_bytes, MultiKronDevice, "free-size"),
    PB_VMSTATE_EQUAL(chip.config.drain_hz, MultiKronDevice, "free-rate"),
    VMSTATE_END_OF_LIST()
};

static const VMStateField behind[] = {
    VMSTATE_BOOL_ARRAY(pins_high, MultiKronDevice, MK_PINS),
    VMSTATE_END_OF_LIST()
};

const PbSnapshot multikron_snapshot = {
    .version = 3, PB_SNAPSHOT_STATE(MultiKronDevice, chip.state, MkState), .before = equal, .behind = behind,
    .save = save, .clean = clean, .load = load,
};
