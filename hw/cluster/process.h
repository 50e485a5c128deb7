// SPDX-License-Identifier: GPL-2.0-or-later
//
// What whoever maps the segment needs of the host: which process another one is, the time, a sleeper's bell.
#pragma once

#include <cstdint>
#include <string>

#include "hw/cluster/segment.h"

namespace perfboard::cluster {

// The process's start as /proc/PID/stat tells it, in clock ticks; 0: there is no such process.
uint64_t start_of(uint32_t pid);
// The node is this process's from now on, and comes. False, and why not: somebody has it, or had it once.
bool claim(Node& node, std::string& wrong);
uint64_t host_ns();
// The calling thread runs as soon as it is woken, though only for a short time, beside programs that compute:
// a step takes microseconds, and would wait milliseconds for them. Linux 6.12 has that; others take the words
// and do nothing.
void ask_for_short_turns();
// A virtual time, for a line that somebody reads.
std::string seconds(uint64_t ns);

// Nodes that sleep look again.
void wake_sleepers(const Segment& segment);

}  // namespace perfboard::cluster
