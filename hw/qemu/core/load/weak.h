/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Makes each reference to a symbol of QEMU's weak: those of core/load/symbols.h, and in a board's shim those of its own
 * list. The compiler includes it before all else (-include) in files that see a header of QEMU. */
#ifndef PERFBOARD_QEMU_WEAK_H
#define PERFBOARD_QEMU_WEAK_H

#define PB_PRAGMA_(text) _Pragma(#text)
#define SYMBOL(name) PB_PRAGMA_(weak name)
#include "hw/qemu/core/load/symbols.h"
#ifdef PB_BOARD_SYMBOLS
#include PB_BOARD_SYMBOLS
#endif
#undef SYMBOL

#endif
