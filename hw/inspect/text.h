// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses and events as lines of text (README.md explains them), without a line's end:
//
//      0.001250000 cpu0  ffffffffc0001234 surfboard    HTCR <- 00000005 WEN=1 TEN=1; irq 1
//      0.001300000 *     -                surfboard    trace-complete 4096
#pragma once

#include <string>

#include "hw/inspect/access.h"
#include "hw/inspect/pattern.h"

namespace perfboard::inspect {

// named: the board's unit belongs to its name, because there are several of the kind.
std::string text_of(const Who& who, bool named, const Access& access);
std::string text_of(const Who& who, bool named, const Event& event);

}  // namespace perfboard::inspect
