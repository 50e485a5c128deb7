// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses and events as lines of text or as JSON, one object each (README.md explains both), without a
// line's end:
//
//      0.001250000 cpu0  ffffffffc0001234 surfboard    HTCR <- 00000005 WEN=1 TEN=1; irq 1
//      0.001300000 *     -                surfboard    trace-complete 4096
//      0.001400000 cpu0  ffffffffc0001234 surfboard    ISCR -> 80000002 PEND=1 TP=1; 949915 times to 28.001400000
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hw/inspect/access.h"
#include "hw/inspect/bounded.h"
#include "hw/inspect/fold.h"
#include "hw/inspect/pattern.h"

namespace perfboard::inspect {

// named: the board's unit belongs to its name, because there are several of the kind.
std::string text_of(const Who& who, bool named, const Access& access);
std::string text_of(const Who& who, bool named, const Event& event);

// What stands behind a line that came several times; else nothing.
std::string text_of(const Run& run);

// Lines that are no board's: in place of what a file of `most` bytes has no room for (with its end), and a
// stream's last one.
std::string text_of_left_out(const Told& told, uint64_t most);
std::string text_of_end(uint64_t most);

// Accesses and events as JSON, one object each (README.md has the members), without a line's end.

// number: of the line in its log; nothing: it is in none.
std::string json_of(const Who& who, const Access& access, std::optional<uint64_t> number = {},
                    const Run& run = {});
std::string json_of(const Who& who, const Event& event, std::optional<uint64_t> number = {},
                    const Run& run = {});

// Lines that are no board's, as above.
std::string json_of_left_out(const Told& told, uint64_t most);
std::string json_of_end(uint64_t most, uint64_t number);

// {"reg","index","part","value","fields":{}}: all bits, every field.
std::string json_register(const Place& place, uint32_t value);

}  // namespace perfboard::inspect
