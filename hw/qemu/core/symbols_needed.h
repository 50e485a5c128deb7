/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The lists of symbols (symbols.h) as data: pb_symbols_core, and pb_symbols_NAME of a board. */
#ifndef PERFBOARD_QEMU_CORE_SYMBOLS_NEEDED_H
#define PERFBOARD_QEMU_CORE_SYMBOLS_NEEDED_H

typedef struct PbSymbol {
    const char *name; /* NULL: the list ends */
    const void *address; /* in this QEMU; NULL: it lacks the symbol */
} PbSymbol;

extern const PbSymbol pb_symbols_core[];

#endif
