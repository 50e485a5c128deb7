// SPDX-License-Identifier: GPL-2.0-or-later
//
// The mesh in one thread, whose turn it is being the earliest's: without promises, cluster or limits. What
// nodes in step must have done, too.
#pragma once

#include "tests/bench/scale/node.h"

namespace perfboard::scale {

// Adds to the row.
void run_in_one_queue(Pattern pattern, uint64_t end, Meter& meter, Row& row);

}  // namespace perfboard::scale
