/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * perfboard-lan: where one of QEMU's networks goes on to the other nodes of a cluster. Behaviour is in hw/lan/.
 *
 *   -netdev hubport,id=lan,hubid=0 -device perfboard-lan,netdev=lan
 *   -netdev hubport,id=nic,hubid=0 -device vmxnet3,netdev=nic,mac=52:54:00:50:00:01
 *
 * To QEMU it is one of the networks of the host, on a hub with the guest's adapter. */
#include "hw/qemu/series/qemu.h"

#include "hw/model/host.h"
#include "hw/lan/lan.h"
#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/links/cluster.h"
#include "hw/qemu/core/time/time.h"
#include "hw/qemu/series/insides.h"

#define TYPE_PERFBOARD_LAN "perfboard-lan"
OBJECT_DECLARE_SIMPLE_TYPE(LanDevice, PERFBOARD_LAN)

/* What QEMU's network layer has of it. */
typedef struct LanEnd {
    NetClientState nc;
    LanDevice *s;
} LanEnd;

struct LanDevice {
    DeviceState parent_obj;
    Lan lan;
    uint32_t rate, latency;
    Cluster *cluster;
    NICPeers hub; /* its port */
    NetClientState *end;
    PbTimer timer;
    PbClusterPort port;
};

/* --- to the other nodes ------------------------------------------------------------ */

/* In step, what is sent in the vCPU's thread is in time, and a ring is never full (hw/lan/lan.cc). A free node may not come to taking anything in. */
static void to_node(void *dev, const ClusterMessage *m)
{
    LanDevice *s = dev;

    if (pb_time_counts_instructions() || cluster_has_room(s->cluster, m->to, m->bytes)) {
        cluster_send(s->cluster, m);
    } else {
        s->lan.state.dropped_receiver++;
    }
}

static ssize_t from_adapter(NetClientState *nc, const uint8_t *frame, size_t bytes)
{
    LanDevice *s = container_of(nc, LanEnd, nc)->s;

    if (pb_time_counts_instructions() && !qemu_in_vcpu_thread()) {
        qemu_log_mask(LOG_GUEST_ERROR, "perfboard-lan: a frame is dropped that no instruction and no timer of the machine has sent\n");
        s->lan.state.dropped_outside++;
        return bytes;
    }
    switch (lan_send(&s->lan, pb_time_now(), frame, MIN(bytes, UINT32_MAX))) {
    case LAN_TOO_LONG:
        qemu_log_mask(LOG_GUEST_ERROR, "perfboard-lan: a frame of %zu bytes is dropped: an Ethernet's has %d at most\n", bytes, LAN_MOST_BYTES);
        break;
    case LAN_SENT:
    case LAN_NO_ROOM:
    case LAN_NOT_JOINED:
        break;
    }
    return bytes;
}

static void promise(void *dev, uint64_t now, uint64_t next, uint64_t *first, uint64_t *answers)
{
    *first = lan_promise(&PERFBOARD_LAN(dev)->lan, next);
    *answers = PB_NEVER;
}

/* --- from them -------------------------------------------------------------------------- */

/* An adapter that has no room is not waited for: QEMU would hold the frame, and those behind it. */
static void deliver(void *dev)
{
    LanDevice *s = dev;
    uint8_t frame[LAN_MOST_BYTES];
    uint32_t bytes;

    while ((bytes = lan_next(&s->lan, pb_time_now(), frame))) {
        if (qemu_can_send_packet(s->end)) {
            qemu_send_packet(s->end, frame, bytes);
        } else {
            s->lan.state.dropped_adapter++;
        }
    }
    pb_timer_set(&s->timer, lan_due(&s->lan));
}

static bool take(void *dev, const ClusterMessage *m)
{
    bool ok = lan_take(&PERFBOARD_LAN(dev)->lan, m);

    deliver(dev);
    return ok;
}

/* --- snapshot --------------------------------------------------------------------------- */

#define STATE_LIST "hw/lan/state.def"
#include "hw/qemu/core/board/state_vmstate.h"

static int post_load(void *opaque, int version)
{
    LanDevice *s = opaque;
    char why[PB_WHY_BYTES];

    if (!lan_state_ok(&s->lan.state, pb_time_now(), why, sizeof(why))) {
        error_report("perfboard-lan: the snapshot is damaged: %s", why);
        s->lan.state = (LanState){ 0 };
        return -EINVAL;
    }
    pb_timer_set(&s->timer, lan_due(&s->lan));
    return 0;
}

static const VMStateDescription vmstate_lan = {
    .name = TYPE_PERFBOARD_LAN,
    .version_id = 1,
    .minimum_version_id = 1,
    .post_load = post_load,
    .fields = (const VMStateField[]) {
        PB_VMSTATE_EQUAL(rate, LanDevice, "rate"),
        VMSTATE_STRUCT(lan.state, LanDevice, 1, vmstate_LanState, LanState),
        VMSTATE_END_OF_LIST()
    }
};

/* --- life ------------------------------------------------------------------------------- */

