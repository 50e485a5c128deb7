// SPDX-License-Identifier: GPL-2.0-or-later
//
// Failures, as exceptions with a line for the user.
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "guest/common/arguments.h"

namespace perfboard {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// A word of the command line, or of a file of rules, that cannot be meant.
struct Misuse : UsageError {
  explicit Misuse(const std::string& text) : UsageError(text) {}
};

inline Failure system_failure(const std::string& what) {
  return Failure(fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace perfboard
