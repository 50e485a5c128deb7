// SPDX-License-Identifier: GPL-2.0-or-later
//
// x86 for the counters: 16, 32 and 64-bit code. It has no process mark: a board sets that.
#ifndef PERFBOARD_PLUGINS_ISA_X86_ISA_H
#define PERFBOARD_PLUGINS_ISA_X86_ISA_H

#include "plugins/isa/isa.h"

namespace perfboard {
extern const Isa kX86;
}
#endif