static void realize(DeviceState *dev, Error **errp)
{
    /* QEMU warns of a hub without a network of some kind that it knows. */
    static NetClientInfo end = { .type = NET_CLIENT_DRIVER_DGRAM, .size = sizeof(LanEnd), .receive = from_adapter };
    LanDevice *s = PERFBOARD_LAN(dev);
    LanConfig config = {
        .node = pb_cluster_node(), .nodes = pb_cluster_nodes(), .rate = s->rate, .latency_ns = s->latency, .join = pb_cluster_join(),
        .send = to_node, .opaque = s,
    };
    bool ambiguous = false;
    char why[160];

    object_resolve_path_type("", TYPE_PERFBOARD_LAN, &ambiguous);
    if (ambiguous) {
        error_setg(errp, "perfboard-lan: this machine has one already; the nodes have one Ethernet");
        return;
    }
    if (!lan_config_ok(&config, why, sizeof(why))) {
        error_setg(errp, "%s", why);
        return;
    }
    if (!s->hub.ncs[0]) {
        error_setg(errp, "netdev=: none given; legal is the id of a -netdev hubport whose hub the guest's adapter has, too");
        return;
    }
    s->port = (PbClusterPort){ .name = TYPE_PERFBOARD_LAN, .kind = LAN_CLUSTER_KIND, .answer = PB_NEVER, .promise = promise, .take = take, .dev = s };
    s->cluster = pb_cluster_port(&s->port, errp);
    if (!s->cluster) {
        return;
    }
    lan_init(&s->lan, &config);
    pb_timer_init(&s->timer, deliver, s);
    s->end = qemu_new_net_client(&end, s->hub.ncs[0], TYPE_PERFBOARD_LAN, dev->id);
    container_of(s->end, LanEnd, nc)->s = s;
}

static const struct {
    const char *name, *text;
    size_t at;
} counts[] = {
    { "sent-frames", "frames that the guest has sent to other nodes", offsetof(LanState, sent_frames) },
    { "sent-bytes", "their bytes, without preamble and check sequence", offsetof(LanState, sent_bytes) },
    { "received-frames", "frames that have come from other nodes", offsetof(LanState, received_frames) },
    { "received-bytes", "their bytes", offsetof(LanState, received_bytes) },
    { "dropped-outside", "sent by no instruction and no timer of the machine: by the monitor, or by an adapter that leaves it to QEMU's main loop",
      offsetof(LanState, dropped_outside) },
    { "dropped-long", "sent, and longer than an Ethernet's: 1518 bytes", offsetof(LanState, dropped_long) },
    { "dropped-not-joined", "sent before the nodes were in step (join=)", offsetof(LanState, dropped_not_joined) },
    { "dropped-uplink", "sent while too many waited for the link to the switch", offsetof(LanState, dropped_uplink) },
    { "dropped-downlink", "come while the switch held as many as it can for this node", offsetof(LanState, dropped_downlink) },
    { "dropped-receiver", "sent to a free node (free=on) that takes nothing in", offsetof(LanState, dropped_receiver) },
    { "dropped-adapter", "received, of these: the guest's adapter had no room", offsetof(LanState, dropped_adapter) },
};

static void get_count(Object *obj, Visitor *v, const char *name, void *opaque, Error **errp)
{
    size_t i = 0;

    while (strcmp(name, counts[i].name)) {
        i++;
    }
    visit_type_uint64(v, name, (uint64_t *)((char *)&PERFBOARD_LAN(obj)->lan.state + counts[i].at), errp);
}

static const PbProperty properties[] = {
    { DEFINE_PROP_NETDEV("netdev", LanDevice, hub), "where the guest's adapter is: a hubport" },
    { DEFINE_PROP_UINT32("rate", LanDevice, rate, 10), "of each link, Mbit/s, 1..1000" },
    { DEFINE_PROP_UINT32("latency", LanDevice, latency, 10000), "of the switch, ns, 5000..100000" },
};

static void class_init(ObjectClass *klass, PbClassData *data)
{
    static Property own[ARRAY_SIZE(properties)];
    DeviceClass *dc = DEVICE_CLASS(klass);

    for (size_t i = 0; i < ARRAY_SIZE(properties); i++) {
        own[i] = properties[i].property;
    }
    device_class_set_props_n(dc, own, ARRAY_SIZE(own));
    for (size_t i = 0; i < ARRAY_SIZE(properties); i++) {
        object_class_property_set_description(klass, properties[i].property.name, properties[i].text);
    }
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
        pb_board_add(klass, counts[i].name, "uint64", get_count, NULL, counts[i].text);
    }
    dc->realize = realize;
    dc->vmsd = pb_vmstate(&vmstate_lan);
    dc->hotpluggable = false;
    dc->desc = "Ethernet between the nodes of a cluster, for a network adapter of QEMU's";
    set_bit(DEVICE_CATEGORY_NETWORK, dc->categories);
}

static const TypeInfo lan_type = {
    .name = TYPE_PERFBOARD_LAN,
    .parent = TYPE_DEVICE,
    .instance_size = sizeof(LanDevice),
    .class_init = class_init,
};

void perfboard_register_lan(void)
{
    type_register_static(&lan_type);
}
