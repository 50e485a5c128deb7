// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tables that hw/sci/README.md shows between its markers: registers, packets, timing constants and what
// follows from them, printed from what the model runs.
#pragma once

#include <string>

namespace perfboard::sci {

std::string manual_text();

}  // namespace perfboard::sci
