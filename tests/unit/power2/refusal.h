// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a tool says of words that it does not take, or "accepted".
#pragma once

#include <functional>
#include <string>

#include "guest/power2/cmd/monitor.h"

namespace perfboard::p2 {

inline std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Misuse& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace perfboard::p2
