// SPDX-License-Identifier: GPL-2.0-or-later
//
// What users write on the tools' command lines: events, groups, times, opcodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "guest/power2/cmd/monitor.h"

namespace perfboard::p2 {

// Names with commas between; * and ? stand for others (fxu*). Each once. Misuse names what is like a wrong
// one.
std::vector<std::string> parse_events(const std::vector<std::string>& lists);
// The fewest sets for the events; Misuse if they need more than there may be.
std::vector<p2_set> choose_sets(const std::vector<std::string>& events, uint32_t control);

// UNIT=GROUP,UNIT=GROUP,... (0 where a unit is not named), or sga, or all (0 ... 15 of all units, one after
// another): values of MMCR.
std::vector<p2_set> parse_groups(const std::string& text, uint32_t control);
// The events that are counted in the sets, each once.
std::vector<std::string> events_of(const std::vector<p2_set>& sets);

// A number with s, ms, us or ns behind it, in ns. `least` and `most`: legal values.
uint64_t parse_time(const std::string& option, const std::string& text, uint64_t least, uint64_t most);
std::string time_text(uint64_t ns);

// A value of MMCR or IMR as a number; Misuse if it is none, or has bits of `illegal`.
uint32_t parse_register(const std::string& option, const std::string& text, uint32_t illegal);

// fpu0 ... scu4, cycles, errors.
std::string counter_text(unsigned counter);

// DIS, DP, DU, DMS, DMR, SGA of a value of MMCR, and the groups.
std::string mmcr_text(uint32_t mmcr);

}  // namespace perfboard::p2
