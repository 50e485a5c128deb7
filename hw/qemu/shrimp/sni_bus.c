/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The bus that all SNIs of a machine are on (hw/shrimp/bus.cc). One board's grant follows from the others' cycles, so a call of one model may go on
 * in another: with contention they have one lock. */
#include "qemu/osdep.h"
#include "qapi/error.h"

#include "hw/qemu/shrimp/sni.h"

static SniBus bus;
static QemuMutex *lock; /* of the board that came first */

static int differs(Object *o, void *opaque)
{
    const SniDevice *s = opaque, *other = (SniDevice *)object_dynamic_cast(o, TYPE_SHRIMP_SNI);

    return other && (other->contention != s->contention || (s->contention && other->acquire_ns != s->acquire_ns));
}

bool sni_fits_bus(SniDevice *s, Error **errp)
{
    if (object_child_foreach_recursive(object_get_root(), differs, s)) {
        error_setg(errp, "contention=%s, acquire=%u: another shrimp-sni of this machine has other values; legal are the same for all that share its bus",
                   s->contention ? "on" : "off", s->acquire_ns);
        return false;
    }
    if (s->waits_for_bus && bus.boards) {
        error_setg(errp, "contention=on: this machine is a node in step, and has another shrimp-sni; legal is one");
        return false;
    }
    return true;
}

void sni_join_bus(SniDevice *s, SniConfig *config)
{
    if (!s->contention) {
        return;
    }
    if (!lock) {
        lock = s->glue.mutex;
    }
    s->glue.mutex = lock;
    config->bus = &bus;
    config->slot = EISA_DEVICE(s)->slot;
}

bool sni_shares_bus(void)
{
    return bus.boards > 1;
}
