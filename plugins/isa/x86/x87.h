// SPDX-License-Identifier: GPL-2.0-or-later
//
// Registers of the x87's instructions, which capstone 4 does not know: by opcode, as the manual lists them.
//
//   if (opcode is 0xd8 to 0xdf) x87_operands(opcode, modrm, o);
//
// INFERRED: ST0 to ST7 are registers of their own; that a push or pop renames them is not followed. So a
// chain through a push or a pop is seen as one through another register.
#ifndef PERFBOARD_PLUGINS_ISA_X86_X87_H
#define PERFBOARD_PLUGINS_ISA_X86_X87_H

#include <cstdint>

#include "plugins/isa/operands.h"

namespace perfboard {

// What becomes of memory, if the ModRM byte names any.
enum class X87Memory : uint8_t { kNone, kRead, kWritten };

X87Memory x87_operands(uint8_t opcode, uint8_t modrm, Operands& o);

}  // namespace perfboard
#endif
