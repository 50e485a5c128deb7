/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a snapshot holds of the SNI (hw/qemu/core/snapshot.h). Its node's caches are the observation layer's. The properties that the state
 * depends on must be those of the machine that saved it. */
#include "qemu/osdep.h"

#include "hw/qemu/core/machine.h"
#include "hw/qemu/core/snapshot.h"
#include "hw/qemu/shrimp/sni.h"

#define STATE_LIST "hw/shrimp/state.def"
#include "hw/qemu/core/state_vmstate.h"
QEMU_BUILD_BUG_MSG(SniState_bytes != 1916957, "SniState has changed: count up vmstate_sni's versions, then correct this number");

static void *save(void *dev)
{
    sni_take_counts(dev);
    return &SHRIMP_SNI(dev)->board.state;
}

static void clean(void *dev)
{
    sni_power_on(&SHRIMP_SNI(dev)->board);
}

static bool load(void *dev, const void *image, char *why, size_t why_size)
{
    return sni_load(&SHRIMP_SNI(dev)->board, image, why, why_size);
}

/* Which pages and how much are observed, and code translated for that. */
static void replaced(void *dev)
{
    SniDevice *s = SHRIMP_SNI(dev);

    pb_tap_take(s->tap); /* the snapshot has its own */
    sni_observe(s, 0, SNI_PAGES);
    sni_update_observation(s);
    pb_retranslate();
}

const PbSnapshot sni_snapshot = { sizeof(SniState), save, clean, load, replaced };

const VMStateDescription vmstate_sni = {
    .name = TYPE_SHRIMP_SNI,
    .version_id = 4,
    .minimum_version_id = 4,
    PB_SNAPSHOT_FUNCTIONS,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32_EQUAL(node, SniDevice, NULL),
        VMSTATE_UINT32_EQUAL(nodes, SniDevice, NULL),
        VMSTATE_UINT32_EQUAL(mesh_width, SniDevice, NULL),
        VMSTATE_UINT32_EQUAL(fifo_words, SniDevice, NULL),
        PB_SNAPSHOT_STATE(SniDevice, SniState),
        VMSTATE_END_OF_LIST()
    }
};
