// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tables that hw/multikron/README.md shows, in its order.
#pragma once

#include "hw/core/manual.h"
#include "hw/multikron/registers.h"

namespace perfboard::mk {

inline constexpr ManualPart kManual[] = {
    {"The chip's registers (offset in BAR 0: address n at 4 n)", kRegisters},
    {"Upper halves (offset in BAR 2, of samples in BAR 4 too; in BAR 0 by 64 bits only)", kUpper},
    {"The card's information (offset in BAR 2)", kCard},
    {"First byte of a sample", kHeader, Resets::kNone},
};

}  // namespace perfboard::mk
