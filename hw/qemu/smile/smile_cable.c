/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The card's cable, which is plugged into a node's B-Link (hw/qemu/core/links/links.h). */
#include "qemu/osdep.h"
#include "qapi/error.h"

#include "hw/qemu/smile/smile.h"

/* Of its lane. In the thread of the vCPU whose access makes the packet, without the big lock. Millions a second: QOM's look at the
 * object's class would be a quarter of the time. */
static void heard(Object *monitor, const void *packet)
{
    SmileDevice *s = container_of(monitor, SmileDevice, parent_obj.qdev.parent_obj);

    qemu_spin_lock(&s->glue.spin);
    if (!s->glue.left) {
        smile_packet(&s->hwm, packet);
    }
    qemu_spin_unlock(&s->glue.spin);
}

static bool fits(Object *monitor, Object *adapter, Error **errp)
{
    uint32_t node = SMILE_HWM(monitor)->node;
    uint64_t nodes = object_property_get_uint(adapter, "nodes", &error_abort);

    if (node >= nodes) {
        error_setg(errp, "smile-hwm: node=%u: legal are 0 to %" PRIu64 ", the nodes of the smile-sci", node, nodes - 1);
    }
    return node < nodes;
}

static void plugged(Object *monitor)
{
    SmileDevice *s = SMILE_HWM(monitor);

    qemu_spin_lock(&s->glue.spin);
    smile_set_cable(&s->hwm, s->cable.adapter);
    qemu_spin_unlock(&s->glue.spin);
}

void smile_cable_class_init(ObjectClass *klass)
{
    PbCableMonitorClass *mc = PB_CABLE_MONITOR_CLASS(klass);

    mc->packet = heard;
    mc->fits = fits;
    mc->plugged = plugged;
}
