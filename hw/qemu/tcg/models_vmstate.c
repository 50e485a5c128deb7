/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The machine's reset and snapshots for the processor models (plugins/models.h): an object of their own, since several boards
 * may share one. Its length is a word of 32 bits: no models are opened that are longer (PB_MODELS_MOST). A snapshot is read into a copy. Only a copy that the models can hold gets into them; else they stay empty. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/vcpu/vcpu.h"
#include "hw/qemu/series/insides.h"
#include "hw/qemu/tcg/cpu_ops.h"
#include "plugins/models.h"

static struct {
    uint32_t bytes;
    uint8_t *image;
} models;

QEMU_BUILD_BUG_ON(PB_MODELS_MOST > UINT32_MAX);

static int take(void)
{
    g_assert(pb_models_bytes() <= PB_MODELS_MOST);
    models.bytes = pb_models_bytes();
    g_free(models.image);
    models.image = g_malloc0(models.bytes);
    return 0;
}

static int models_pre_save(void *opaque)
{
    pb_tlb_shootdown_take();
    take();
    pb_models_save(models.image);
    return 0;
}

PB_POST_SAVE(models_post_save)
{
    g_clear_pointer(&models.image, g_free);
    PB_POST_SAVED;
}

static int models_pre_load(void *opaque)
{
    pb_models_reset();
    return take();
}

static int models_post_load(void *opaque, int version)
{
    char why[200];
    bool ok = pb_models_ok(models.image, why, sizeof(why));

    if (ok) {
        pb_models_load(models.image);
    } else {
        error_report("perfboard: the snapshot is damaged or another machine's, and caches and TLBs are empty instead: %s", why);
    }
    g_clear_pointer(&models.image, g_free);
    return ok ? 0 : -EINVAL;
}

static const VMStateDescription vmstate_models = {
    .name = "perfboard-models",
    .version_id = 2,
    .minimum_version_id = 2,
    .pre_save = models_pre_save,
    .post_save = models_post_save,
    .pre_load = models_pre_load,
    .post_load = models_post_load,
    .fields = (const VMStateField[]) {
        PB_VMSTATE_EQUAL(bytes, typeof(models), "the size of caches, TLBs and vCPUs"),
        VMSTATE_VBUFFER_UINT32(image, typeof(models), 1, NULL, bytes),
        VMSTATE_END_OF_LIST()
    }
};

static void models_reset(void *opaque)
{
    pb_models_reset();
}

void pb_models_saved(bool on)
{
    static bool saved;

    if (on == saved) {
        return;
    }
    saved = on;
    if (on) {
        vmstate_register(NULL, 0, pb_vmstate(&vmstate_models), &models);
        qemu_register_reset(models_reset, NULL);
    } else {
        vmstate_unregister(NULL, pb_vmstate(&vmstate_models), &models);
        qemu_unregister_reset(models_reset, NULL);
    }
}
