/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a node has beside its steps (cluster.c): wires that go on to the other nodes, its snapshot, and a way of its own if it runs free. */
#include "hw/qemu/series/qemu.h"

#include "hw/model/host.h"
#include "hw/qemu/core/links/cluster.h"
#include "hw/qemu/core/links/links.h"
#include "hw/qemu/core/time/time.h"
#include "hw/qemu/series/insides.h"

/* A message: whether the wire is pulled, and its name with the zero at its end. */
enum { LOW, NAME, MOST = 256 };

static Cluster *cluster;
static bool has_port;

/* Somebody may pull a wire at any instruction, or when a timer comes. */
static void promise(void *dev, uint64_t now, uint64_t next, uint64_t *promise, uint64_t *answers)
{
    *promise = next > PB_NEVER - CLUSTER_WIRE_NS ? PB_NEVER : next + CLUSTER_WIRE_NS;
    *answers = PB_NEVER;
}

static bool take(void *dev, const ClusterMessage *m)
{
    if (m->answers || m->bytes < NAME + 2 || m->bytes > MOST || m->data[m->bytes - 1] || m->data[LOW] > 1) {
        return false;
    }
    pb_wire_pull_from(m->from, (const char *)m->data + NAME, m->data[LOW]);
    return true;
}

static void joined(const char *name)
{
    static const PbClusterPort port = { .name = "wire", .kind = CLUSTER_WIRE_KIND, .answer = PB_NEVER, .promise = promise, .take = take };

    if (pb_cluster_nodes() > PB_WIRE_MACHINES) {
        error_report("perfboard: cluster: wire %s: it joins %d nodes at most, these are %u", name, PB_WIRE_MACHINES, pb_cluster_nodes());
        exit(1);
    }
    if (!has_port) {
        has_port = true;
        pb_cluster_port(&port, &error_abort);
    }
    if (strlen(name) > MOST - NAME - 1) {
        error_report("perfboard: cluster: wire %s: other nodes do not hear of it: a name has %d bytes at most", name, MOST - NAME - 1);
    }
}

static void pulls(const char *name, bool low)
{
    ClusterMessage m = { .at = MAX(pb_time_now() + CLUSTER_WIRE_NS, pb_cluster_join()), .kind = CLUSTER_WIRE_KIND, .bytes = NAME + strlen(name) + 1 };

    if (m.bytes > MOST) {
        return;
    }
    m.data[LOW] = low;
    strcpy((char *)m.data + NAME, name);
    for (m.to = 0; m.to < pb_cluster_nodes(); m.to++) {
        if (m.to != pb_cluster_node() && !cluster_send(cluster, &m)) {
            error_report("perfboard: cluster: wire %s: node %u does not hear of this change, which no instruction and no timer has made", name, m.to);
        }
    }
}

void pb_cluster_wires(void)
{
    static const PbWireReach reach = { .joined = joined, .pulls = pulls };

    pb_wire_reaches(&reach);
}

/* --- snapshots ------------------------------------------------------------------------ */

/* A wire that another node pulls: the nodes, a bit each, and its name with the zero at its end. */
static void keep(const char *name, uint32_t others, void *bytes)
{
    g_byte_array_append(bytes, (const guint8 *)&others, sizeof(others));
    g_byte_array_append(bytes, (const guint8 *)name, strlen(name) + 1);
}

static uint32_t save_wires(uint8_t **bytes)
{
    GByteArray *all = g_byte_array_new();
    uint32_t n;

    pb_wire_each_pulled_from(keep, all);
    n = all->len;
    *bytes = g_byte_array_free(all, false);
    return n;
}

static bool load_wires(const uint8_t *bytes, uint32_t n)
{
    const uint8_t *end = bytes + n;

    while (bytes < end) {
        uint32_t others;
        const char *name = (const char *)bytes + sizeof(others);
        const uint8_t *zero = end - bytes > sizeof(others) ? memchr(name, 0, end - (const uint8_t *)name) : NULL;

        if (!zero) {
            return false;
        }
        memcpy(&others, bytes, sizeof(others));
        pb_wire_restore_from(name, others);
        bytes = zero + 1;
    }
    return true;
}

static struct Snapshot {
    uint8_t *messages, *wires;
    uint32_t messages_bytes, wires_bytes;
} kept;

static int pre_save(void *unused)
{
    uint8_t *bytes;

    if (!pb_time_grant_stopped()) {
        error_report("perfboard: cluster: a node is saved with all others (perfboard cluster --save), not alone");
        return -EINVAL;
    }
    g_free(kept.messages);
    g_free(kept.wires);
    kept.messages_bytes = cluster_save(cluster, &bytes);
    kept.messages = g_memdup2(bytes, kept.messages_bytes);
    free(bytes);
    kept.wires_bytes = save_wires(&kept.wires);
    return 0;
}

static int post_load(void *unused, int version)
{
    char why[200] = "the snapshot of the wires is damaged";

    if (!cluster_load(cluster, kept.messages, kept.messages_bytes, pb_time_now(), why, sizeof(why)) || !load_wires(kept.wires, kept.wires_bytes)) {
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
        VMSTATE_UINT32(messages_bytes, struct Snapshot),
        VMSTATE_VBUFFER_ALLOC_UINT32(messages, struct Snapshot, 0, NULL, messages_bytes),
        VMSTATE_UINT32(wires_bytes, struct Snapshot),
        VMSTATE_VBUFFER_ALLOC_UINT32(wires, struct Snapshot, 0, NULL, wires_bytes),
        VMSTATE_END_OF_LIST()
    }
};

void pb_cluster_snapshots(Cluster *c)
{
    cluster = c;
    vmstate_register(NULL, 0, pb_vmstate(&vmstate_cluster), &kept);
}

/* --- a node that runs free ------------------------------------------------------------- */

enum { LOOK_MS = 100 }; /* at the other nodes, whether they are there yet */

static void (*deliver_first)(void), (*give_up)(void);
static QEMUBH *has_come;
static QemuSemaphore taken;
static PbTimer due;

static void deliver(void *unused)
{
    const ClusterMessage *first;

    while ((first = cluster_wrong(cluster) ? NULL : cluster_first(cluster)) && first->at <= pb_time_now()) {
        deliver_first();
    }
    pb_timer_set(&due, first ? first->at : PB_NEVER);
}

/* A machine that stands still takes nothing in: what comes waits, as credits bound it. */
static void take_in(void *unused)
{
    if (runstate_is_running()) {
        cluster_take_in(cluster);
        if (cluster_wrong(cluster)) {
            give_up();
        } else {
            deliver(NULL);
        }
    }
    qemu_sem_post(&taken);
}

static void *listens(void *unused)
{
    for (;;) {
        cluster_listen(cluster, LOOK_MS);
        qemu_bh_schedule(has_come);
        qemu_sem_wait(&taken);
    }
    return NULL;
}

static void machine_changed(void *unused, bool running, RunState state)
{
    if (running) {
        pb_time_go_to(cluster_age(cluster));
    }
}

void pb_cluster_run_free(void (*deliver_one)(void), void (*gives_up)(void))
{
    static QemuThread thread;

    deliver_first = deliver_one;
    give_up = gives_up;
    has_come = qemu_bh_new(take_in, NULL);
    qemu_sem_init(&taken, 0);
    pb_timer_init(&due, deliver, NULL);
    qemu_add_vm_change_state_handler(machine_changed, NULL);
    qemu_thread_create(&thread, "perfboard-cluster", listens, NULL, QEMU_THREAD_DETACHED);
}
