// SPDX-License-Identifier: GPL-2.0-or-later
//
// POWER (64-bit, server) for the counters: big- and little-endian code. The process mark is MSR[PMM].
#ifndef PERFBOARD_PLUGINS_ISA_PPC_ISA_H
#define PERFBOARD_PLUGINS_ISA_PPC_ISA_H

#include "plugins/isa/isa.h"

namespace perfboard {
extern const Isa kPpc;
}
#endif
