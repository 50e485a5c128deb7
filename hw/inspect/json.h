// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses and events as JSON, one object each (README.md has the members), without a line's end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hw/inspect/access.h"
#include "hw/inspect/bounded.h"
#include "hw/inspect/fold.h"
#include "hw/inspect/pattern.h"

namespace perfboard::inspect {

// number: of the line in its log; nothing: it is in none.
std::string json_of(const Who& who, const Access& access, std::optional<uint64_t> number = {},
                    const Run& run = {});
std::string json_of(const Who& who, const Event& event, std::optional<uint64_t> number = {},
                    const Run& run = {});

// Lines that are no board's, as text.h has them.
std::string json_of_left_out(const Told& told, uint64_t most);
std::string json_of_end(uint64_t most, uint64_t number);

// {"reg","index","part","value","fields":{}}: all bits, every field.
std::string json_register(const Place& place, uint32_t value);

}  // namespace perfboard::inspect
