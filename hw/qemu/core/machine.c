/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"

#include "hw/qemu/core/machine.h"

#define MEMBER(name) .name = pb_##name,
static const PbMachine machine = { PB_MACHINE_FUNCTIONS(MEMBER) };

/* None is left out: it would be called as NULL. */
#define ONE(name) +1
QEMU_BUILD_BUG_ON(sizeof(machine) / sizeof(void *) != PB_MACHINE_FUNCTIONS(ONE));

void pb_machine_start(void)
{
    pb_machine_is(&machine);
}
