/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The adapters' end of the cable (hw/qemu/core/links/links.h): node k's B-Link is lane k. */
#include "qemu/osdep.h"

#include "hw/qemu/sci/sci.h"

void sci_packet(void *opaque, const SciPacket *packet)
{
    pb_cable_packet(opaque, packet->node, packet);
}

/* latency=on: packets that are on their way. Big lock held. */
static void tell(Object *adapter, void (*packets)(SciAdapter *board))
{
    SciDevice *s = SMILE_SCI(adapter);

    if (s->latency) {
        qemu_spin_lock(&s->glue.spin);
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
    bool payload = pb_cable_wants_payload(adapter);

    qemu_spin_lock(&s->glue.spin);
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
