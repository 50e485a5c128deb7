// SPDX-License-Identifier: GPL-2.0-or-later
//
// The POWER2 monitors from outside (hw/model/view.h): what log, coverage and patterns call their registers,
// mistakes and effects.
//
//   log_mistake(m, mistake("reserved-bits"), "...")   in the model: a row of kMistakes
//   tell_effect(m, effect("awake"), value)            in the model: a row of kEffects
//   p2_view()                                         the card; its model is a P2Card. A place's unit is the processor whose monitor it is
//
// A monitor cannot interrupt, so the view has no conditions: software reads the counters before they roll
// over.
#pragma once

#include <string>

#include "hw/model/generic_injections.h"
#include "hw/model/view.h"
#include "hw/power2/registers.h"

namespace perfboard::p2 {

inline constexpr std::string_view kPio = "INFERRED: \"addressable ... via programmed I/O\"; the card is ours";
inline constexpr Mistake kMistakes[] = {
    {"bad-size", "an access of another size than 4 or 8 bytes, or not aligned", kPio, kIgnored},
    {"not-own", "the own window by nobody: a debugger, DMA",
     "INFERRED: each processor has its monitor in itself", kIgnored},
    {"no-monitor", "a window of a processor that the machine has not", kPio, kIgnored},
    {"no-register", "an offset of a monitor's window that is no register", kPio},
    {"read-only", "a write to STATE", kPio},
    {"mark-read-only", "a write to MARK on POWER", "Selection of monitoring states: the mark is MSR(PM)",
     kIgnored},
    {"reserved-bits", "MMCR: bits 6 to 15 are written with ones",
     "Monitor mode control register: software must not write nonzero values into bits 6 through 15"},
    {"no-such-bits", "SPE or MARK: bits that are not there are written with ones",
     "INFERRED: as MMCR's reserved bits"},
    {"no-card-word", "a read of a word that the card's information lacks", kOurs},
    {"card-read-only", "a write to the card's information", kOurs},
};
consteval unsigned mistake(std::string_view name) { return row_number(kMistakes, name); }

inline constexpr Effect kEffects[] = {
    {"awake", "the first access: counting begins"},
    {"counting",
     "who is counted has changed; a bit for each context: 1 user, 2 kernel, 4 and 8 the same while marked"},
    {"rolled-over", "a counter has passed 4294967295 since it was last looked at; the counter"},
    {"marked", "the processor's mark; its value"},
    {"matching", "the instruction that is looked for; IMR"},
    {"errors-counted", "the memory has corrected errors, and counter 21 has them; how many"},
    {"unanswered", "the monitor is silent on purpose: a read gave all ones, a write is lost"},
};
consteval unsigned effect(std::string_view name) { return row_number(kEffects, name); }

inline constexpr Injection kInjections[] = {
    {"inject-errors", any_number(" errors"),
     "errors that the memory corrects; correctable-errors-cpu says whose monitor counts them",
     "the memory corrects so many errors; `correctable-errors-cpu` says whose monitor counts them",
     "ERRORS, if the monitor counts the processor's present context; `p2stat -e errors`",
     "5ms power2 inject-errors 3"},
    {"inject-roll-over", any_number(" events; 0: nothing happens"),
     "every counter is so many events before its roll-over; 0: nothing happens",
     "every counter of every monitor is so many events before its roll-over",
     "the counters pass 4294967295 soon; a total of 64 bits goes on above it",
     "5ms power2 inject-roll-over 1000"},
    {"inject-silent", up_to(UINT64_MAX, "a set of processors up to 63, bit n: n", Stands::kSet, "cpu"),
     "a set of processors, bit n: n, whose monitors answer nothing",
     "their monitors answer nothing, and count on",
     "every register reads FFFFFFFF, MMCR's reserved bits too, which always read 0; `unanswered` in sysfs",
     "5ms power2 inject-silent 1"},
    PB_INJECTION_GONE("power2"),
};
consteval unsigned injection(std::string_view name) { return row_number(kInjections, name); }

const BoardView& p2_view();

// What is printed from the model's own tables.
std::string manual_text();   // of hw/power2/README.md: registers, Table 1, events, groups, sources, nodes
std::string guest_header();  // guest/power2/events.h
std::string event_csv();     // unit,group,counter,name,definition,text

}  // namespace perfboard::p2
