// SPDX-License-Identifier: GPL-2.0-or-later
#include "guest/smile/cmd/page_placement.h"

namespace perfboard::smile {

void PagePlacement::counted(uint64_t page, unsigned source, uint64_t count) {
  if (source < kNodes) pages_[page].use.counted(source, count);
}

std::vector<Move> PagePlacement::moves(const std::vector<uint8_t>& homes) {
  std::vector<Move> list;
  for (auto& [number, page] : pages_) {
    if (number >= homes.size() || homes[number] >= kNodes) continue;
    const unsigned home = homes[number];
    page.use.learn(home, options_.fade);
    if (page.rest) {
      --page.rest;
      continue;
    }
    const unsigned better = page.use.most();
    const double own = page.use.mean(home), there = page.use.mean(better);
    if (better == home || there <= own * (1 + options_.margin / 100) ||
        there - own < static_cast<double>(options_.least))
      continue;
    list.push_back({number, better});
    page.rest = options_.rest;
  }
  return list;
}

}  // namespace perfboard::smile
