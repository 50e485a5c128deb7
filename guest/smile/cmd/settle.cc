// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/smile/cmd/settle.h"

#include <algorithm>
#include <cmath>

namespace perfboard::smile {
namespace {

constexpr double kIntervals = 16;  // a mean is of about so many

}  // namespace

void Settle::counted(uint64_t page, unsigned source, uint64_t count) {
  if (source < kNodes) pages_[page].now[source] += count;
}

void Settle::learn(Page& page, unsigned home) const {
  for (unsigned node = 0; node < kNodes; ++node) {
    Use& use = page.use[node];
    if (node == home) {
      use.accesses *= std::exp2(-1.0 / options_.fade);
    } else {
      const double kept = std::min(use.intervals, kIntervals - 1);
      use.accesses = use.mean() * kept + static_cast<double>(page.now[node]);
      use.intervals = kept + 1;
    }
  }
  page.now.fill(0);
}

std::vector<Move> Settle::moves(const std::vector<uint8_t>& homes) {
  std::vector<Move> list;
  for (auto& [number, page] : pages_) {
    if (number >= homes.size() || homes[number] >= kNodes) continue;
    const unsigned home = homes[number];
    learn(page, home);
    if (page.rest) {
      --page.rest;
      continue;
    }
    const auto* best = std::max_element(page.use.begin(), page.use.end(),
                                        [](const Use& a, const Use& b) { return a.mean() < b.mean(); });
    const auto better = static_cast<unsigned>(best - page.use.begin());
    const double own = page.use[home].mean(), there = best->mean();
    if (better == home || there <= own * (1 + options_.margin / 100) ||
        there - own < static_cast<double>(options_.least))
      continue;
    list.push_back({number, better});
    page.rest = options_.rest;
  }
  return list;
}

}  // namespace perfboard::smile
