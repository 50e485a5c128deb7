/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The MULTIKRON card's QOM object: shared by its shim (multikron.c), its connections to the
 * machine (multikron_pins.c) and its network (multikron_net.c). */
#ifndef PERFBOARD_QEMU_MULTIKRON_H
#define PERFBOARD_QEMU_MULTIKRON_H

#include "hw/pci/pci_device.h"
#include "migration/vmstate.h"

#include "hw/multikron/multikron.h"
#include "hw/qemu/core/board/board_type.h"
#include "hw/qemu/core/board/window.h"
#include "hw/qemu/core/faults/inject.h"
#include "hw/qemu/core/inspect/inspect.h"
#include "hw/qemu/core/links/links.h"
#include "hw/qemu/core/time/stall.h"
#include "hw/qemu/multikron/multikron_collect.h"
#include "hw/qemu/multikron/multikron_net.h"
#include "plugins/events.h"

#define TYPE_MULTIKRON "multikron"
OBJECT_DECLARE_SIMPLE_TYPE(MultiKronDevice, MULTIKRON)

enum { MK_PINS = 16, MK_LINES = 8 };

typedef struct MkPin {
    char *source; /* the property's text; NULL: not connected */
    PbEventSource *events;
    PbWire *wire; /* NULL: to none */
    PbWireEnd end;
    MultiKronDevice *card;
    bool high; /* set from outside (pin0..pin15) */
} MkPin;

struct MultiKronDevice {
    PCIDevice parent_obj;
    MultiKron chip;
    PbGlue glue;
    PbStall stall;
    MkNet net;
    MkCollect *collect; /* NULL: the stream is this card's alone */
    int32_t collect_node; /* -1: so */
    MkPin pin[MK_PINS];
    char *cpus, *free; /* properties as given */
    uint32_t node_clock, timestamp_clock, fifo_depth, wait_states;
    uint64_t free_size, free_rate;
    bool test_mode, external_free;
    bool was_reset; /* by the reset that is under way */
    unsigned place; /* among the machine's chips */
    bool pins_high[MK_PINS]; /* pin[].high, in a snapshot */
    int8_t line[PB_MAX_VCPUS]; /* CPU ID line of a vCPU; -1: another chip's */
};

extern const PbWindow multikron_windows[]; /* multikron_access.c */
extern const PbSnapshot multikron_snapshot; /* multikron_vmstate.c */

/* multikron_pins.c */
bool multikron_connect_pins(MultiKronDevice *s, Error **errp);
void multikron_disconnect_pins(MultiKronDevice *s);
uint64_t multikron_external(void *opaque, unsigned pin);
void multikron_watch(void *opaque, uint16_t pins);
void multikron_rebase(void *opaque, uint16_t pins);
void multikron_add_properties(ObjectClass *klass);

/* multikron_lines.c: which chip serves which vCPU */
bool multikron_connect_lines(MultiKronDevice *s, MkConfig *config, Error **errp);
void multikron_disconnect_lines(MultiKronDevice *s);
/* The reset pin, which all chips of the machine share. */
void multikron_reset_all(void);
void multikron_reset(MultiKronDevice *s); /* of one alone: it has just got its power */

#endif
