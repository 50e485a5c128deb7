/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The load guard: is this a QEMU that the object was built for?
 *
 * Upstream promises plugins no device API, so the object fits one series of QEMU. All symbols
 * of QEMU are referenced weakly (weak.h): the object loads anywhere and can say what is wrong.
 */
#ifndef PERFBOARD_QEMU_GUARD_H
#define PERFBOARD_QEMU_GUARD_H

#include <stdbool.h>

/* True if the boards can work here; otherwise one line on stderr says why not. */
bool perfboard_guard(bool system_emulation);
void perfboard_register_devices(void);
void perfboard_help(void); /* devices and their properties, on stdout */

#endif
