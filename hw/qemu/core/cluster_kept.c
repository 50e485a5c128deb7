/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "migration/vmstate.h"

#include "hw/qemu/core/cluster_kept.h"
#include "hw/qemu/core/cluster_wires.h"
#include "hw/qemu/core/pace.h"

static Cluster *cluster;
static struct Kept {
    uint8_t *messages, *wires;
    uint32_t messages_bytes, wires_bytes;
} kept;

static int pre_save(void *unused)
{
    uint8_t *bytes;

    if (!pb_pace_stands()) {
        error_report("perfboard: cluster: a node is saved with all others (perfboard cluster --save), not alone");
        return -EINVAL;
    }
    g_free(kept.messages);
    g_free(kept.wires);
    kept.messages_bytes = cluster_save(cluster, &bytes);
    kept.messages = g_memdup2(bytes, kept.messages_bytes);
    free(bytes);
    kept.wires_bytes = pb_cluster_wires_save(&kept.wires);
    return 0;
}

static int post_load(void *unused, int version)
{
    char why[200] = "the snapshot of the wires is damaged";

    if (!cluster_load(cluster, kept.messages, kept.messages_bytes, why, sizeof(why)) || !pb_cluster_wires_load(kept.wires, kept.wires_bytes)) {
        error_report("perfboard: cluster: %s", why);
        return -EINVAL;
    }
    return 0;
}

static const VMStateDescription vmstate_cluster = {
    .name = "perfboard-cluster",
    .version_id = 1,
    .minimum_version_id = 1,
    .pre_save = pre_save,
    .post_load = post_load,
    .fields = (const VMStateField[]) {
        VMSTATE_UINT32(messages_bytes, struct Kept),
        VMSTATE_VBUFFER_ALLOC_UINT32(messages, struct Kept, 0, NULL, messages_bytes),
        VMSTATE_UINT32(wires_bytes, struct Kept),
        VMSTATE_VBUFFER_ALLOC_UINT32(wires, struct Kept, 0, NULL, wires_bytes),
        VMSTATE_END_OF_LIST()
    }
};

void pb_cluster_snapshots(Cluster *c)
{
    cluster = c;
    vmstate_register(NULL, 0, &vmstate_cluster, &kept);
}
