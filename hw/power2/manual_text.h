// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is printed from the model's own tables: the manual page's part between its markers, and the guest's
// list of the events.
#pragma once

#include <string>

namespace perfboard::p2 {

std::string manual_text();   // of hw/power2/README.md: registers, Table 1, events, groups, sources, nodes
std::string guest_header();  // guest/power2/events.h
std::string event_csv();     // unit,group,counter,name,definition,text

}  // namespace perfboard::p2
