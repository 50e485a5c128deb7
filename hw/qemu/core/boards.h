/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The registry: the devices that the object brings, as hw/boards lists them.
 *
 * A board NAME gives hw/qemu/NAME a function perfboard_register_NAME(), which registers its QOM types, and a symbols.h: the
 * symbols of QEMU that the shim refers to. A machine that lacks the board's bus gets neither the device nor the demand for
 * these symbols.
 */
#ifndef PERFBOARD_QEMU_CORE_BOARDS_H
#define PERFBOARD_QEMU_CORE_BOARDS_H

#include <stddef.h>

#include "hw/qemu/core/symbols_needed.h"

/* As hw/boards has them. */
typedef enum PbBus { PB_BUS_pci = 1, PB_BUS_eisa = 2 } PbBus;

typedef struct PbBoard {
    const char *name;   /* in hw/boards */
    const char *device; /* what -device takes */
    PbBus bus;
    void (*register_types)(void);
    const PbSymbol *symbols;
} PbBoard;

void perfboard_register_core(void); /* before the boards: the interfaces that they implement (cable.h) */

extern const PbBoard pb_boards[];
extern const size_t pb_board_count;

/* An emulator, as in qemu-system-NAME, that the object is for. */
typedef struct PbEmulator {
    const char *name;
    unsigned buses; /* PbBus, or-ed */
} PbEmulator;

extern const PbEmulator pb_emulators[];
extern const size_t pb_emulator_count;

/* The next of the boards that an emulator has; NULL: that was the last. before: NULL for the first. */
const PbBoard *pb_next_board(const PbEmulator *emulator, const PbBoard *before);

#endif
