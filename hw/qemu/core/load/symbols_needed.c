/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Compiled once for hw/qemu/core, and once for each board with PB_BOARD and PB_BOARD_SYMBOLS (hw/qemu/meson.build).
 * Includes no header of QEMU: each symbol is only an address here, which is NULL if the dynamic linker found none. */
#include <stddef.h>

#include "hw/qemu/core/load/load.h"

#ifdef PB_BOARD
#define PB_SYMBOLS_(board) pb_symbols_##board
#define PB_SYMBOLS(board) PB_SYMBOLS_(board)
#else
#define PB_SYMBOLS(none) pb_symbols_core
#define PB_BOARD_SYMBOLS "hw/qemu/core/load/symbols.h"
#endif

#define SYMBOL(name) extern const char name[] __attribute__((weak));
#include PB_BOARD_SYMBOLS
#undef SYMBOL

#define SYMBOL(name) { #name, name },
extern const PbSymbol PB_SYMBOLS(PB_BOARD)[];
const PbSymbol PB_SYMBOLS(PB_BOARD)[] = {
#include PB_BOARD_SYMBOLS
    { NULL, NULL },
};
#undef SYMBOL
