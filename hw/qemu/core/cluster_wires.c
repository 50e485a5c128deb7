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

static void take(void *dev, const ClusterMessage *m)
{
    if (m->answers || m->bytes < NAME + 2 || m->bytes > MOST || m->data[m->bytes - 1] || m->data[LOW] > 1) {
        error_report("perfboard: cluster: node %u has sent what is no wire's", m->from);
        return;
    }
    pb_wire_pull_from(m->from, (const char *)m->data + NAME, m->data[LOW]);
}

static void joined(const char *name)
{
    static const PbClusterPort port = { .kind = CLUSTER_WIRE_KIND, .answer = PB_NEVER, .promise = promise, .take = take };

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

void pb_cluster_wires(void)
{
    static const PbWireReach reach = { .joined = joined, .pulls = pulls };

    pb_wire_reaches(&reach);
}
