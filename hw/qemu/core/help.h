/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What -plugin perfboard.so,help prints: devices, their properties, event sources.
 *
 * QEMU's own -device NAME,help cannot: QEMU answers it before it loads plugins.
 */
#ifndef PERFBOARD_QEMU_HELP_H
#define PERFBOARD_QEMU_HELP_H

#include "hw/qemu/core/boards.h"

void perfboard_help(const PbEmulator *emulator); /* on stdout; its devices are registered */

#endif
