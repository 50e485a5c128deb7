/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The load guard: is this a QEMU that the object was built for?
 *
 * Upstream promises plugins no device API, so the object fits one series of QEMU, and the
 * emulators that hw/qemu/meson.build names (boards.h). All symbols of QEMU are referenced weakly
 * (weak.h): the object loads anywhere and can say what is wrong. README.md lists what it says.
 */
#ifndef PERFBOARD_QEMU_GUARD_H
#define PERFBOARD_QEMU_GUARD_H

#include <stdbool.h>

#include "hw/qemu/core/boards.h"

/* What emulator this is, if the boards can work here. NULL: one line on stderr says why not and what is legal.
 * target: the emulator's, as in qemu-system-TARGET. most_vcpus: that the machine may ever have at once. A vCPU's cpu_index is below it,
 * so that arrays of PB_MAX_VCPUS hold all. */
const PbEmulator *perfboard_guard(const char *target, bool system_emulation, int most_vcpus);

#endif
