// SPDX-License-Identifier: GPL-2.0-or-later
//
// The adapters' BoardView (hw/model/view.h): BAR 0 by name, what a driver can do wrong, and what accesses and
// errors on purpose cause.
//
//   sci_view()                                    the view
//   log_mistake(a, mistake("read-only"), "...")   in the model: a row of kMistakes
//   tell_effect(a, effect("request"), ...)        in the model: a row of kEffects
#pragma once

#include <string>

#include "hw/model/generic_injections.h"
#include "hw/model/view.h"
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

inline constexpr Injection kInjections[] = {
    {"inject-drop", any_number(" transactions"), "next transactions that the ring loses",
     "so many of the next transactions, of all nodes, are lost on the ring: the request is on its node's "
     "B-Link, and nothing follows. A "
     "processor that waits (latency=on) waits for TIMEOUT",
     "fewer RECEIVED than were sent; WAIT; the monitor's CLASHES when the trans_ID comes round",
     "1ms sci inject-drop 3", PB_MEMBER(SciInject, drop)},
    {"inject-late", any_number(" transactions"), "next transactions that come 10 us later",
     "so many of the next transactions pass the ring later by LATE", "latency=on: WAIT and OUTSTANDING grow",
     "1ms sci inject-late 3", PB_MEMBER(SciInject, late)},
    {"inject-damage", any_number(" transactions"), "next transactions whose trans_ID is damaged",
     "so many of the next transactions reach their home with bit 5 of the trans_ID inverted; their responses "
     "have it, too",
     "the monitor's ORPHANS at once, its CLASHES when the trans_ID comes round", "1ms sci inject-damage 3",
     PB_MEMBER(SciInject, damage)},
    {"inject-stop", kOffOrOn, "no transaction passes the ring",
     "no transaction passes the ring: all are lost", "RECEIVED stands still while READS and WRITES go on",
     "1ms sci inject-stop on", PB_MEMBER(SciInject, stop)},
    PB_INJECTION_GONE("sci"),
};
consteval unsigned injection(std::string_view name) { return row_number(kInjections, name); }

const BoardView& sci_view();

// The tables that hw/sci/README.md shows between its markers: registers, packets, timing constants and what
// follows from them, printed from what the model runs.
std::string manual_text();

}  // namespace perfboard::sci
