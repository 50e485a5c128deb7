/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * EISA bus for QEMU - slot-specific I/O, interrupt lines that boards share, memory windows.
 *
 * A board is a TYPE_EISA_DEVICE with a slot. Window 0 of its description (board_type.h) and of its view is the slot's I/O (offset
 * 0x000..0xfff in the slot; the bus decodes n000-n0FF, n400-n4FF, n800-n8FF and nC00-nCFF only). Boards put their memory
 * windows into eisa_memory(), where RAM and PCI BARs win over them, as on a bridge that decodes subtractively.
 */
#ifndef PERFBOARD_QEMU_EISA_H
#define PERFBOARD_QEMU_EISA_H

#include "hw/qemu/series/qemu.h"
#include "hw/qemu/core/board/window.h"

#define TYPE_EISA_BUS "EISA"
#define TYPE_EISA_DEVICE "eisa-device"
OBJECT_DECLARE_TYPE(EisaDevice, EisaDeviceClass, EISA_DEVICE)
OBJECT_DECLARE_SIMPLE_TYPE(EisaBus, EISA_BUS)

struct EisaDeviceClass {
    DeviceClass parent_class;
    void (*board_realize)(EisaDevice *dev, Error **errp);
};

struct EisaDevice {
    DeviceState parent_obj;
    uint32_t slot;
    uint16_t drives; /* lines: bit n is IRQ n; one at most */
    PbWindowPart io[4];
};

/* Drive line irq (-1: none, any level) for this board; a line is high while any board drives it. */
void eisa_set_irq(EisaDevice *dev, int irq, bool level);
MemoryRegion *eisa_memory(EisaDevice *dev);
EisaBus *eisa_bus(EisaDevice *dev);
/* A window of the board's is there, at `base` of eisa_memory(), or not. In a transaction of the memory's map. */
void eisa_place(EisaDevice *dev, MemoryRegion *window, bool on, hwaddr base);

/* The first row of a board's windows. */
#define EISA_SLOT "eisa-slot-io", .ports = true, .unaligned = true, .most = 4

/* The bus object, for eisa.c and the bridge that owns it (i82375.c) alone. */

#define EISA_LINES 16
#define TYPE_I82375 "i82375" /* the bridge */

/* An interrupt input of the machine. PCI and ISA devices drive it, and EISA boards do. The two levels are OR-ed, so that
 * neither side can withdraw the other's request. */
typedef struct EisaLine {
    qemu_irq_handler handler; /* the input's own, before the bus took its place */
    void *opaque;
    int n;
    EisaBus *bus;
    uint8_t number;
} EisaLine;

struct EisaBus {
    BusState parent_obj;
    PCIDevice *bridge;
    EisaLine line[EISA_LINES];
    uint16_t slots[EISA_LINES];  /* per line: bit n set while slot n drives it */
    uint8_t machine[EISA_LINES]; /* level that the rest of the machine drives */
};

void eisa_bus_attach(EisaBus *bus, PCIDevice *bridge, ISABus *isa);
uint16_t eisa_boards(EisaBus *bus);       /* bit n: a board is in slot n */
void eisa_release_lines(EisaBus *bus);    /* as if nobody drove any */
/* After a snapshot: it said that a board drives a line, and the board, which was not loaded, does not. */
void eisa_agree(EisaBus *bus);
void perfboard_register_i82375(void);

#endif
