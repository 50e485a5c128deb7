// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/machine.h"

PbMachine pb_machine;

void pb_machine_is(const PbMachine* machine) { pb_machine = *machine; }
