/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a snapshot holds of the SNI: its state, member by member. Its node's caches are the observation layer's.
 * What sni_post_load() works out again is left out. The properties that the state depends on must
 * be those of the machine that saved it.
 *
 * A snapshot is read into `image`, and only a whole one that sni_load() accepts gets into
 * the board. The board is powered on anew before the reading begins, and stays so if that or the check fails. */
#include "qemu/osdep.h"
#include "qemu/error-report.h"

#include "hw/qemu/shrimp/sni.h"
#include "plugins/port.h"

#define STATE_LIST "hw/shrimp/state.def"
#include "hw/qemu/core/state_vmstate.h"
QEMU_BUILD_BUG_MSG(SniState_bytes != 1916957, "SniState has changed: count up vmstate_sni's versions, then correct this number");

static int sni_pre_save(void *opaque)
{
    SniDevice *s = opaque;
    sni_take_counts(s);
    s->image = &s->board.state;
    return 0;
}

/* The state has been replaced: which pages and how much are observed, and code translated for that. */
static void observe_anew(SniDevice *s)
{
    pb_tap_take(s->tap); /* the snapshot has its own */
    sni_observe(s, 0, SNI_PAGES);
    sni_update_observation(s);
    pb_retranslate();
}

static int sni_pre_load(void *opaque)
{
    SniDevice *s = opaque;

    qemu_mutex_lock(&s->lock);
    sni_power_on(&s->board);
    qemu_mutex_unlock(&s->lock);
    observe_anew(s);
    g_free(s->loaded);
    s->image = s->loaded = g_new0(SniState, 1);
    return 0;
}

static int sni_device_post_load(void *opaque, int version)
{
    SniDevice *s = opaque;
    char why[PB_WHY_BYTES];
    bool ok;

    qemu_mutex_lock(&s->lock);
    ok = sni_load(&s->board, s->image, why, sizeof(why));
    qemu_mutex_unlock(&s->lock);
    if (!ok) {
        error_report("shrimp-sni: the snapshot is damaged, and the board was reset instead: %s", why);
    }
    observe_anew(s);
    g_clear_pointer(&s->loaded, g_free);
    return ok ? 0 : -EINVAL;
}

const VMStateDescription vmstate_sni = {
    .name = TYPE_SHRIMP_SNI,
    .version_id = 4,
    .minimum_version_id = 4,
    .pre_save = sni_pre_save,
    .pre_load = sni_pre_load,
    .post_load = sni_device_post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_EQUAL(node, SniDevice, NULL),
        VMSTATE_UINT32_EQUAL(nodes, SniDevice, NULL),
        VMSTATE_UINT32_EQUAL(mesh_width, SniDevice, NULL),
        VMSTATE_UINT32_EQUAL(fifo_words, SniDevice, NULL),
        VMSTATE_STRUCT_POINTER(image, SniDevice, vmstate_SniState, SniState),
        VMSTATE_END_OF_LIST()
    }
};
