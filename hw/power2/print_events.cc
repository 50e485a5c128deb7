// SPDX-License-Identifier: GPL-2.0-or-later
//
// power2-events [--csv]: the events as guest/power2/events.h, or as a table for programs.
#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "hw/power2/view.h"

int main(int argc, char** argv) {
  const bool csv = argc == 2 && std::string_view(argv[1]) == "--csv";
  if (argc > 1 && !csv) {
    fmt::print(stderr, "usage: {} [--csv]\n", argv[0]);
    return 2;
  }
  fmt::print("{}", csv ? perfboard::p2::event_csv() : perfboard::p2::guest_header());
  return 0;
}
