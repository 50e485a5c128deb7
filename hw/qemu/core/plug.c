/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "hw/pci/pci_device.h"

#include "hw/qemu/core/commit.h"
#include "hw/qemu/core/host_glue.h"
#include "hw/qemu/core/plug.h"
#include "hw/qemu/core/scenario.h"

/* TYPE_PCI_DEVICE's, which is the parent of each of our PCI boards. */
static DeviceRealize pci_realize;
static DeviceUnrealize pci_unrealize;

/* In a transaction of the memory's map, which it ends. */
static void leave(DeviceState *dev)
{
    PbGlue *g = pb_inject_glue(OBJECT(dev));

    if (PCI_DEVICE_GET_CLASS(dev)->exit) {
        PCI_DEVICE_GET_CLASS(dev)->exit(PCI_DEVICE(dev));
    }
    pb_cover_forget(OBJECT(dev));
    pb_scenario_leave(g);
    pb_glue_leave(g);
    pb_windows_commit_last(OBJECT(dev), g->ops ? g->ops->gone : NULL);
}

static void plug(DeviceState *dev, Error **errp)
{
    Error *why = NULL;

    pci_realize(dev, &why);
    if (why) {
        memory_region_transaction_begin();
        pb_glue_last(pb_inject_glue(OBJECT(dev)));
        leave(dev);
        error_propagate(errp, why);
        return;
    }
    if (dev->hotplugged) { /* those that a machine begins with are told when it is complete */
        pb_inject_plugged(pb_inject_glue(OBJECT(dev)));
        pb_scenario_plugged(pb_inject_glue(OBJECT(dev)));
    }
}

static void unplug(DeviceState *dev)
{
    memory_region_transaction_begin();
    pb_glue_last(pb_inject_glue(OBJECT(dev)));
    pci_unrealize(dev);
    leave(dev);
}

void pb_plug_class_init(ObjectClass *klass)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    pci_realize = dc->realize;
    pci_unrealize = dc->unrealize;
    dc->realize = plug;
    dc->unrealize = unplug;
}
