/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * PbBoardType - a board as QEMU knows it. Its type is made of this one description: class, properties and what they are, errors on purpose, snapshots,
 * reset, and for PCI the card's IDs and hot plug.
 *
 *   static const PbBoardType sci_board = {
 *       .name = TYPE_SMILE_SCI, .desc = "PCI-SCI adapters", .category = DEVICE_CATEGORY_NETWORK, PB_BOARD_DEVICE(SciDevice),
 *       PB_BOARD_PROPERTIES(sci_properties), .texts = sci_texts, .view = sci_board_view, .vmsd = &vmstate_sci, .reset = sci_bus_reset,
 *       .pci = { .vendor = ..., .device = ..., .class = ..., .realize = sci_realize, .exit = sci_exit },
 *   };
 *   void perfboard_register_sci(void) { pb_board_register(&sci_board); }
 *
 * What is odd about a board it adds to its class itself, in `more`. Big lock held in each function.
 */
#ifndef PERFBOARD_QEMU_CORE_BOARD_TYPE_H
#define PERFBOARD_QEMU_CORE_BOARD_TYPE_H

#include "hw/pci/pci_device.h"
#include "hw/qdev-properties.h"

#include "hw/qemu/core/host_glue.h"

typedef struct PbBoardType {
    const char *name; /* -device NAME */
    const char *desc;
    enum DeviceCategory category;
    size_t size, glue; /* PB_BOARD_DEVICE */
    const char *parent, *interface; /* NULL: a PCI device; none of ours */
    const Property *properties; /* PB_BOARD_PROPERTIES; DEFINE_PB_INSPECT is one */
    size_t properties_count;
    const char *const (*texts)[2]; /* property, what it is; the last one is NULL. Also of those that `more` adds */
    const void *(*view)(void);     /* NULL: it has none */
    const VMStateDescription *vmsd;
    void (*init)(Object *board);                    /* members that are not 0 at first. NULL: none */
    void (*reset)(Object *board, ResetType type);   /* the bus resets it, behind pb_glue_reset(). NULL: `more` says how */
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
#define PB_BOARD_PROPERTIES(array) .properties = array, .properties_count = ARRAY_SIZE(array)

void pb_board_register(const PbBoardType *board);

#endif
