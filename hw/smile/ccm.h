// SPDX-License-Identifier: GPL-2.0-or-later
//
// The configuration cache manager's registers. Offsets 00 and 14 are those of the H.O.T. II's public driver;
// the others are ours.
#pragma once

#include "hw/model/register.h"

namespace perfboard::smile {

inline constexpr std::string_view kHot2 = "FACTS: H.O.T. II";
inline constexpr std::string_view kOurCcm = "INFERRED: the CCM's other registers are not public";

inline constexpr Field kCcmInterruptFields[] = {
    {"NONE", 0, 0, Access::ro, 1, "0: interrupt active", kHot2},
};
inline constexpr Field kCcmCommandFields[] = {
    {"LOAD", 1, 0, Access::wo, 0,
     "loads from: 0 flash, 1 slot 0 and 2 slot 1 of the RAM cache; 3 is ignored. The card then leaves the "
     "bus",
     kOurCcm},
};
inline constexpr Field kCcmStatusFields[] = {
    {"SOURCE", 5, 4, Access::ro, 0, "where what is loaded came from, as COMMAND", kOurCcm},
    {"ERROR", 2, 2, Access::ro, 0, "the last load failed, and the flash was loaded instead", kOurCcm},
    {"DONE", 1, 1, Access::ro, 1, "the last load succeeded", kOurCcm},
    {"BUSY", 0, 0, Access::ro, 0, "a load is under way. The card is off the bus then, so a host reads 0",
     kOurCcm},
};
inline constexpr Field kCcmDesignFields[] = {
    {"DESIGN", 1, 0, Access::ro, 0,
     "what is in the card's FPGA: 0 none, 1 static, 2 dynamic; 3 PCI_Target alone, the F.R.L. is on the "
     "daughter board",
     kOurCcm},
};
inline constexpr Field kCcmClearFields[] = {
    {"CLEAR", 31, 0, Access::wa, 0,
     "clears the interrupt. If its reason is still there, it is active again at once", kHot2},
};

inline constexpr Register kCcmRegisters[] = {
    {"CCM_INTERRUPT", 0x00, 1, kCcmInterruptFields, "Interrupt", kHot2},
    {"CCM_COMMAND", 0x04, 1, kCcmCommandFields, "Load a configuration", kOurCcm},
    {"CCM_STATUS", 0x08, 1, kCcmStatusFields, "Status", kOurCcm},
    {"CCM_DESIGN", 0x0c, 1, kCcmDesignFields, "Design", kOurCcm},
    {"CCM_CLEAR", 0x14, 1, kCcmClearFields, "Interrupt clear", kHot2},
};
static_assert(table_ok(kCcmRegisters));

}  // namespace perfboard::smile
