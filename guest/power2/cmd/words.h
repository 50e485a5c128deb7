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

// Names of instructions, for IMR. On POWER IMR takes an instruction's word, of which the opcode and the
// extended opcode count; on x86 map << 8 | opcode. What has the same opcode cannot be told apart: ld and ldu,
// say.

struct Opcode {
  const char* name;
  uint32_t imr;
};

std::vector<Opcode> opcodes(bool power);  // the usual ones

struct NamedOpcode {
  std::string name;
  uint32_t imr;
};
// Names and numbers with commas between them, or all.
std::vector<NamedOpcode> parse_opcodes(const std::string& option, const std::string& text, bool power);

// p2trace record --when: which hooks record, in words.
//
//   TEST,TEST...[:ACTION,ACTION...]
//
//   hook=7,arg0=3:state=1        at hook 7 with 3 as its first argument: a record, and the state is then 1
//   event=sched_switch,state=1   a trace event of the kernel, while the state is 1
//   link=0x10000-0x10fff:silent  whatever was called from there: none
//
// Tests: hook=ID, event=NAME, arg0=VALUE[/MASK], arg1=, state=, link=FIRST-LAST. Actions: silent,
// state=VALUE[/MASK]. A MASK that is left out is all bits; of an event's argument the lower 32, as what an
// int has above them is not defined.

// events: the driver's, in the order of its parameter hooks. Misuse names the word that cannot be meant.
p2_rule parse_hook_rule(const std::string& text, const std::vector<std::string>& events);
std::vector<p2_rule> parse_hook_rules(const std::vector<std::string>& texts,
                                      const std::vector<std::string>& events);

}  // namespace perfboard::p2
