/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The adapter's port to other machines (hw/qemu/core/links/cluster.h): fabric=cluster. Then the machine is one node, and its vCPU is that node's. */
#include "hw/qemu/series/qemu.h"

#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/sci/sci.h"

uint32_t sci_node_of(const SciDevice *s, const CPUState *cpu)
{
    return !cpu ? SCI_NO_VCPU : sci_is_node(s) ? s->node : (uint32_t)cpu->cpu_index;
}

static void promise(void *dev, uint64_t now, uint64_t next, uint64_t *first, uint64_t *answers)
{
    SciDevice *s = dev;

    pb_spin_lock(&s->glue.spin);
    sci_promise(&s->board, now, next, first, answers);
    qemu_spin_unlock(&s->glue.spin);
}

static bool take(void *dev, const ClusterMessage *m)
{
    SciDevice *s = dev;
    bool ok;

    pb_spin_lock(&s->glue.spin);
    ok = sci_take(&s->board, m);
    qemu_spin_unlock(&s->glue.spin);
    return ok;
}

static void moved(void *opaque, uint64_t until)
{
    ((SciDevice *)opaque)->until = until;
}

bool sci_open_port(SciDevice *s, SciConfig *config, Error **errp)
{
    bool ambiguous = false;
    Cluster *cluster;

    if (!s->fabric || !strcmp(s->fabric, "vcpus")) {
        return true;
    }
    if (strcmp(s->fabric, "cluster")) {
        error_setg(errp, "smile-sci: fabric=%s: legal are vcpus and cluster", s->fabric);
        return false;
    }
    object_resolve_path_type("", TYPE_SMILE_SCI, &ambiguous);
    if (ambiguous) {
        error_setg(errp, "smile-sci: fabric=cluster: a machine is one node and has one");
        return false;
    }
    if (!pb_time_counts_instructions()) {
        error_setg(errp, "smile-sci: fabric=cluster: legal with -icount, on nodes in step: a processor waits for answers in virtual time");
        return false;
    }
    if (DEVICE(s)->hotplugged) {
        error_setg(errp, "smile-sci: fabric=cluster: the adapter is there when its machine begins, or not at all");
        return false;
    }
    s->port = (PbClusterPort){ .name = TYPE_SMILE_SCI, .kind = SCI_CLUSTER_KIND, .answer = sci_answers_after(config), .promise = promise, .take = take, .dev = s };
    cluster = pb_cluster_port(&s->port, errp);
    if (!cluster) {
        return false;
    }
    config->moved = moved;
    config->nodes = s->nodes ?: pb_cluster_nodes();
    sci_join(config, cluster);
    if (s->node != pb_cluster_node() || config->nodes != pb_cluster_nodes()) {
        error_setg(errp, "smile-sci: node=%u, nodes=%u: this machine is node %u of %u", s->node, config->nodes, pb_cluster_node(),
                   pb_cluster_nodes());
        return false;
    }
    s->latency = true;
    return true;
}

/* The adapters' end of the cable (hw/qemu/core/links/links.h): node k's B-Link is lane k. */

void sci_packet(void *opaque, const SciPacket *packet)
{
    pb_cable_packet(opaque, packet->node, packet);
}

/* latency=on: packets that are on their way. Big lock held. */
static void tell(Object *adapter, void (*packets)(SciAdapter *board))
{
    SciDevice *s = SMILE_SCI(adapter);

    if (s->latency) {
        pb_spin_lock(&s->glue.spin);
        packets(&s->board);
        qemu_spin_unlock(&s->glue.spin);
    }
}

static void catch_up(Object *adapter)
{
    tell(adapter, sci_tell_due);
}

static void arrive(Object *adapter)
{
    tell(adapter, sci_tell_all);
}

static void listened(Object *adapter)
{
    SciDevice *s = SMILE_SCI(adapter);
    const uint64_t lanes = pb_cable_lanes(adapter, false), payload = pb_cable_lanes(adapter, true);

    pb_spin_lock(&s->glue.spin);
    sci_want_packets(&s->board, lanes);
    sci_want_payload(&s->board, payload);
    qemu_spin_unlock(&s->glue.spin);
}

void sci_cable_class_init(ObjectClass *klass)
{
    PbCableAdapterClass *ac = PB_CABLE_ADAPTER_CLASS(klass);

    ac->catch_up = catch_up;
    ac->arrive = arrive;
    ac->listened = listened;
}
