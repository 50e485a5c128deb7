// SPDX-License-Identifier: GPL-2.0-or-later
//
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
#pragma once

#include <string>
#include <vector>

#include "guest/power2/cmd/monitor.h"

namespace perfboard::p2 {

// events: the driver's, in the order of its parameter hooks. Misuse names the word that cannot be meant.
p2_rule parse_hook_rule(const std::string& text, const std::vector<std::string>& events);
std::vector<p2_rule> parse_hook_rules(const std::vector<std::string>& texts,
                                      const std::vector<std::string>& events);

}  // namespace perfboard::p2
