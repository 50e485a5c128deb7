/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a snapshot holds of a MULTIKRON card: its state, member by member, and what somebody outside
 * does to its pins. A held vCPU is not in it: see stall.h. */
#include "qemu/osdep.h"

#include "hw/multikron/stream.h"
#include "hw/qemu/multikron.h"

static const VMStateDescription vmstate_sample = {
    .name = "MkSample",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(high, MkSample),
        VMSTATE_UINT64(low, MkSample),
        VMSTATE_UINT8(resource, MkSample),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_state = {
    .name = "MkState",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT64(reset_ns, MkState),
        VMSTATE_UINT64(timestamp, MkState),
        VMSTATE_UINT64(timestamp_tick, MkState),
        VMSTATE_UINT32(csr, MkState),
        VMSTATE_UINT32(filter, MkState),
        VMSTATE_UINT32(wait_count, MkState),
        VMSTATE_UINT32(overrun_count, MkState),
        VMSTATE_UINT64(mux_sel, MkState),
        VMSTATE_UINT64(test, MkState),
        VMSTATE_UINT32_ARRAY(source, MkState, MK_SOURCES),
        VMSTATE_UINT16(enable, MkState),
        VMSTATE_UINT8(fifo_overrun, MkState),
        VMSTATE_UINT8(shadow_overrun, MkState),
        VMSTATE_UINT8(test_mode, MkState),
        VMSTATE_UINT64(counted_cycle, MkState),
        VMSTATE_UINT64(counted_tick, MkState),
        VMSTATE_UINT32_ARRAY(counter, MkState, MK_COUNTERS),
        VMSTATE_UINT32_ARRAY(shadow, MkState, MK_COUNTERS),
        VMSTATE_UINT8(shadow_busy, MkState),
        VMSTATE_UINT8_ARRAY(right_half, MkState, MK_SOURCES + 1),
        VMSTATE_STRUCT_ARRAY(fifo, MkState, MK_FIFO_MAX, 1, vmstate_sample, MkSample),
        VMSTATE_UINT8(head, MkState),
        VMSTATE_UINT8(count, MkState),
        VMSTATE_UINT8(sent, MkState),
        VMSTATE_UINT64(next_edge, MkState),
        VMSTATE_UINT8(external_free, MkState),
        VMSTATE_UINT32(external_count, MkState),
        VMSTATE_UINT64(external_cycle, MkState),
        VMSTATE_UINT8(waiting, MkState),
        VMSTATE_UINT8(wait_slot, MkState),
        VMSTATE_UINT8(wait_shadow, MkState),
        VMSTATE_UINT64(wait_cycle, MkState),
        VMSTATE_END_OF_LIST()
    }
};

static const VMStateDescription vmstate_pin = {
    .name = "MkPin",
    .version_id = 1,
    .minimum_version_id = 1,
    .fields = (const VMStateField[]) {
        VMSTATE_BOOL(high, MkPin),
        VMSTATE_END_OF_LIST()
    }
};

/* The contents of the cache and TLB models that external inputs count by. They are the machine's: the
 * first card's snapshot holds them. */
static void find_models(MultiKronDevice *s)
{
    size_t bytes = 0;
    s->models = multikron_is_first(s) ? pb_event_models(&bytes) : NULL;
    s->models_bytes = bytes;
}

static int multikron_pre_save(void *opaque)
{
    mk_pre_save(&((MultiKronDevice *)opaque)->chip);
    find_models(opaque);
    return 0;
}

static int multikron_pre_load(void *opaque)
{
    find_models(opaque);
    return 0;
}

/* How much of the sample in the last level may have been sent; all of it would be no sample any more. */
static unsigned most_sent(const MkState *state)
{
    return !state->count ? 0 : state->fifo[state->head].resource ? MK_RESOURCE_BYTES - 1 : MK_TRACE_BYTES - 1;
}

/* Whoever made the snapshot can be trusted as little as a guest: an index beyond its array is refused. */
static int multikron_post_load(void *opaque, int version)
{
    MultiKronDevice *s = opaque;
    const MkState *state = &s->chip.state;

    if (state->head >= MK_FIFO_MAX || state->count > s->fifo_depth || state->sent > most_sent(state)) {
        return -EINVAL;
    }
    s->test_mode = state->test_mode;
    s->external_free = state->external_free;
    mk_post_load(&s->chip);
    return 0;
}

/* A snapshot goes only into a card with the same clocks and FIFOs. */
const VMStateDescription vmstate_multikron = {
    .name = TYPE_MULTIKRON,
    .version_id = 1,
    .minimum_version_id = 1,
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
        VMSTATE_STRUCT(chip.state, MultiKronDevice, 1, vmstate_state, MkState),
        VMSTATE_UINT32_EQUAL(models_bytes, MultiKronDevice, "event sources or vCPUs differ"),
        VMSTATE_VBUFFER_UINT32(models, MultiKronDevice, 1, NULL, models_bytes),
        VMSTATE_STRUCT_ARRAY(pin, MultiKronDevice, MK_PINS, 1, vmstate_pin, MkPin),
        VMSTATE_END_OF_LIST()
    }
};
