/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qapi/error.h"

#include "hw/core/host.h"
#include "hw/qemu/core/cluster.h"
#include "hw/qemu/core/cluster_wires.h"
#include "hw/qemu/core/time.h"
#include "hw/qemu/core/wire.h"

/* A message: whether the wire is pulled, and its name with the zero at its end. */
enum { LOW, NAME, MOST = 256 };

static Cluster *cluster;

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
    if (!cluster) {
        cluster = pb_cluster_port(&port, &error_abort);
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

/* A wire that another node pulls: the nodes, a bit each, and its name with the zero at its end. */
static void keep(const char *name, uint32_t others, void *bytes)
{
    g_byte_array_append(bytes, (const guint8 *)&others, sizeof(others));
    g_byte_array_append(bytes, (const guint8 *)name, strlen(name) + 1);
}

uint32_t pb_cluster_wires_save(uint8_t **bytes)
{
    GByteArray *all = g_byte_array_new();
    uint32_t n;

    pb_wire_each_pulled_from(keep, all);
    n = all->len;
    *bytes = g_byte_array_free(all, false);
    return n;
}

bool pb_cluster_wires_load(const uint8_t *bytes, uint32_t n)
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

void pb_cluster_wires(void)
{
    static const PbWireReach reach = { .joined = joined, .pulls = pulls };

    pb_wire_reaches(&reach);
}
