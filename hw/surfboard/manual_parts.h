// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tables that hw/surfboard/README.md shows, in its order.
#pragma once

#include "hw/core/manual.h"
#include "hw/surfboard/registers.h"

namespace perfboard::surf {

inline constexpr ManualPart kManual[] = {
    {"EISA slot registers (slot I/O, offset in the slot's 0xz000)", kSlotRegisters},
    {"Memory-mapped registers (offset from RBASE)", kRegisters},
    {"Application shift register (behind ACDR)", kShiftRegister},
    {"Trace memory entry (16 bytes)", kTraceWords},
};

}  // namespace perfboard::surf
