// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tables that hw/smile/README.md shows, in its order.
#pragma once

#include "hw/core/manual.h"
#include "hw/smile/bridge.h"
#include "hw/smile/ccm.h"
#include "hw/smile/registers.h"

namespace perfboard::smile {

inline constexpr ManualPart kManual[] = {
    {"PCI_Target (offset from 100000 in BAR 0)", kRegisters},
    {"Bridge (offset from 000000 in BAR 0, and in BAR 1)", kBridgeRegisters},
    {"Configuration cache manager (offset from 800000 in BAR 0)", kCcmRegisters},
    {"A record in the ring (offset in the record)", kRecord, Resets::kNone},
};

}  // namespace perfboard::smile
