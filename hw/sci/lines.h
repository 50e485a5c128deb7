// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines - what carries packets one after the other: the ring's links, and the B-Links. latency=on.
//
// A line is taken for times to come: a response's link some microseconds before the response is there. Others
// may use the time before. So a line has a calendar of its symbols' times, SCI_CALENDAR of them from now on
// (20 us). What comes later than its last symbol queues up behind it, one after the other (`tail`). A queue
// ends kLongestQueue from now; what comes then is there at its end, all at once. 64 requests of each of 32
// nodes are not half as many, so only accesses that cannot wait get there.
#pragma once

#include <cstdint>

#include "hw/sci/sci_state.h"

namespace perfboard::sci {

inline constexpr uint64_t kLongestQueue = 1'000'000;  // ns

// The first time, from ns on and a multiple of `step` symbols, at which the line is free for so many symbols.
// They are taken then. Nobody asks for a time before `now` any more.
uint64_t take_line(SciLine& line, uint64_t now, uint64_t ns, uint64_t symbols, uint64_t step = 1);

}  // namespace perfboard::sci
