/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What -plugin perfboard.so,help prints: devices, their properties, event sources.
 *
 * QEMU's own -device NAME,help cannot: QEMU answers it before it loads plugins.
 */
#ifndef PERFBOARD_QEMU_HELP_H
#define PERFBOARD_QEMU_HELP_H

void perfboard_help(void); /* on stdout; the devices are registered */

#endif
