/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The bus object behind eisa.h: for the bus (eisa.c) and the bridge that owns it (i82375.c). */
#ifndef PERFBOARD_QEMU_EISA_BUS_H
#define PERFBOARD_QEMU_EISA_BUS_H

#include "hw/irq.h"
#include "hw/isa/isa.h"
#include "hw/pci/pci_device.h"

#include "hw/qemu/eisa/eisa.h"

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
