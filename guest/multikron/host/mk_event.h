// SPDX-License-Identifier: GPL-2.0-or-later
//
// The meaning of a sample's 48 bits of user data by guest/multikron/lib/mklib.h's convention; the chip knows
// none.
#pragma once

#include <cstdint>
#include <string_view>

namespace perfboard::mk {

enum class Kind : uint8_t { kEnter = 1, kExit = 2, kPoint = 3, kValue = 4 };

struct Event {
  explicit Event(uint64_t data)
      : kind(static_cast<Kind>(data >> 40 & 0xff)),
        id(static_cast<uint16_t>(data >> 24)),
        argument(data & 0xffffff) {}
  bool known() const { return kind >= Kind::kEnter && kind <= Kind::kValue; }
  std::string_view kind_name() const {
    constexpr std::string_view kNames[] = {"", "enter", "exit", "point", "value"};
    return known() ? kNames[static_cast<unsigned>(kind)] : kNames[0];
  }

  Kind kind;
  uint16_t id;        // of a state, a point or a value
  uint32_t argument;  // 24 bits
};

}  // namespace perfboard::mk
