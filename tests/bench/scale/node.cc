// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/bench/scale/node.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

namespace perfboard::scale {

void fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

Row row_of(const Options& o, Pattern& pattern) {
  constexpr const char* kPatterns[] = {"neighbour", "random", "one", "none", "idle"};
  const std::string& name = o.text("pattern");
  const auto found = std::find(std::begin(kPatterns), std::end(kPatterns), name);
  if (found == std::end(kPatterns))
    fail("pattern=" + name + ": legal are neighbour, random, one, none and idle");
  pattern = static_cast<Pattern>(found - std::begin(kPatterns));
  return {.network = kNetwork.name,
          .pattern = name,
          .nodes = o.number("nodes", 2, kNetwork.most_nodes),
          .hosts = 1,
          .threads = 1,
          .us = o.number("us", 1, 1'000'000'000)};
}

}  // namespace perfboard::scale
