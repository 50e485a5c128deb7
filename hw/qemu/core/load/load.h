/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What happens while the object is loaded.
 *
 *   perfboard_guard()   is this a QEMU that the object was built for?
 *   perfboard_start()   registers the devices, and all that is to be there before the machine is; or prints help, and ends
 *
 * The registry: the devices that the object brings, as hw/boards lists them. A board NAME gives hw/qemu/NAME a function
 * perfboard_register_NAME(), which registers its QOM types, and in hw/NAME/meson.build qemu_symbols: those of QEMU's that the shim
 * refers to. A machine that
 * lacks the board's bus gets neither the device nor the demand for these symbols.
 *
 * The guard. Upstream promises plugins no device API, so the object fits one series of QEMU (loader.c chooses among objects), and the
 * emulators that hw/qemu/meson.build names. All symbols of QEMU are referenced weakly (weak.h): the object loads anywhere and can say what is wrong. README.md lists what
 * it says.
 */
#ifndef PERFBOARD_QEMU_CORE_LOAD_H
#define PERFBOARD_QEMU_CORE_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "hw/qemu/core/links/cluster.h"

/* The lists of symbols (symbols.h, and qemu_symbols of hw/NAME/meson.build) as data: pb_symbols_core, and pb_symbols_NAME of a board. */
typedef struct PbSymbol {
    const char *name; /* NULL: the list ends */
    const void *address; /* in this QEMU; NULL: it lacks the symbol */
} PbSymbol;

extern const PbSymbol pb_symbols_core[];

/* As hw/boards has them. */
typedef enum PbBus { PB_BUS_pci = 1, PB_BUS_eisa = 2 } PbBus;

typedef struct PbBoard {
    const char *name;   /* in hw/boards */
    const char *device; /* what -device takes */
    PbBus bus;
    void (*register_types)(void);
    const PbSymbol *symbols;
} PbBoard;

extern const PbBoard pb_boards[];
extern const size_t pb_board_count;

/* An emulator, as in qemu-system-NAME, that the object is for. */
typedef struct PbEmulator {
    const char *name;
    unsigned buses; /* PbBus, or-ed */
} PbEmulator;

extern const PbEmulator pb_emulators[];
extern const size_t pb_emulator_count;

/* For which series objects were built, this one among them: "10.0 or 10.2". */
extern const char pb_series_built[];

/* The next of the boards that an emulator has; NULL: that was the last. before: NULL for the first. */
const PbBoard *pb_next_board(const PbEmulator *emulator, const PbBoard *before);

/* The object's options. */
typedef struct PbOptions {
    bool help;
    const char *scenario, *unreached, *pending; /* files; NULL: none */
    PbClusterOptions cluster;
} PbOptions;

/* What emulator this is, if the boards can work here. NULL: one line on stderr says why not and what is legal.
 * target: the emulator's, as in qemu-system-TARGET. most_vcpus: that the machine may ever have at once. A vCPU's cpu_index is below it,
 * so that arrays of PB_MAX_VCPUS hold all. */
const PbEmulator *perfboard_guard(const char *target, bool system_emulation, int most_vcpus);

/* Devices, their properties, event sources, on stdout; the emulator's devices are registered. QEMU's own -device NAME,help cannot: QEMU answers it
 * before it loads plugins. */
void perfboard_help(const PbEmulator *emulator);

/* False, with a line on stderr: an option is wrong, and nothing has been registered. */
bool perfboard_start(const PbEmulator *emulator, const PbOptions *options);

#endif
