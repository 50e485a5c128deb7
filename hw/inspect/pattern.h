// SPDX-License-Identifier: GPL-2.0-or-later
//
// Pattern - accesses and events by name, as users and manual pages write them.
//
//   [BOARD[@UNIT][/N]:][read|write|any] REG[[INDEX]][.FIELD] [=|!=|<|> VALUE]
//   [BOARD[@UNIT][/N]:]irq[=0|1]  mistake [NAME]  effect [NAME]  injected [NAME]  reset  none
//
// README.md explains it by examples. VALUE (core/number.h) is what is written or read, of the field, or of
// the register's bytes that the access touches. An access also fits a pattern that an event fits which it
// causes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/inspect/access.h"

namespace perfboard::inspect {

// A board among the machine's.
struct Who {
  std::string_view board;  // "surfboard"
  std::string_view unit;   // "2", "04.0"
  const BoardView* view = nullptr;
};

struct Pattern {
  enum class Kind : uint8_t { kAccess, kIrq, kMistake, kEffect, kInjected, kReset, kNone };
  enum class Op : uint8_t { kWrite, kRead, kAny };
  enum class Relation : uint8_t { kNothing, kEqual, kUnequal, kLess, kGreater };

  std::string board, unit;  // empty: any
  int part = -1;            // Place::unit; -1: any
  Kind kind = Kind::kAccess;
  Op op = Op::kWrite;
  std::string name;   // of the register, mistake or effect (empty: any); * for any characters, as in field
  int index = -1;     // -1: any
  std::string field;  // empty: all bits
  Relation relation = Relation::kNothing;
  uint64_t value = 0;
};

// Nothing: `why` says in one line what is wrong.
std::optional<Pattern> parse_pattern(std::string_view text, std::string& why);

// Whether what the pattern names is there; of another board's it cannot be said. False: `why` says in one
// line what is legal.
bool pattern_known(const Pattern& pattern, const Who& who, std::string& why);

bool matches(const Pattern& pattern, const Who& who, const Access& access);
bool matches(const Pattern& pattern, const Who& who, const Event& event);

// The same, but without the events that the access causes: those have not happened yet.
bool matches_alone(const Pattern& pattern, const Who& who, const Access& access);

// What a log keeps: all that some pattern fits, if there are any, and no pattern behind a '!'.
struct Filter {
  std::vector<Pattern> keep, leave_out;

  template <typename What>
  bool keeps(const Who& who, const What& what) const {
    for (const Pattern& p : leave_out) {
      if (matches(p, who, what)) return false;
    }
    for (const Pattern& p : keep) {
      if (matches(p, who, what)) return true;
    }
    return keep.empty();
  }
};

// Patterns with ';' between.
std::optional<Filter> parse_filter(std::string_view text, const Who& who, std::string& why);

}  // namespace perfboard::inspect
