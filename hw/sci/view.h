// SPDX-License-Identifier: GPL-2.0-or-later
//
// The adapters' BoardView (hw/core/view.h): BAR 0 by name, what a driver can do wrong, and what accesses and
// errors on purpose cause.
//
//   sci_view()                                    the view
//   log_mistake(a, mistake("read-only"), "...")   in the model: a row of kMistakes
//   tell_effect(a, effect("request"), ...)        in the model: a row of kEffects
#pragma once

#include <string>

#include "hw/core/view.h"
#include "hw/sci/registers.h"

namespace perfboard::sci {

inline constexpr Mistake kMistakes[] = {
    {"strange-vcpu", "a vCPU that is no node accesses the window: its accesses stay local (told once)",
     "INFERRED: nodes= may be less than the machine's vCPUs"},
    {"no-register", "an offset of BAR 0 without a register is read or written", kOurs},
    {"bad-home", "ATT is given a home that is no node: it keeps the one that it has", kOurs, kIgnored},
    {"read-only", "a register that is read only is written", kOurs},
    {"narrow-write", "a register is written with 8 or 16 bits, which it ignores", kOurs, kIgnored},
};
consteval unsigned mistake(std::string_view name) { return row_number(kMistakes, name); }

inline constexpr Effect kEffects[] = {
    {"request",
     "a request left its node; 0 read, 1 write, 2 lock, 3 unlock, in bits 17-16, the node that it goes to in "
     "bits 12-8, its own in 4-0"},
    {"buffers-left", "write-combining buffers of this node were emptied"},
    {"all-outstanding",
     "latency=on: 64 requests of this node were outstanding, and the next one had to wait"},
    {"latched", "the upper half of the statistic at this offset was latched"},
    {"cleared", "all statistics became 0"},
    {"switched", "transactions: 1 on, 0 off"},
    {"packet-lost",
     "a request of this node was lost on the ring: on purpose, or before the nodes are in step "
     "(fabric=cluster)"},
    {"packet-late", "on purpose: a transaction of this node came late"},
    {"packet-damaged", "on purpose: a transaction of this node got another trans_ID"},
};
consteval unsigned effect(std::string_view name) { return row_number(kEffects, name); }

const BoardView& sci_view();

// The tables that hw/sci/README.md shows between its markers: registers, packets, timing constants and what
// follows from them, printed from what the model runs.
std::string manual_text();

}  // namespace perfboard::sci
