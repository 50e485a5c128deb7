/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Included before everything else in files that see QEMU's headers: see symbols.h. */
#ifndef PERFBOARD_QEMU_WEAK_H
#define PERFBOARD_QEMU_WEAK_H

#define PB_PRAGMA_(text) _Pragma(#text)
#define SYMBOL(name) PB_PRAGMA_(weak name)
#include "hw/qemu/symbols.h"
#undef SYMBOL

#endif
