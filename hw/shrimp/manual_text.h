// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tables that hw/shrimp/README.md shows between its markers: registers, counters, latency
// terms and timing constants, printed from what the model runs.
#pragma once

#include <string>

namespace perfboard::sni {

std::string manual_text();

}  // namespace perfboard::sni
