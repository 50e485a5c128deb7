/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a snapshot holds of the POWER2 monitors: their states member by member, each processor's pipelines, what is switched on.
 * Caches and TLBs are an object of their own (hw/qemu/tcg/models_vmstate.c).
 *
 * A snapshot is read into copies, and only whole ones that the models accept get into the monitors. These are reset before the reading
 * begins, and stay so if that or the check fails. */
#include "hw/qemu/series/qemu.h"

#include "hw/power2/machine_c.h"
#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/power2/power2.h"
#include "plugins/blocks.h"

#define STATE_LIST "hw/power2/state.def"
#include "hw/qemu/core/board/state_vmstate.h"
QEMU_BUILD_BUG_MSG(P2State_bytes != 108, "P2State has changed: count up power2_snapshot's version, then correct this number");

static void take(Power2Device *s)
{
    s->monitors = s->card.count;
    s->saved_stalls = s->config.stalls;
    s->pipeline_bytes = 2 * s->card.count * pb_blocks_state_bytes();
    g_free(s->image);
    g_free(s->pipelines);
    s->image = g_new0(P2State, s->monitors);
    s->pipelines = g_malloc0(s->pipeline_bytes);
}

static uint8_t *pipeline(const Power2Device *s, unsigned i, bool privileged)
{
    return s->pipelines + (2 * i + privileged) * pb_blocks_state_bytes();
}

static void save(void *dev)
{
    Power2Device *s = dev;

    take(s);
    for (unsigned i = 0; i < s->card.count; i++) {
        p2_pre_save(&s->card.monitors[i]);
        s->image[i] = s->card.monitors[i].state;
        pb_blocks_save(i, false, pipeline(s, i, false));
        pb_blocks_save(i, true, pipeline(s, i, true));
    }
    memcpy(s->saved_idle, s->feed_idle, sizeof(s->saved_idle));
    s->saved_on = s->feeds_on;
}

static void clean(void *dev)
{
    power2_reset(dev);
    take(dev);
}

static bool load(void *dev, const void *image, char *why, size_t why_size)
{
    Power2Device *s = dev;

    for (unsigned i = 0; i < s->card.count; i++) {
        if (!p2_machine_state_ok(pipeline(s, i, false)) || !p2_machine_state_ok(pipeline(s, i, true))) {
            snprintf(why, why_size, "processor %u: no pipeline can be in this state", i);
            return false;
        }
        if (!p2_state_ok(&s->card.monitors[i], &s->image[i], why, why_size)) {
            return false;
        }
    }
    if (!power2_feeds_ok(s->saved_on)) {
        snprintf(why, why_size, "on %x: there are no such feeds", s->saved_on);
        return false;
    }
    for (unsigned i = 0; i < s->card.count; i++) {
        p2_load(&s->card.monitors[i], &s->image[i], why, why_size);
    }
    power2_load_feeds(s, s->saved_on, s->saved_idle);
    for (unsigned i = 0; i < s->card.count; i++) {
        pb_blocks_load(i, false, pipeline(s, i, false));
        pb_blocks_load(i, true, pipeline(s, i, true));
    }
    return true;
}

#define EQUAL(member, name) PB_VMSTATE_EQUAL(config.member, Power2Device, name)

/* A snapshot goes only into a card with the same properties. */
static const VMStateField fields[] = {
    PB_VMSTATE_EQUAL(monitors, Power2Device, "the number of vCPUs"),
    PB_VMSTATE_EQUAL(pipeline_bytes, Power2Device, "the machine model"),
    EQUAL(clock_hz, "clock"),
    EQUAL(geometry.dcache, "dcache"),
    EQUAL(geometry.dcache_ways, "dcache-ways"),
    EQUAL(geometry.dcache_line, "dcache-line"),
    EQUAL(geometry.icache, "icache"),
    EQUAL(geometry.icache_ways, "icache-ways"),
    EQUAL(geometry.icache_line, "icache-line"),
    EQUAL(geometry.tlb, "tlb"),
    EQUAL(geometry.tlb_ways, "tlb-ways"),
    EQUAL(geometry.itlb, "itlb"),
    EQUAL(geometry.itlb_ways, "itlb-ways"),
    EQUAL(geometry.bus, "node"),
    EQUAL(penalty.dcache, "dcache-penalty"),
    EQUAL(penalty.tlb, "tlb-penalty"),
    EQUAL(penalty.icache, "icache-penalty"),
    PB_VMSTATE_EQUAL(saved_stalls, Power2Device, "stalls"),
    VMSTATE_UINT32(saved_on, Power2Device),
    VMSTATE_UINT64_ARRAY(saved_idle, Power2Device, P2_MOST_FEEDS),
    VMSTATE_STRUCT_VARRAY_POINTER_UINT32(image, Power2Device, monitors, vmstate_P2State, P2State),
    VMSTATE_VBUFFER_UINT32(pipelines, Power2Device, 1, NULL, pipeline_bytes),
    VMSTATE_END_OF_LIST()
};

const PbSnapshot power2_snapshot = { .version = 3, .before = fields, .save = save, .clean = clean, .load = load };
