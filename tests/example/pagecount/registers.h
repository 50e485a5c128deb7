// SPDX-License-Identifier: GPL-2.0-or-later
//
// The registers of PageCount, as its manual page prints them.
#pragma once

#include "hw/model/register.h"

namespace perfboard::pagecount {

inline constexpr std::string_view kOurs = "INFERRED: there is no paper";

inline constexpr Field kWatchFields[] = {
    {"STORES", 11, 0, Access::ro, 0, "stores to the page; stays at 4095", kOurs},
    {"PAGE", 31, 12, Access::rw, 0, "the page that is watched; 0: none. A write of 32 bits begins anew",
     kOurs},
};
inline constexpr Field kCtrlFields[] = {
    {"IEN", 0, 0, Access::rw, 0, "the interrupt line is up while STORES is not 0", kOurs},
};
inline constexpr Register kRegisters[] = {
    {"WATCH", 0, 4, kWatchFields, "Watched Page", kOurs},
    {"CTRL", 4, 1, kCtrlFields, "Control", kOurs},
};
static_assert(table_ok(kRegisters));

inline constexpr const Field& kStores = kWatchFields[0];

}  // namespace perfboard::pagecount
