/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PbBoardType - a board as QEMU knows it. Its type is made of this one description: class, properties and what they are, windows, errors on
 * purpose, snapshots, reset, and for PCI the card's IDs and hot plug.
 *
 *   static const PbBoardType sci_board = {
 *       .name = TYPE_SMILE_SCI, .desc = "PCI-SCI adapters", .category = DEVICE_CATEGORY_NETWORK, PB_BOARD_DEVICE(SciDevice),
 *       .properties = sci_properties, .windows = sci_windows, .view = sci_board_view, .snapshot = &sci_snapshot, .reset = reset,
 *       .ops = { .lock = PB_SPIN, .timer = timer, .behind = sci_update_observation },
 *       .pci = { .vendor = ..., .device = ..., .class = ..., .realize = sci_realize, .exit = sci_exit },
 *   };
 *   void perfboard_register_sci(void) { pb_board_register(&sci_board); }
 *
 * Realizing it, a board makes what its model needs and then says
 *
 *       pb_board_begin(s);                                    the host and the windows; on PCI the interrupt pin, if it has one
 *       sci_init(&s->board, &config, &s->glue.host);
 *       pb_board_open(s, &s->board, errp)                     log, coverage, `registers`: false if one of these properties is wrong
 *
 *       pb_board_tap(s, &tap_ops, errp)                       if it observes the guest's memory (plugins/taps.h): s->glue.tap, which goes with
 *                                                             the board. False: there are too many already
 *
 * What is odd about a board it adds to its class itself, in `more`. Big lock held in each function.
 */
#ifndef PERFBOARD_QEMU_CORE_BOARD_TYPE_H
#define PERFBOARD_QEMU_CORE_BOARD_TYPE_H

#include "hw/pci/pci_device.h"
#include "hw/qdev-properties.h"

#include "hw/qemu/core/host_glue.h"
#include "hw/qemu/core/window.h"
#include "plugins/taps.h"

/* { DEFINE_PROP_UINT32("nodes", SciDevice, nodes, 0), "nodes of the cluster, 1..32; 0: one for each vCPU" } */
typedef struct PbProperty {
    Property property;
    const char *text;
} PbProperty;

typedef struct PbBoardType {
    const char *name; /* -device NAME */
    const char *desc;
    enum DeviceCategory category;
    size_t size, glue; /* PB_BOARD_DEVICE */
    const char *parent, *interface; /* NULL: a PCI device; none of ours */
    const PbProperty *properties; /* those of inspect.h come by themselves. The last one has no name; NULL: none */
    const PbWindow *windows;      /* window.h. NULL: none */
    const void *(*view)(void);    /* NULL: it has none */
    PbGlueOps ops;
    const struct PbSnapshot *snapshot; /* snapshot.h. NULL: it has none */
    void (*init)(Object *board);                    /* members that are not 0 at first. NULL: none */
    /* The model's part of a reset by the bus, under the lock; of one after a sleep that took the slots' power. NULL: `more` says how; as reset() */
    void (*reset)(void *dev);
    void (*power_lost)(void *dev);
    void (*free)(Object *board);                    /* a board on PCI has gone (plug.h); the glue is freed behind it. NULL: nothing */
    void (*more)(ObjectClass *klass);               /* NULL: nothing */
    struct {
        uint16_t vendor, device, class;
        void (*realize)(PCIDevice *pci, Error **errp);
        void (*exit)(PCIDevice *pci); /* plug.h */
        void (*config_write)(PCIDevice *pci, uint32_t addr, uint32_t value, int len); /* NULL: pb_pci_write_config() */
    } pci;
} PbBoardType;

#define PB_BOARD_DEVICE(Device) .size = sizeof(Device), .glue = offsetof(Device, glue)

/* A function of the model, which is the device's `member`, as one of the device: PB_MODEL(timer, SciDevice, board, sci_timer) */
#define PB_MODEL(function, Device, member, call) \
    static void function(void *dev)              \
    {                                            \
        call(&((Device *)dev)->member);          \
    }
/* PbSnapshot.load, of the model's own. */
#define PB_MODEL_LOAD(function, Device, member, call)                                     \
    static bool function(void *dev, const void *image, char *why, size_t why_size)        \
    {                                                                                     \
        return call(&((Device *)dev)->member, image, why, why_size);                      \
    }

void pb_board_register(const PbBoardType *board);

/* In realize. */
void pb_board_begin(void *dev);
bool pb_board_tap(void *dev, const PbTapOps *ops, Error **errp);
bool pb_board_open(void *dev, void *model, Error **errp);

/* In `more`: a property that is no member of the device. */
void pb_board_add(ObjectClass *klass, const char *name, const char *type, ObjectPropertyAccessor *get, ObjectPropertyAccessor *set, const char *text);
void pb_board_add_bool(ObjectClass *klass, const char *name, bool (*get)(Object *, Error **), void (*set)(Object *, bool, Error **), const char *text);

#endif
